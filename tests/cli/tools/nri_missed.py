"""nri_missed.py PROGRAM DIRECTORY: oci-rdma-nri connects to a runtime whose containers were created while it was away. TAP on stdout.
The node and its processes are a recorded tree; that a limit is really raised is the virtual machine's to say (tests/vm/jobs/nri)."""
import itertools
import json
import os
import re
import resource
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import nri_scene  # noqa: E402
from nri_peer import PLUGIN, REQUEST, SERVICE, container, pack  # noqa: E402
from nri_scene import ASKS, FUNCTION, NODE, RECORDS, SHIPPED, STATUS, T, TWO, check, config, equal, ok, stalled, status, until, write  # noqa: E402
from protobuf import unpack  # noqa: E402

ENGINE = "containerd " + os.path.join(NODE, "var/run/nri/nri.sock")
METRICS = os.path.join(T, "metrics.prom")
RUNNING, STOPPED = 3, 4
DEVICE = os.path.join(FUNCTION, "infiniband_verbs/uverbs6")


# ---- the scene ----

def make_node():
    nri_scene.make_node('{"namespaces": ["team-a"]}')


POD = "kubepods.slice/kubepods-pod1.slice"


def process(pid, id, limit, where=POD):
    """A process, with its cgroup, where the engine makes it"""
    cgroup = f"{where}/cri-containerd-{id}.scope"
    write(f"proc/{pid}/cgroup", f"0::/{cgroup}\n")
    write(f"proc/{pid}/limits", f"Limit                     Soft Limit           Hard Limit           Units     \n"
          f"Max locked memory         {limit:<20} {limit:<20} bytes     \n")
    write(f"sys/fs/cgroup/{cgroup}/cgroup.procs", f"{pid}\n")


def identity(number):
    return f"{number:064x}"


def known(number, pid=0, state=RUNNING, annotations=ASKS, devices=TWO, pod="h-kim-0", namespace="team-a", **more):
    """Pod and container as Synchronize has them"""
    request = container(id=identity(number), pod=pod, namespace=namespace, annotations=annotations, devices=devices,
                        cgroup=f"kubepods-pod1.slice:cri-containerd:{identity(number)}", **more)
    sandbox, body = split(request)
    sandbox = pack((1, f"pod-{number}")) + sandbox[2 + 64:]
    body = body.replace(b"\x12\x40" + b"5" * 64, pack((2, f"pod-{number}")), 1)
    return sandbox, body + pack((4, state), (12, pid or None))


def split(request):
    """The two fields of a CreateContainerRequest"""
    fields = unpack(request)
    return fields[1][0], fields[2][0]


def payload(*items, pods=True, containers=True):
    return pack((1, [pod for pod, _ in items] if pods else []), (2, [body for _, body in items] if containers else []))


class Plugin(nri_scene.Plugin):
    program = SHIPPED

    def __init__(self, metrics=True, **more):
        """metrics: a child writes them; where its children are looked at, it has none of that kind"""
        super().__init__(*(["--metrics", METRICS] if metrics else []), **more)

    def lines(self):
        return [line for line in super().lines() if "connected" not in line.split("reason=")[0]]

    def words(self):
        """What was said of the containers, when all children have ended"""
        return [line.split(": ")[1] for line in self.settle().lines()]

    def settle(self):
        until(lambda: not self.processes())
        return self


def record_files():
    """The names of the records, which end in the container's id"""
    return sorted(os.listdir(RECORDS)) if os.path.isdir(RECORDS) else []


def file_of(number):
    return next((os.path.join(RECORDS, name) for name in record_files() if name.endswith(f"_{identity(number)}.json")), None)


def record(number):
    try:
        with open(file_of(number) or "") as f:
            return json.load(f)
    except FileNotFoundError:
        return None


def metric(name):
    with open(METRICS) as f:
        return int(re.search(rf"^{name} (\d+)$", f.read(), re.M).group(1))


