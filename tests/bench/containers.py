"""Containers of a real crun or runc, plain and through the shim."""
import json
import os
import shutil
import subprocess

from measure import Command
from scene import allocate, make_node

ANNOTATION = {"oci-rdma-hook.io/inject": "true"}


class Containers:
    def __init__(self, directory, hook, runtime):
        self.dir, self.runtime, self.name = directory, runtime, os.path.basename(runtime)
        os.makedirs(directory)
        self.shim = self.path("oci-rdma-runtime")
        os.symlink(hook, self.shim)
        self.node = make_node(self.path("node"), 16, {})
        with open(f"{self.node}/etc/oci-rdma-hook/runtimes", "w", encoding="utf-8") as file:
            print(runtime, file=file)
        self.env = {"PATH": os.environ["PATH"], "OCI_RDMA_SYSROOT": self.node}
        self.make_root()
        self.spec = self.make_spec()

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, value):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(value, file, indent="\t")

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def make_root(self):
        for name in ("bin", "dev", "proc", "sys", "etc"):
            os.makedirs(self.path(f"bundle/rootfs/{name}"))
        shutil.copy("/bin/busybox", self.path("bundle/rootfs/bin"))
        for name in ("sleep", "true"):
            os.symlink("busybox", self.path(f"bundle/rootfs/bin/{name}"))

    def make_spec(self):
        """The runtime's own example, which is as small as they are, with four devices from a bundle of CRI-O's."""
        subprocess.run([self.runtime, "spec"], cwd=self.path("bundle"), check=True)
        spec = self.read("bundle/config.json")
        spec["process"].update(terminal=False, args=["/bin/sleep", "1000"], rlimits=[])
        case = json.dumps(allocate(self.node, 4))
        subprocess.run(["tests/bundles/mkbundle", case, self.path("allocated")], check=True)
        spec["linux"]["devices"] = self.read("allocated/config.json")["linux"]["devices"]
        return spec

    def new_bundle(self, granted):
        """config.json as an engine writes it, for each create anew"""
        spec = dict(self.spec, annotations=ANNOTATION if granted else {})
        if not granted:
            spec["linux"] = dict(spec["linux"], devices=[])
        self.write("bundle/config.json", spec)

    def new_process(self):
        self.write("process.json", dict(self.spec["process"], args=["/bin/true"]))

    def command(self, label, program, args, **around):
        return Command(label, [program, "--root", self.path("run"), *args], env=self.env, **around)

    def both(self, args, **around):
        """The runtime twice: how far that is from 1 is what the others' figures are worth."""
        return [self.command(self.name, self.runtime, args, **around),
                self.command(f"{self.name} again", self.runtime, args, **around),
                self.command(f"shim and {self.name}", self.shim, args, **around)]

    def create_args(self):
        return ["create", "--bundle", self.path("bundle"), "--pid-file", self.path("pid"), "bench"]

    def delete(self):
        subprocess.run([self.runtime, "--root", self.path("run"), "delete", "--force", "bench"],
                       check=True, stderr=subprocess.DEVNULL)

    def creates(self, granted):
        return self.both(self.create_args(), before=lambda: self.new_bundle(granted), after=self.delete)

    def execs(self):
        return self.both(["exec", "--process", self.path("process.json"), "bench"], before=self.new_process)

    def begin(self, granted):
        """A container that runs, made through the shim"""
        self.new_bundle(granted)
        self.command("create", self.shim, self.create_args()).run(self.path("launched"))
        self.command("start", self.runtime, ["start", "bench"]).run(self.path("launched"))
        if ("NCCL_IB_HCA" in json.dumps(self.read("bundle/config.json"))) != granted:
            raise RuntimeError(f"granted: {granted}, but its config.json says otherwise")
