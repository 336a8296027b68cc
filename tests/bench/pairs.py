#!/usr/bin/env python3
"""Times two commands in turn, A B A B …, and prints medians and the median of the pairs' ratios.

A machine's speed drifts; the ratio of two runs beside each other does not. Each time is that of one process from
posix_spawn to its end, on the wall clock.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = int(os.environ.get("ROUNDS", "60"))
HOOK = os.environ["HOOK"]
BUILD = os.environ["BUILD"]


def run(argv, env, stdin=None):
    """Seconds that the command took; it must succeed."""
    null = os.open("/dev/null", os.O_RDWR)
    source = os.open(stdin, os.O_RDONLY) if stdin else null
    actions = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, null, 1)]
    begin = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    took = time.perf_counter() - begin
    os.close(null)
    if source != null:
        os.close(source)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"bench: failed: {' '.join(argv)}")
    return took


def pairs(name, first, second, before=lambda: None, after=lambda: None):
    """first and second: functions that run the command once and say how long it took."""
    times = ([], [])
    for i in range(ROUNDS + 3):
        for which, command in enumerate((first, second)):
            before()
            took = command()
            after()
            if i >= 3:
                times[which].append(took)
    ratio = statistics.median(b / a for a, b in zip(*times))
    row = {
        "name": name,
        "plain_ms": round(statistics.median(times[0]) * 1000, 3),
        "ours_ms": round(statistics.median(times[1]) * 1000, 3),
        "ratio": round(ratio, 3),
        "rounds": ROUNDS,
    }
    print(f"{name:<46} {row['plain_ms']:>9.3f} {row['ours_ms']:>9.3f} {row['ratio']:>7.3f}", flush=True)
    return row


class Bench:
    """A recorded node, and a bundle for a real crun."""

    def __init__(self, directory):
        self.dir = directory
        self.node = self.path("node")
        self.runtime = shutil.which("crun")
        self.shim = self.path("oci-rdma-runtime")
        os.symlink(HOOK, self.shim)
        description = '{"pfs": 4, "vfs_per_pf": 4}'
        subprocess.run(["tests/nodes/mknode", description, self.node], check=True)
        os.makedirs(self.path("node/etc/oci-rdma-hook"))
        self.write("node/etc/oci-rdma-hook/config.json", {
            "memlock": "8Mi", "runtimes": [self.runtime], "state_dir": self.path("state")})
        self.env = {"PATH": os.environ["PATH"], "OCI_RDMA_SYSROOT": self.node}
        self.make_root()
        self.config = self.make_config()

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, value):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(value, file, indent="\t")

    def make_root(self):
        binaries = self.path("bundle/rootfs/bin")
        for name in ("bin", "dev", "proc", "sys", "etc"):
            os.makedirs(self.path(f"bundle/rootfs/{name}"))
        shutil.copy("/bin/busybox", binaries)
        for name in ("sleep", "true"):
            os.symlink("busybox", os.path.join(binaries, name))

    def make_config(self):
        subprocess.run([self.runtime, "spec"], cwd=self.path("bundle"), check=True)
        with open(self.path("bundle/config.json"), encoding="utf-8") as file:
            config = json.load(file)
        config["process"].update(terminal=False, args=["/bin/sleep", "1000"], rlimits=[])
        config["annotations"] = {"oci-rdma-hook.io/inject": "true"}
        link = sorted(name for name in os.listdir(self.path("node/sys/dev/char")) if name.startswith("231:"))[:4]
        config["linux"]["devices"] = [
            {"path": f"/dev/infiniband/uverbs{i}", "type": "c", "major": 231, "minor": int(name.split(":")[1])}
            for i, name in enumerate(link)]
        return config

    def plain(self, granted):
        """The bundle as an engine writes it, for each create anew."""
        config = dict(self.config)
        if not granted:
            config["annotations"] = {}
            config["linux"] = dict(config["linux"], devices=[])
        self.write("bundle/config.json", config)

    def process(self):
        process = dict(self.config["process"], args=["/bin/true"])
        self.write("process.json", process)

    def command(self, program, *args):
        argv = [program, "--root", self.path("run"), *args]
        return lambda: run(argv, self.env)

    def create(self, program):
        return self.command(program, "create", "--bundle", self.path("bundle"), "--pid-file", self.path("pid"), "bench")

    def delete(self):
        subprocess.run([self.runtime, "--root", self.path("run"), "delete", "--force", "bench"],
                       check=False, stderr=subprocess.DEVNULL)

    def creates(self, name, granted):
        return pairs(name, self.create(self.runtime), self.create(self.shim), lambda: self.plain(granted), self.delete)

    def execs(self, name, granted):
        self.plain(granted)
        self.create(self.shim)()
        self.command(self.runtime, "start", "bench")()
        args = ("exec", "--process", self.path("process.json"), "bench")
        row = pairs(name, self.command(self.runtime, *args), self.command(self.shim, *args), self.process)
        self.delete()
        return row


def main():
    print(f"{'medians in ms, ' + str(ROUNDS) + ' pairs':<46} {'plain':>9} {'ours':>9} {'ratio':>7}")
    with tempfile.TemporaryDirectory(prefix="oci-rdma-bench.") as directory:
        bench = Bench(directory)
        rows = [
            bench.creates("crun create, no RDMA", False),
            bench.creates("crun create, granted 4 devices", True),
            bench.execs("crun exec, no RDMA", False),
            bench.execs("crun exec, granted", True),
        ]
    with open(os.path.join(BUILD, "bench.json"), "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=2)


if __name__ == "__main__":
    main()