def listed():
    """What --check names of them: (missed or mended, the rest of the line)"""
    return re.findall(r"^(missed|mended) +(.*)$", check()[1], re.M)


def counted(named, missing=None, unseen=None):
    """--check names so many, and so many of them as missed. Returns their numbers, below 0: mended."""
    until(lambda: os.path.exists(STATUS) and status()["connected_since"] and unseen in (None, status()["unseen"]) and len(listed()) == named and
          missing in (None, sum(result == "missed" for result, _ in listed())))
    found = [name for name in record_files() if name.split("_")[3] in ("missed", "mended")]
    numbers = [int(name.split("_")[5].removesuffix(".json"), 16) * (-1 if "_mended_" in name else 1) for name in found]
    return sorted(numbers, key=abs)[:named]


def connect(runtime, *items):
    connection = runtime.accept().configured()
    connection.synchronize(payload(*items))
    return connection


def again(runtime, plugin, connection, *items):
    """Another connection: what the status says after that was written when all of them were looked at."""
    connection.close()
    connection = connect(runtime, *items)
    connection.request("StateChange", pack((1, 3)))  # the look has begun
    plugin.settle()
    until(lambda: os.path.exists(STATUS))
    os.remove(STATUS)
    return connection


def begun(runtime, plugin):
    connection = runtime.accept().begin()
    until(lambda: status()["connected_since"])
    plugin.lines()
    return connection


# ---- what is missed, and what is not ----

def missed(runtime, plugin):
    for number, limit in (1, 8 << 20), (2, "unlimited"), (3, 8 << 20), (4, 8 << 20), (5, 8 << 20), (8, 8 << 20):
        process(4710 + number, identity(number), limit)
    ones = [known(1, 4711, pod="rank-0"), known(2, 4712), known(3, 4713, devices=()), known(4, 4714, annotations={}),
            known(5, 4715, namespace="other"), known(8, 4718, state=STOPPED), known(9, 4720, devices=[("/dev/nvidia0", 195, 0)])]
    connection = runtime.accept().configured()  # each container before its pod, and in another message
    connection.synchronize(payload(*ones, pods=False), more=True)
    connection.synchronize(payload(*ones, containers=False))
    plugin.settle()
    equal("the one that asks, has a device and lacks the limit is missed", [1], counted(1, missing=1, unseen=0))
    lines = plugin.lines()
    equal("one line in the log", 1, len(lines))
    for part in ("oci-rdma-nri: missed: ", f"container={identity(1)}", "pod=rank-0", "namespace=team-a", "devices=mlx5_6,mlx5_7", "by=nri",
                 "created while no plugin was connected: ", "8 MiB", "delete the pod"):
        ok(f"the line has {part}", part in " ".join(lines), lines)
    code, said = check()
    equal("--check: a connected plugin", 0, code)
    ok("--check names it, and says what to do", "missed      team-a/rank-0/trainer: " in said and "delete the pod" in said, said)
    until(lambda: os.path.exists(METRICS) and metric("oci_rdma_nri_missed_containers"))
    equal("the metrics", (1, 0), (metric("oci_rdma_nri_missed_containers"), metric("oci_rdma_nri_unseen_containers")))
    left = record_files()
    equal("it has a record, and no other container has one", [file_of(1)], [os.path.join(RECORDS, name) for name in left])
    equal("the record is of that pod, and its author is told", ("missed", "rank-0", "team-a", "trainer", "nri", True),
          tuple(record(1)[name] for name in ("result", "pod", "namespace", "container", "entry_point", "tell")))
    ok("and has the reason of the log", record(1)["reason"] in lines[0], record(1))
    connection = again(runtime, plugin, connection, *ones)
    equal("after another connection it is still missed, and counted once", [1], counted(1, missing=1))
    equal("and not logged again", [], plugin.words())
    equal("nor is its author told again: the record stays as it is", left, record_files())
    connection.close()
    process(4711, identity(1), "unlimited")
    connection = connect(runtime, *ones)
    equal("one that was given the limit meanwhile is missed no more", [-1], counted(1, missing=0))
    connection.close()


