"""nri_missed.py PROGRAM DIRECTORY PATIENT: oci-rdma-nri connects to a runtime whose containers were created while it was away. TAP on stdout.
The node and its processes are a recorded tree; that a limit is really raised is the virtual machine's to say (tests/vm/jobs/nri)."""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from nri_peer import PATIENCE, PLUGIN, REQUEST, SERVICE, Runtime, container, pack  # noqa: E402

PROGRAM, T = sys.argv[1:3]
PATIENT = sys.argv[-1]  # PROGRAM, but for its patience (tests/safety.mk); nri_alerts.py, which imports this, has no use for it
NODE = os.path.join(T, "node")
RUN = os.path.join(NODE, "run/oci-rdma-hook")
NOTES = os.path.join(RUN, "decisions")
REFUSALS = os.path.join(RUN, "refusals")
SOCKET = os.path.join(NODE, "var/run/nri/nri.sock")
METRICS = os.path.join(T, "metrics.prom")
LOG = os.path.join(T, "log")
ASKS = {"oci-rdma-hook.io/inject": "true"}
TWO = (("/dev/infiniband/uverbs6", 231, 198), ("/dev/infiniband/uverbs7", 231, 199))
RUNNING, STOPPED, CREATED = 3, 4, 1
failed = 0


def ok(what, good, detail=""):
    global failed
    print(("ok" if good else "not ok") + " - " + what, flush=True)
    if not good:
        failed = 1
        print("#   " + str(detail)[:3000].replace("\n", "\n#   "), flush=True)


def equal(what, want, got):
    ok(what, want == got, f"want: {want!r}\ngot:  {got!r}")


def until(condition):
    end = time.monotonic() + PATIENCE
    while True:
        result = condition()
        if result:
            return result
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.01)


# ---- the scene ----