def decided(runtime, plugin):
    """What a plugin has decided about is not missed, whatever its limit is."""
    connection = runtime.accept().begin()
    for number, what in enumerate(({"annotations": ASKS, "devices": TWO}, {"annotations": ASKS, "devices": TWO, "namespace": "other"},
                                   {"annotations": ASKS}, {"devices": TWO}, {}), 21):
        connection.create(id=identity(number), **what)
    until(lambda: all(record(n) for n in range(21, 25)))  # each child writes its own, after its answer
    equal("records of what was decided", ["granted", "denied", "nothing", "nothing", None], [(record(n) or {}).get("result") for n in range(21, 26)])
    equal("a grant's record has annotations, policy, devices, limit, variables and the engine",
          ({"inject": "true"}, "/etc/oci-rdma-hook/config.json", "mlx5_6,mlx5_7", 2**64 - 1, {"NCCL_IB_HCA": "=mlx5_6,mlx5_7"}, ENGINE),
          tuple(record(21)[name] for name in ("annotations", "policy", "devices", "memlock", "env", "engine")))
    ok("a denial's record says why", "namespace other is not among" in record(22)["reason"], record(22))
    equal("one without an annotation: the record says that none was there", {}, record(24)["annotations"])
    equal("records are for root alone", (0o700, 0o600), (os.stat(RECORDS).st_mode & 0o777, os.stat(file_of(21)).st_mode & 0o777))
    connection.close()
    plugin.settle().lines()
    for n in (21, 22):
        process(4700 + n, identity(n), 8 << 20)
    connection = connect(runtime, known(21, 4721, env=["NCCL_IB_HCA==mlx5_6,mlx5_7"]), known(22, 4722, namespace="other"))
    plugin.settle()
    equal("what was decided is not missed", ([], []), (plugin.lines(), listed()))
    connection.close()


def stopped(runtime, plugin):
    """The runtime asks while the plugin is stopped, does not wait for it any longer, and lets the container begin."""
    connection = begun(runtime, plugin)
    plugin.stop()  # until then it may see the request without the end of the connection
    ask(connection, 31)
    connection.close()
    plugin.send(signal.SIGCONT)
    process(4731, identity(31), 8 << 20)
    connection = connect(runtime, known(31, 4731))
    equal("asked while it was stopped: it is missed", [31], counted(1))
    equal("…and never called granted", (["missed"], "missed"), (plugin.words(), record(31)["result"]))
    connection.close()


def ask(connection, number):
    """CreateContainer, without a wait for the answer"""
    connection.send(PLUGIN, connection.call, REQUEST, pack((1, SERVICE), (2, "CreateContainer"), (
        3, container(id=identity(number), annotations=ASKS, devices=TWO)), (4, 1999900000)))


def starts(runtime, plugin):
    """The runtime says that a container is about to start: by NRI 0.6's event, and by 0.12's own method"""
    connection = begun(runtime, plugin)
    number = [40]

    def start(by, **what):
        number[0] += 1
        request = container(id=identity(number[0]), **what)
        if by == "StateChange":
            pod, body = split(request)
            request = pack((1, 6), (2, pod), (3, body))
        answer = connection.request(by, request)
        return answer.status, answer.text, plugin.words()

    asks = {"annotations": ASKS, "devices": TWO}
    for by in ("StateChange", "StartContainer"):
        equal(f"{by}: one that no plugin was asked about is missed, and starts", (0, "", ["missed"]), start(by, **asks))
        equal(f"{by}: …its record says so", "missed", record(number[0])["result"])
        connection.create(id=identity(number[0] + 1), **asks)
        until(lambda: record(number[0] + 1))
        plugin.words()
        equal(f"{by}: one that was granted: nothing", (0, "", []), start(by, env=["NCCL_IB_HCA==mlx5_6,mlx5_7"], **asks))
        config('{"namespaces": ["team-a"], "on_missed": "refuse"}')
        code, text, said = start(by, **asks)
        ok(f"{by}, on_missed refuse: it does not start, and the text says why", (code, said) == (13, ["missed"]) and '"on_missed": "refuse"' in text, (code, text, said))
        equal(f"{by}, on_missed refuse: one without a device starts", (0, "", []), start(by, annotations=ASKS))
        config('{"namespaces": ["team-a"]}')
    equal("another event is nothing", 0, connection.request("StateChange", pack((1, 3))).status)
    counted(4, missing=4)
    connection.close()


def mended(runtime, plugin):
    """A real process, whose limit can be raised so far without any right: below the plugin's filter of system calls"""
    soft, plan = 64 << 10, 1 << 20
    config(f'{{"on_missed": "mend", "memlock": "{plan}"}}')
    with subprocess.Popen(["sleep", "600"], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (soft, plan))) as sleeper:
        process(sleeper.pid, identity(1), soft)
        connection = connect(runtime, known(1, sleeper.pid))
        equal("mend: --check names it, and it is missed no more", [-1], counted(1, missing=0))
        ok("mend: …which is said", "mended: " in (lines := " ".join(plugin.settle().lines())) and "its 1 processes is raised" in lines, lines)
        equal("mend: its process is raised", plan, resource.prlimit(sleeper.pid, resource.RLIMIT_MEMLOCK)[0])
        sleeper.kill()
    connection.close()


def starts_late(runtime):
    """The look at one that starts takes longer than the runtime waits"""
    plugin = stalled(DEVICE, make=Plugin, metrics=False)
    config('{"on_missed": "refuse"}')
    connection = runtime.accept().begin()
    answer = connection.request("StartContainer", container(id=identity(1), annotations=ASKS, devices=TWO))
    equal("start: what takes too long starts", (0, b""), (answer.status, answer.payload))
    ok("start: …which is said, with the container", plugin.logs(f"StartContainer: container={identity(1)}: not finished in time"))
    equal("start: …and counted as one that could not be seen", [], counted(0, unseen=1))
    ok("start: …which --check says", "not seen    1 container could" in check()[1])
    equal("start: the plugin goes on", 0, connection.request("StartContainer", container(id=identity(2))).status)
    plugin.release()
    plugin.end()
    connection.close()


MANY = 8000


def many(n):
    """Containers of a message each as large as real ones, some with a device"""
    pod, body = known(7, 4242, annotations={}, devices=(), env=["A=" + "b" * 900] * 3)
    return [(pod.replace(b"pod-7", b"p%04d" % (i % 1000)), body.replace(identity(7).encode(), f"{i + 1000:064x}".encode())) for i in range(n)]


def synchronize(connection, items, at_once=500, more=False, frame=1 << 20):
    for place in range(0, len(items), at_once):
        connection.synchronize(payload(*items[place:place + at_once]), more=more or place + at_once < len(items), frame=frame)


def large(runtime, plugin):
    process(4711, identity(1), 8 << 20)
    items = many(MANY) + [known(1, 4711)]
    connection = runtime.accept().configured()
    before = plugin.kilobytes("VmRSS")
    synchronize(connection, items)
    equal(f"{MANY} others: the one that is missed is found", [1], counted(1))
    peak = plugin.kilobytes("VmHWM")
    print(f"# {MANY} containers: {peak} KiB resident at most")
    told = sum(len(pod) + len(body) for pod, body in items) // 1024
    ok(f"{MANY} containers: what the runtime has told, a message of it, and 1 MiB more than before at most", peak < before + 1024 + told * 1.1, (before, peak, told))
    ok(f"{MANY} containers: that is given back", until(lambda: plugin.kilobytes("VmRSS") < before + 1024))
    connection.close()