def write(path, text):
    path = os.path.join(NODE, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def config(text):
    write("etc/oci-rdma-hook/config.json", text)


def make_node(pids="pid:[4026531836]"):
    shutil.rmtree(NODE, ignore_errors=True)
    subprocess.run([sys.executable, "-IS", "tests/nodes/mknode", "tests/nodes/h100.json", NODE], check=True)
    os.makedirs(os.path.dirname(SOCKET), mode=0o700)
    os.makedirs(os.path.join(NODE, "run"), exist_ok=True)
    os.makedirs(os.path.join(NODE, "proc/self/ns"), exist_ok=True)
    os.symlink(pids, os.path.join(NODE, "proc/self/ns/pid"))
    config('{"namespaces": ["team-a"]}')


POD = "kubepods.slice/kubepods-pod1.slice"


def process(pid, id, limit, where=POD, below=""):
    """A process, with its cgroup, where the engine makes it"""
    cgroup = f"{where}/cri-containerd-{id}.scope{below}"
    write(f"proc/{pid}/cgroup", f"0::/{cgroup}\n")
    write(f"proc/{pid}/limits", f"Limit                     Soft Limit           Hard Limit           Units     \n"
          f"Max locked memory         {limit:<20} {limit:<20} bytes     \n")
    write(f"sys/fs/cgroup/{cgroup}/cgroup.procs", f"{pid}\n")


def gone(id):
    shutil.rmtree(os.path.join(NODE, f"sys/fs/cgroup/{POD}/cri-containerd-{id}.scope"))


def identity(number):
    return f"{number:064x}"


def known(number, pid=0, state=RUNNING, created=1795000000, annotations=ASKS, devices=TWO, pod="h-kim-0", namespace="team-a", **more):
    """Pod and container as Synchronize has them"""
    request = container(id=identity(number), pod=pod, namespace=namespace, annotations=annotations, devices=devices,
                        cgroup=f"kubepods-pod1.slice:cri-containerd:{identity(number)}", **more)
    sandbox, body = split(request)
    sandbox = pack((1, f"pod-{number}")) + sandbox[2 + 64:]
    body = body.replace(b"\x12\x40" + b"5" * 64, pack((2, f"pod-{number}")), 1)
    return sandbox, body + pack((4, state), (12, pid or None), (14, created * 10**9 if created else None))


def split(request):
    """The two fields of a CreateContainerRequest"""
    fields = []
    while request:
        place, length, shift = 1, 0, 0
        while True:
            byte = request[place]
            length |= (byte & 0x7f) << shift
            shift += 7
            place += 1
            if not byte & 0x80:
                break
        fields.append(request[place:place + length])
        request = request[place + length:]
    return fields


def payload(*items, pods=True, containers=True):
    return pack((1, [pod for pod, _ in items] if pods else []), (2, [body for _, body in items] if containers else []))


class Plugin:
    def __init__(self, *front, metrics=True, program=PROGRAM):
        self.log = open(LOG, "w+")
        self.process = subprocess.Popen([*front, program, "--sysroot", NODE, *(["--metrics", METRICS] if metrics else [])], stderr=self.log,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.place = 0

    def lines(self):
        with open(LOG) as f:
            f.seek(self.place)
            text = f.read()
            self.place = f.tell()
        return [line for line in text.splitlines() if "connected" not in line.split("reason=")[0]]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    def kilobytes(self, name):
        with open(f"/proc/{self.process.pid}/status") as f:
            return int(re.search(name + r":\s+(\d+) kB", f.read()).group(1))

    def is_stopped(self):
        with open(f"/proc/{self.process.pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "T"

    def release(self):
        """Ends the tracer, which a delayed child keeps"""
        with open(f"/proc/{self.process.pid}/status") as f:
            os.kill(int(re.search(r"TracerPid:\s+(\d+)", f.read()).group(1)), signal.SIGKILL)

    def children(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as f:
            return f.read().split()


def check():
    done = subprocess.run([PROGRAM, "--sysroot", NODE, "--check"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def status():
    with open(os.path.join(RUN, "nri.json")) as f:
        return json.load(f)


def note(number):
    try:
        with open(os.path.join(NOTES, identity(number) + ".json")) as f:
            return json.load(f)
    except FileNotFoundError:
        return None


def metric(name):
    with open(METRICS) as f:
        return int(re.search(rf"^{name} (\d+)$", f.read(), re.M).group(1))


def forget_status():
    """What is read after that was written after that."""
    until(lambda: os.path.exists(os.path.join(RUN, "nri.json")))
    os.remove(os.path.join(RUN, "nri.json"))


def looked(plugin):
    """The child has ended, and the status says what it has found."""
    until(lambda: not plugin.children())
    time_of_write = os.stat(os.path.join(RUN, "nri.json")).st_mtime_ns
    until(lambda: os.stat(os.path.join(RUN, "nri.json")).st_mtime_ns > time_of_write or status()["missed"]["found"] or status()["missed"]["unseen"])
    return status()["missed"]


def connect(runtime, *items, **how):
    connection = runtime.accept()
    connection.registered()
    connection.configure()
    connection.synchronize(payload(*items), **how)
    return connection


# ---- what is missed, and what is not ----

def missed(runtime, plugin):
    process(4711, identity(1), 8 << 20)
    process(4712, identity(2), "unlimited")
    process(4713, identity(3), 8 << 20)
    process(4714, identity(4), 8 << 20)
    process(4715, identity(5), 8 << 20)
    process(4716, identity(99), 8 << 20)  # another container's by now
    process(4717, identity(8), 8 << 20)
    ones = [known(1, 4711, pod="rank-0"), known(2, 4712), known(3, 4713, devices=()), known(4, 4714, annotations={}),
            known(5, 4715, namespace="other"), known(6, 4716), known(7, 4719), known(8, 4717, state=STOPPED),
            known(9, 4720, devices=[("/dev/nvidia0", 195, 0)])]
    connection = connect(runtime, *ones)
    found = looked(plugin)
    equal("the one that asks, has a device and lacks the limit is missed", [identity(1)], [one["id"] for one in found["containers"]])
    equal("it is counted", (1, 1, 0, 0), tuple(found[name] for name in ("found", "open", "mended", "unseen")))
    equal("it has its pod's name", "team-a/rank-0/trainer", found["containers"][0]["container"])
    lines = plugin.lines()
    equal("one line in the log", 1, len(lines))
    for part in ("oci-rdma-nri: missed: ", f"container={identity(1)}", "pod=rank-0", "namespace=team-a", "devices=mlx5_6,mlx5_7", "by=nri",
                 "created 2026-11-18T", "the plugin is connected since 20", "8 MiB", "delete the pod"):
        ok(f"the line has {part}", part in " ".join(lines), lines)
    code, said = check()
    equal("--check: a connected plugin", 0, code)
    ok("--check names it, and says what to do", "missed      1 containers" in said and "team-a/rank-0/trainer" in said and "recreate" in said, said)
    until(lambda: os.path.exists(METRICS) and metric("oci_rdma_nri_missed_containers"))
    equal("the metrics", (1, 0), (metric("oci_rdma_nri_missed_containers"), metric("oci_rdma_nri_unseen_containers")))
    equal("a note says so", ("missed", "rank-0", "team-a", "nri"), tuple((note(1) or {}).get(name) for name in ("result", "pod", "namespace", "entry_point")))
    equal("no other container has a note", [identity(1) + ".json"], sorted(os.listdir(NOTES)))
    equal("its author is told, of no other container", [identity(1) + ".missed.json"], sorted(os.listdir(REFUSALS)))
    with open(os.path.join(REFUSALS, identity(1) + ".missed.json")) as f:
        told = json.load(f)
    equal("the record is of that pod", ("missed", "rank-0", "team-a", "trainer", "nri"),
          tuple(told[name] for name in ("result", "pod", "namespace", "container", "entry_point")))
    ok("and has the reason of the log", told["reason"] in lines[0], told)
    os.remove(os.path.join(REFUSALS, identity(1) + ".missed.json"))
    forget_status()
    connection.close()
    connection = connect(runtime, *ones)
    until(lambda: os.path.exists(os.path.join(RUN, "nri.json")) and status()["connected_since"] and status()["missed"]["open"] == 1)
    until(lambda: not plugin.children())
    equal("after another connection it is still missed, and counted once", (1, [identity(1)]),
          (status()["missed"]["found"], [one["id"] for one in status()["missed"]["containers"]]))
    equal("and not logged again", [], plugin.lines())
    equal("nor is its author told again", [], os.listdir(REFUSALS))
    connection.close()
    process(4711, identity(1), "unlimited")
    connection = connect(runtime, *ones)
    until(lambda: status()["missed"]["open"] == 0)
    ok("one that was given the limit meanwhile is missed no more", True)
    connection.close()


def ends(runtime, plugin):
    """With the plugin's own look every 30 s, which PATIENCE allows"""
    process(4711, identity(1), 8 << 20)
    connection = connect(runtime, known(1, 4711))
    looked(plugin)
    gone(identity(1))
    until(lambda: status()["missed"]["open"] == 0)
    equal("one that has ended is missed no more, without another connection", [], status()["missed"]["containers"])
    equal("it was counted", 1, status()["missed"]["found"])
    connection.close()


def decided(runtime, plugin):
    """What a plugin has decided about is not missed, whatever its limit is."""
    connection = runtime.accept().begin()
    connection.create(id=identity(21), annotations=ASKS, devices=TWO)
    connection.create(id=identity(22), annotations=ASKS, devices=TWO, namespace="other")
    connection.create(id=identity(23), annotations=ASKS)
    connection.create(id=identity(24), devices=TWO)
    connection.create(id=identity(25))
    until(lambda: all(note(n) for n in range(21, 25)))  # each child writes its own, after its answer
    equal("notes of what was decided", {21: "granted", 22: "denied", 23: "nothing", 24: "nothing", 25: None},
          {n: (note(n) or {}).get("result") for n in range(21, 26)})
    equal("a grant's note has the annotations, the policy, the limit and the variables",
          ({"inject": "true"}, "/etc/oci-rdma-hook/config.json", 2**64 - 1, {"NCCL_IB_HCA": "=mlx5_6,mlx5_7"}),
          tuple(note(21)[name] for name in ("annotations", "policy", "memlock", "env")))
    ok("a denial's note says why", "namespace other is not among" in note(22)["reason"], note(22))
    equal("one without an annotation: the note says that none was there", {}, note(24)["annotations"])
    equal("notes are for root alone", (0o700, 0o600), (os.stat(NOTES).st_mode & 0o777, os.stat(os.path.join(NOTES, identity(21) + ".json")).st_mode & 0o777))
    connection.close()
    plugin.lines()
    for n in (21, 22):
        process(4700 + n, identity(n), 8 << 20)
    os.utime(os.path.join(NOTES, identity(23) + ".json"), (1795000000, 1795000000))
    connection = connect(runtime, known(21, 4721), known(22, 4722, namespace="other"))
    until(lambda: not plugin.children())
    until(lambda: not note(23))
    equal("containers that are gone have no note any more; one that may be made at this moment keeps it", [21, 22, 24],
          [n for n in range(21, 26) if note(n)])
    equal("what was decided is not missed", ([], 0), (plugin.lines(), status()["missed"]["found"]))
    connection.close()


def stopped(runtime, plugin):
    """The runtime asks while the plugin is stopped, does not wait for it any longer, and lets the container begin."""
    connection = runtime.accept().begin()
    until(lambda: status()["connected_since"])
    plugin.lines()
    plugin.process.send_signal(signal.SIGSTOP)
    until(plugin.is_stopped)  # until then it may see the request without the end of the connection
    ask(connection, 31)
    connection.close()
    plugin.process.send_signal(signal.SIGCONT)
    process(4731, identity(31), 8 << 20)
    connection = connect(runtime, known(31, 4731))
    equal("asked while it was stopped: it is missed", [identity(31)], [one["id"] for one in looked(plugin)["containers"]])
    equal("…and never called granted", (["missed"], "missed"), ([line.split(": ")[1] for line in plugin.lines()], note(31)["result"]))
    connection.close()


def ask(connection, number):
    """CreateContainer, without a wait for the answer"""
    connection.send(PLUGIN, connection.call, REQUEST, pack((1, SERVICE), (2, "CreateContainer"), (
        3, container(id=identity(number), annotations=ASKS, devices=TWO)), (4, 1999900000)))


def not_taken(runtime, _):
    """The runtime goes on while the plugin decides: the answer, a grant, cannot be sent. Then it comes back, or the plugin ends."""
    function = os.path.join(NODE, "sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6/infiniband_verbs/uverbs6")
    for limit, result in (8 << 20, "missed"), ("unlimited", None), ("not looked at", None):
        plugin = Plugin("strace", "-D", "-f", "-o", "/dev/null", "-P", function, "-e", "inject=openat:delay_enter=3600000000", metrics=False,
                        program=PATIENT)
        connection = runtime.accept().begin()
        connection.create(id=identity(32), devices=())
        until(lambda p=plugin: not p.children())  # that looked at what was there
        ask(connection, 33)
        until(lambda p=plugin: p.children())
        connection.close()
        plugin.release()
        until(lambda p=plugin: any("grant: " in line for line in p.lines()))
        process(4733, identity(33), limit)
        if limit == "not looked at":
            until(lambda: note(33))
            runtime.accept().close()  # it comes again, so it knows that the answer was not taken
            runtime.stop()
            plugin.end()
            runtime.listen()
            equal("the answer could not be sent, and the plugin ends: the next one finds no note", None, note(33))
            return
        connection = connect(runtime, known(33, 4733))
        until(lambda p=plugin: not p.children())
        until(lambda: status()["missed"]["found"] or not result)
        equal(f"the answer could not be sent, and the limit is {limit}", (result, int(bool(result))), ((note(33) or {}).get("result"), status()["missed"]["found"]))
        shutil.rmtree(NOTES)
        plugin.end()
        connection.close()


def apart(runtime, plugin):
    """A container before its pod, and in another message"""
    process(4711, identity(1), 8 << 20)
    one = known(1, 4711, pod="late")
    connection = runtime.accept()
    connection.registered()
    connection.configure()
    connection.synchronize(payload(one, pods=False), more=True)
    connection.synchronize(payload(known(2, 4799), containers=False), more=True)
    connection.synchronize(payload(one, containers=False))
    equal("a container that comes before its pod", "team-a/late/trainer", looked(plugin)["containers"][0]["container"])
    connection.close()


def starts(runtime, plugin):
    """The runtime says that a container is about to start: by NRI 0.6's event, and by 0.12's own method"""
    connection = runtime.accept().begin()
    until(lambda: status()["connected_since"])
    plugin.lines()
    number = [40]

    def start(by, **what):
        number[0] += 1
        request = container(id=identity(number[0]), **what)
        if by == "StateChange":
            pod, body = split(request)
            request = pack((1, 6), (2, pod), (3, body))
        answer = connection.request(by, request)
        until(lambda: not plugin.children())
        return answer.status, answer.text, [line.split(": ")[1] for line in plugin.lines()]

    asks = {"annotations": ASKS, "devices": TWO}
    for by in ("StateChange", "StartContainer"):
        equal(f"{by}: one that no plugin was asked about is missed, and starts", (0, "", ["missed"]), start(by, **asks))
        equal(f"{by}: …its note says so", "missed", note(number[0])["result"])
        equal(f"{by}: one without a device, one that does not ask, and one that has its variables: nothing", [(0, "", [])] * 3,
              [start(by, annotations=ASKS), start(by, devices=TWO), start(by, env=["NCCL_IB_HCA==mlx5_6,mlx5_7"], **asks)])
        connection.create(id=identity(number[0] + 1), **asks)
        until(lambda: note(number[0] + 1) and not plugin.children())
        plugin.lines()
        equal(f"{by}: one that was granted: nothing", (0, "", []), start(by, env=["NCCL_IB_HCA==mlx5_6,mlx5_7"], **asks))
        connection.create(id=identity(number[0] + 1), **asks)
        until(lambda: note(number[0] + 1) and not plugin.children())
        plugin.lines()
        equal(f"{by}: one whose grant the runtime never had is missed", (0, "", ["missed"]), start(by, **asks))
        config('{"namespaces": ["team-a"], "on_missed": "refuse"}')
        code, text, said = start(by, **asks)
        ok(f"{by}, on_missed refuse: it does not start, and the text says why", (code, said) == (13, ["missed"]) and '"on_missed": "refuse"' in text, (code, text, said))
        equal(f"{by}, on_missed refuse: one without a device starts", (0, "", []), start(by, annotations=ASKS))
        number[0] -= 1
        config('{"namespaces": ["team-a"]}')
    equal("another event is nothing", 0, connection.request("StateChange", pack((1, 3))).status)
    until(lambda: status()["missed"]["found"] == 6)
    equal("each is in the status", 6, len(status()["missed"]["containers"]))
    connection.close()


def without_pids(runtime, plugin):
    """A DaemonSet without hostPID: what stands in /proc is its own"""
    process(4711, identity(99), 8 << 20)
    ones = [known(1, 4711), known(2, 4712, rlimits=[("RLIMIT_MEMLOCK", 2**64 - 1, 2**64 - 1)]), known(3, 0, state=CREATED)]
    connection = connect(runtime, *ones)
    until(lambda: status()["missed"]["found"] == 2)
    until(lambda: not plugin.children())
    equal("no plugin has decided about it, and it cannot be seen: missed; not one whose spec has the limit", [identity(1), identity(3)],
          [one["id"] for one in status()["missed"]["containers"]])
    line = " ".join(plugin.lines())
    ok("the log says that the limit cannot be seen", "cannot be seen from here" in line, line)
    connection.close()
    config('{"on_missed": "mend"}')
    shutil.rmtree(NOTES)
    connection = connect(runtime, ones[0])
    until(lambda: status()["missed"]["found"] == 3)
    until(lambda: not plugin.children())
    line = " ".join(plugin.lines())
    ok("mend: the log says what it needs", 'on_missed "mend" needs the node\'s pid namespace (hostPID)' in line and "missed: " in line, line)
    connection.close()


SOFT, PLAN, HARD = 64 << 10, 1 << 20, 2 << 20  # no right is needed to raise a limit so far


class Sleeper:
    """A real process, whose limit can be raised, in a cgroup of the recorded tree"""

    def __init__(self, id, **where):
        self.process = subprocess.Popen(["sleep", "600"], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (SOFT, HARD)))
        process(self.process.pid, id, SOFT, **where)
        # Also the kernel says so of it, where a mount can say it
        self.said = os.path.join(NODE, f"proc/{self.process.pid}/cgroup"), f"/proc/{self.process.pid}/cgroup"
        if os.environ.get("OWN_NAMESPACE"):
            subprocess.run(["mount", "--bind", *self.said], check=True)

    def limit(self):
        return resource.prlimit(self.process.pid, resource.RLIMIT_MEMLOCK)[0]

    def end(self):
        if os.environ.get("OWN_NAMESPACE"):
            subprocess.run(["umount", self.said[1]], check=True)
        self.process.kill()
        self.process.wait()


def mended(runtime, plugin):
    config(f'{{"on_missed": "mend", "memlock": "{PLAN}"}}')
    forged = "user.slice/user-1000.slice/user@1000.service/app.slice"
    own, below = Sleeper(identity(1)), Sleeper(identity(1), below="/container/one")
    others = [Sleeper(identity(1), where=where) for where in (forged, f"{forged}/{POD}", "kubepods.slice/kubepods-pod2.slice", "system.slice")]
    others.append(Sleeper(identity(2)))
    everybody = [own, below, *others]
    ones = [known(1, own.process.pid), known(3, 4713)]
    try:
        process(4713, identity(3), 8 << 10)
        gone(identity(3))
        connection = connect(runtime, *ones)
        until(lambda: status()["missed"]["found"] == 2)
        until(lambda: not plugin.children())
        equal("mend: the processes below the container's cgroup, as the engine made it, are raised, and no other's that is called so", [PLAN] * 2 + [SOFT] * 5,
              [one.limit() for one in everybody])
        lines = plugin.lines()
        ok("mend: …which is said, with their number", any("mended: " in line and "its 2 processes is raised" in line for line in lines), lines)
        ok("mend: a container without a process there is missed, and the reason is said", any("missed: " in line and identity(3) in line and
           f"on_missed \"mend\": no process is found in /sys/fs/cgroup/{POD}/cri-containerd-{identity(3)}.scope" in line for line in lines), lines)
        equal("mend: the notes", ("mended", "missed"), (note(1)["result"], note(3)["result"]))
        equal("mend: the status counts it, and it is open no more", (2, 1, 1), tuple(status()["missed"][name] for name in ("found", "mended", "open")))
        equal("mend: …and names it", [(identity(1), True), (identity(3), False)], [(one["id"], one["mended"]) for one in status()["missed"]["containers"]])
        forget_status()
        connection.close()
        connection = connect(runtime, *ones)
        until(lambda: os.path.exists(os.path.join(RUN, "nri.json")) and len(status()["missed"]["containers"]) == 2)
        until(lambda: not plugin.children())
        equal("mend: after another connection: counted once", (2, 1, 1), tuple(status()["missed"][name] for name in ("found", "mended", "open")))
        equal("mend: …and not said again", [], plugin.lines())
        connection.close()
        config('{}')
        shutil.rmtree(NOTES)
        forget_status()
        connection = connect(runtime, known(1, own.process.pid), known(2, others[-1].process.pid))
        until(lambda: os.path.exists(os.path.join(RUN, "nri.json")) and status()["missed"]["open"] == 2)
        until(lambda: not plugin.children())
        equal("report: nothing is raised", SOFT, others[-1].limit())
        connection.close()
    finally:
        for one in everybody:
            one.end()


def mended_at_start(runtime, plugin):
    """containerd does not say the process of a container that is about to start: it is in its cgroup."""
    config(f'{{"on_missed": "mend", "memlock": "{PLAN}"}}')
    sleeper = Sleeper(identity(1))
    connection = runtime.accept().begin()
    until(lambda: status()["connected_since"])
    plugin.lines()
    try:
        connection.request("StartContainer", start_of(1))
        until(lambda: not plugin.children())
        equal("start, mend: the process is raised before its program runs", PLAN, sleeper.limit())
        equal("start, mend: …which is said", ["mended"], [line.split(": ")[1] for line in plugin.lines()])
        until(lambda: status()["missed"]["mended"] == 1)
        equal("start, mend: …and counted", (1, 1, 0), tuple(status()["missed"][name] for name in ("found", "mended", "open")))
        process(4712, identity(2), "unlimited")
        connection.request("StartContainer", start_of(2))
        process(4713, identity(3), 8 << 10)
        config('{}')
        connection.request("StartContainer", start_of(3))
        until(lambda: not plugin.children())
        lines = plugin.lines()
        ok("start: the limit of the process is looked at: one that has it is not missed, one that lacks it is",
           len(lines) == 1 and identity(3) in lines[0] and "first process is 8192 bytes" in lines[0], lines)
    finally:
        sleeper.end()
        connection.close()


def start_of(number, annotations=ASKS):
    return container(id=identity(number), annotations=annotations, devices=TWO, cgroup=f"kubepods-pod1.slice:cri-containerd:{identity(number)}")


def unwritten(runtime, plugin):
    """Where no note can be written, a container that was granted has none; without variables nothing else shows the grant."""
    connection = runtime.accept().begin()
    until(lambda: status()["connected_since"])
    write("run/oci-rdma-hook/decisions", "no directory")
    limit_alone = {**ASKS, "oci-rdma-hook.io/nccl": "false"}
    for policy in ("{}", '{"on_missed": "refuse"}'):
        config(policy)
        connection.create(id=identity(1), annotations=limit_alone, devices=TWO)
        until(lambda: not plugin.children())
        ok("control: it was granted", any("grant: " in line for line in plugin.lines()))
        answer = connection.request("StartContainer", start_of(1, limit_alone))
        until(lambda: not plugin.children())
        lines = plugin.lines()
        equal(f"no note can be written, {policy}: nobody knows whether it is missed, so it starts", (0, []),
              (answer.status, [line for line in lines if "missed: " in line]))
        ok("…and that no note could be written is said", any("cannot write a note" in line for line in lines), lines)
    answer = connection.request("StartContainer", start_of(3))
    equal("…but for one that lacks its variables", (13, True), (answer.status, any("missed: " in line for line in until(plugin.lines))))
    process(4712, identity(2), 8 << 10)
    answer = connection.request("StartContainer", start_of(2, limit_alone))
    until(lambda: not plugin.children())
    equal("…and for one whose limit is seen to be too low", (13, True), (answer.status, any("missed: " in line for line in plugin.lines())))
    until(lambda: status()["missed"]["found"] == 2)
    forget_status()
    connection.close()
    connection = connect(runtime, known(4, 0, state=CREATED, annotations=limit_alone))
    until(lambda: os.path.exists(os.path.join(RUN, "nri.json")) and status()["missed"]["unseen"])
    until(lambda: not plugin.children())
    equal("…and after another connection it could not be decided about", (2, 1), tuple(status()["missed"][name] for name in ("found", "unseen")))
    equal("…which is not called missed", [], [line for line in plugin.lines() if "missed: " in line])
    connection.close()


def starts_late(runtime, _):
    """The look at one that starts takes longer than the runtime waits"""
    function = os.path.join(NODE, "sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6/infiniband_verbs/uverbs6")
    plugin = Plugin("strace", "-D", "-f", "-o", "/dev/null", "-P", function, "-e", "inject=openat:delay_enter=3600000000", metrics=False)
    config('{"on_missed": "refuse"}')
    connection = runtime.accept().begin()
    answer = connection.request("StartContainer", start_of(1))
    equal("start: what takes too long starts", (0, b""), (answer.status, answer.payload))
    lines = until(plugin.lines)
    ok("start: …which is said, with the container", any(f"StartContainer: container={identity(1)}: not finished in time" in line for line in lines), lines)
    until(lambda: status()["missed"]["unseen"])
    equal("start: …and counted as one that could not be seen", (0, 1), tuple(status()["missed"][name] for name in ("found", "unseen")))
    equal("start: the plugin goes on", 0, connection.request("StartContainer", container(id=identity(2))).status)
    plugin.release()
    plugin.end()
    connection.close()


def asked_by_device(runtime, plugin):
    config('{"opt_in": "device"}')
    process(4711, identity(1), 8 << 20)
    connection = connect(runtime, known(1, 4711, annotations={}, pod="plain"))
    equal("opt_in device: a pod without an annotation", "team-a/plain/trainer", looked(plugin)["containers"][0]["container"])
    connection.close()


def stuck(runtime, plugin):
    """A policy that cannot be read, which none of the containers is to blame for"""
    config('{"memlok": 1}')
    process(4711, identity(1), 8 << 20)
    connection = connect(runtime, known(1, 4711))
    equal("what cannot be decided about is counted", (0, 1), tuple(looked(plugin)[name] for name in ("found", "unseen")))
    ok("and said", "memlok" in " ".join(plugin.lines()))
    code, said = check()
    ok("--check says so", "not seen    1 containers" in said, said)
    connection.close()


def cut_short(runtime, plugin):
    """The child ends before it has looked at all: here because the node's root is not there"""
    process(4711, identity(1), 8 << 20)
    connection = runtime.accept()
    connection.registered()
    connection.configure()
    os.rename(NODE, NODE + ".away")
    connection.synchronize(payload(known(1, 4711)))
    seen = []
    until(lambda: seen.extend(plugin.lines()) or any("were looked at" in line for line in seen))
    os.rename(NODE + ".away", NODE)
    ok("a look that ended early is said, with its reason before it", any("ended early" in line for line in seen), seen)
    ok("…which names the root", any(NODE in line and "were looked at" not in line for line in seen), seen)
    until(lambda: not plugin.children() and os.path.exists(os.path.join(RUN, "nri.json")))
    equal("…and counted", 1, until(lambda: status()["missed"]["unseen"]))
    connection.close()
    connection = connect(runtime, known(1, 4711))
    until(lambda: status()["missed"]["found"])
    equal("control: the next look finds it", (1, 0), tuple(status()["missed"][name] for name in ("found", "unseen")))
    ok("…and nothing ended early", not any("ended early" in line for line in plugin.lines()))
    connection.close()


# ---- size, time, files ----

MANY = 8000


def many(n):
    """Containers of a message each as large as real ones, some with a device"""
    pod, body = known(7, 4242, annotations={}, devices=(), env=["A=" + "b" * 900] * 3)
    return [(pod.replace(b"pod-7", b"p%04d" % (i % 1000)), body.replace(identity(7).encode(), f"{i + 1000:064x}".encode())) for i in range(n)]


def synchronize(connection, items, at_once=500):
    for place in range(0, len(items), at_once):
        connection.synchronize(payload(*items[place:place + at_once]), more=place + at_once < len(items), frame=1 << 20)


def large(runtime, plugin):
    process(4711, identity(1), 8 << 20)
    items = many(MANY) + [known(1, 4711)]
    connection = runtime.accept()
    connection.registered()
    connection.configure()
    synchronize(connection, items)
    equal(f"{MANY} others: the one that is missed is found", [identity(1)], [one["id"] for one in looked(plugin)["containers"]])
    peak = plugin.kilobytes("VmHWM")
    print(f"# {MANY} containers: {peak} KiB resident at most")
    told = sum(len(pod) + len(body) for pod, body in items) // 1024
    ok(f"{MANY} containers: 2 MiB, what the runtime has told, and a message of it, resident at most",
       peak < 2048 + told * 1.1 or "sanitizer" in os.environ.get("KIND", ""), (peak, told))
    until(lambda: plugin.kilobytes("VmRSS") < 2048 or "sanitizer" in os.environ.get("KIND", ""))
    connection.close()


def crowded(runtime, plugin):
    """More than there is room for: said, never silent"""
    connection = runtime.accept()
    connection.registered()
    connection.configure()
    synchronize(connection, [known(i, env=["A=" + "x" * 1100000]) for i in range(1, 32)], 1)
    until(lambda: status()["missed"]["unseen"] > 0)
    line = " ".join(plugin.lines())
    ok("more than there is room for: the log says so", "not all containers are looked at" in line, line[:400])
    connection.close()


def filled(runtime, plugin):
    """Pods without a device, of another namespace, whose authors would fill the room"""
    process(4711, identity(1), 8 << 20)
    claim = "PCIDEVICE_A_B=" + "0000:5d:00.3," * 2100
    own = {"oci-rdma-hook.io/inject": "true", "oci-rdma-hook.io/containers": "a" * 27000}
    items = [known(i, 0, namespace="other", devices=(), env=[claim]) for i in range(100, 140)]
    items += [known(i, 0, namespace="other", devices=(), annotations=own, own=own) for i in range(140, 180)]
    items += [known(i, 0, namespace="other", devices=(), env=[claim], annotations=own, rules=[(True, "a", None, None, "rwm")]) for i in range(180, 190)]
    items.append(known(1, 4711))
    connection = runtime.accept()
    connection.registered()
    connection.configure()
    synchronize(connection, items, 20)
    until(lambda: status()["missed"]["found"] or status()["missed"]["unseen"])
    equal("authors of pods without a device write much: what was missed is found, and none is unseen", ([identity(1)], 0),
          ([one["id"] for one in status()["missed"]["containers"]], status()["missed"]["unseen"]))
    connection.close()


def files(runtime, _):
    """What is not ours costs no file."""
    counts = []
    for n in (10, 1000):
        trace = os.path.join(T, "trace")
        plugin = Plugin("strace", "-D", "-f", "-e", "trace=openat,openat2,open,fork,clone,vfork", "-o", trace, metrics=False)
        connection = runtime.accept()
        connection.registered()
        connection.configure()
        synchronize(connection, many(n))
        until(lambda: os.path.exists(os.path.join(RUN, "nri.json")) and status()["connected_since"])
        plugin.end()
        until(lambda: "+++ exited" in open(trace).read())
        with open(trace) as f:
            text = f.read()
        opened = re.findall(r"open\w*\(\S+ \"([^\"]*)", text)
        counts.append((sorted({name for name in opened if re.match("(proc|sys|dev|etc)/", name)}), len(re.findall(r"clone\(|fork\(", text))))
        connection.close()
        ok(f"control: the trace has the status file, {n} containers", "nri.json" in text or "oci-rdma-hook" in text, text[:500])
    equal("for containers that are not ours no file of the node is opened; one child has looked at them all", [([], 1)] * 2, counts)


def main():
    runtime = None
    scenes = [missed, ends, decided, stopped, not_taken, starts, starts_late, unwritten, mended, mended_at_start, apart, without_pids, asked_by_device, stuck, cut_short, large, crowded, filled, files]
    chosen = os.environ.get("SCENES", "").split()
    for scene in scenes:
        if chosen and scene.__name__ not in chosen:
            continue
        make_node("pid:[4026532000]" if scene is without_pids else "pid:[4026531836]")
        runtime = Runtime(SOCKET)
        plugin = None if scene in (files, not_taken, starts_late) else Plugin()
        try:
            scene(runtime, plugin)
        except Exception as e:  # pylint: disable=broad-except
            ok(f"{scene.__name__}: {type(e).__name__}", False, f"{e}\n{open(LOG).read()}")
            raise
        finally:
            if plugin:
                plugin.end()
            runtime.stop()
    return failed


if __name__ == "__main__":
    sys.exit(main())