DATA_MAX = 16 << 20  # for parent and child each; the frame and the message that the parent reads have 4 MiB each


def hostile(runtime):
    """500 pods, and 256 KiB of annotations at 40 of them, in names of one to three letters, which CRI-O repeats at the container"""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    names = itertools.islice((a + b + c for a in ["", *letters] for b in ["", *letters] for c in letters), 87000 // 2)
    annotations = b"".join(pack((6, pack((1, name)))) for name in names) * 2
    pod, body = known(7, 4242, annotations={"a": "b"}, devices=())
    items = [(pack((1, f"pod-{n}")) + pod[7:] + annotations, body.replace(identity(7).encode(), identity(n).encode(), 1) + annotations)
             for n in range(1000, 1040)]
    for n in range(1, 21):
        process(4700 + n, identity(n), 8 << 20)
    plugin = Plugin(metrics=False, front=["prlimit", f"--data={DATA_MAX}"])
    connection = runtime.accept().configured()
    synchronize(connection, items, at_once=2, more=True, frame=4 << 20)
    synchronize(connection, many(440) + [known(n, 4700 + n) for n in range(1, 21)])
    equal("40 hostile pods of 500: the 20 that are missed are found", list(range(1, 21)), counted(20, unseen=0))
    plugin.settle()
    ok(f"40 hostile pods of 500: {plugin.kilobytes('VmHWM')} KiB resident at most", plugin.kilobytes("VmHWM") < 16 << 10)
    synchronize(connection, items[:1])
    equal("40 hostile pods of 500: the plugin serves", 0, connection.request("StateChange", pack((1, 3))).status)
    plugin.end()
    connection.close()


def too_large(runtime, plugin):
    """NRI 0.6 tells all in one message, however large that is."""
    connection = runtime.accept().configured()
    before = plugin.kilobytes("VmRSS")
    connection.synchronize(payload(known(1)) + pack((77, b"x" * (40 << 20))), frame=4 << 20)
    ok("a message of 40 MiB: that it is not kept is said", plugin.logs("Synchronize: not all containers are looked at"))
    ok("a message of 40 MiB: the plugin takes 32 MiB at most", plugin.kilobytes("VmHWM") < before + (32 << 10), plugin.kilobytes("VmHWM"))
    process(4711, identity(1), 8 << 20)
    equal("a message of 40 MiB: the plugin serves", ([], 0), (counted(0, unseen=1), connection.create(id=identity(2), annotations=ASKS).status))
    connection.close()


def files(runtime):
    """What is not ours costs no file."""
    counts = []
    for n in (10, 1000):
        trace = os.path.join(T, "trace")
        plugin = nri_scene.Plugin(front=["strace", "-D", "-f", "-e", "trace=openat,openat2,open,fork,clone,vfork", "-o", trace], program=SHIPPED)
        connection = runtime.accept().configured()
        synchronize(connection, many(n))
        until(lambda: os.path.exists(STATUS) and status()["connected_since"])
        plugin.end()
        until(lambda: "+++ exited" in open(trace).read())
        with open(trace) as f:
            text = f.read()
        opened = re.findall(r"open\w*\(\S+ \"([^\"]*)", text)
        counts.append((sorted({name for name in opened if re.match("(proc|sys|dev|etc)/", name)}), len(re.findall(r"clone\(|fork\(", text))))
        connection.close()
        ok(f"control: the trace has the status file, {n} containers", "nri.json" in text or "oci-rdma-hook" in text, text[:500])
    equal("for containers that are not ours no file of the node is opened; one child has looked at them all", [([], 1)] * 2, counts)


SCENES = (missed, decided, stopped, starts, starts_late, mended, large, hostile, too_large, files)

if __name__ == "__main__":
    sys.exit(nri_scene.play(SCENES, os.environ.get("SCENES", "").split(), make_node, Plugin))
