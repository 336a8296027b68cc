"""nri.py PROGRAM PATIENT DIRECTORY: oci-rdma-nri against a runtime's side that is played here. TAP on stdout.
A wait ends when what is waited for is there; its bound is minutes. So it is for PATIENT, which is PROGRAM but for its own patience, and stands
for it wherever that is not the matter."""
import itertools
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from nri_peer import (PATIENCE, PLUGIN, RESPONSE, UNLIMITED, Closed, Connection, Runtime, container, pack, recorded)  # noqa: E402

SHIPPED, PROGRAM, T = sys.argv[1:4]
ENGINES = ("containerd-1.7.24", "containerd-2.1.9", "containerd-2.4.0-beta.0", "crio-1.37.0-dev")
ASKS = {"oci-rdma-hook.io/inject": "true"}
TWO = (("/dev/infiniband/uverbs6", 231, 198), ("/dev/infiniband/uverbs7", 231, 199))
HCAS = {"NCCL_IB_HCA": "=mlx5_6,mlx5_7"}
LIMIT = [("RLIMIT_MEMLOCK", 8 << 20, 8 << 20)]
failed = 0


def ok(what, good, detail=""):
    global failed
    print(("ok" if good else "not ok") + " - " + what, flush=True)
    if not good:
        failed = 1
        print("#   " + str(detail)[:2000].replace("\n", "\n#   "), flush=True)


def equal(what, want, got):
    ok(what, want == got, f"want: {want!r}\ngot:  {got!r}")


def until(condition):
    """What condition returns, when that is true"""
    end = time.monotonic() + PATIENCE
    while True:
        result = condition()
        if result:
            return result
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.01)


def runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# ---- the scene: a recorded node, a runtime's socket, a plugin ----

NODE = os.path.join(T, "node")
SOCKET = os.path.join(NODE, "var/run/nri/nri.sock")
STATUS = os.path.join(NODE, "run/oci-rdma-hook/nri.json")
LOG = os.path.join(T, "log")


def make_node():
    subprocess.run(["rm", "-rf", NODE], check=True)
    subprocess.run([sys.executable, "-IS", "tests/nodes/mknode", "tests/nodes/h100.json", NODE], check=True)
    os.makedirs(os.path.dirname(SOCKET), mode=0o700)
    os.chmod(os.path.dirname(SOCKET), 0o700)
    os.makedirs(os.path.join(NODE, "run"), exist_ok=True)
    os.makedirs(os.path.join(NODE, "etc/oci-rdma-hook"))
    config('{"memlock": "8Mi"}')


def config(text):
    path = os.path.join(NODE, "etc/oci-rdma-hook/config.json")
    with open(path + ".new", "w") as f:
        f.write(text)
    os.rename(path + ".new", path)


class Plugin:
    def __init__(self, *arguments, front=(), program=PROGRAM, log=True, **more):
        """log: a new one; else it has that of the plugin before it"""
        if log:
            open(LOG, "w").close()
        self.log = open(LOG, "a")
        self.process = subprocess.Popen([*front, program, "--sysroot", NODE, *arguments], stderr=self.log, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, **more)
        self.pid = self.process.pid
        Plugin.last = self

    def lines(self):
        """What it has logged since the last time"""
        place = getattr(self, "place", 0)
        with open(LOG) as f:
            f.seek(place)
            text = f.read()
            self.place = f.tell()
        return text.splitlines()

    def end(self, by=signal.SIGTERM):
        self.process.send_signal(by)
        return self.process.wait(PATIENCE)

    def kilobytes(self, name):
        with open(f"/proc/{self.pid}/status") as f:
            return int(re.search(name + r":\s+(\d+) kB", f.read()).group(1))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def release(self):
        """Ends the tracer, which a delayed child keeps"""
        with open(f"/proc/{self.pid}/status") as f:
            os.kill(int(re.search(r"TracerPid:\s+(\d+)", f.read()).group(1)), signal.SIGKILL)

    def processes(self):
        with open(f"/proc/{self.pid}/task/{self.pid}/children") as f:
            return f.read().split()

    def children(self):
        """Those that run: what strace has delayed is not reaped for long"""
        return [pid for pid in self.processes() if runs(pid)]


def check(*arguments):
    done = subprocess.run([PROGRAM, "--sysroot", NODE, *arguments, "--check"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def status():
    with open(STATUS) as f:
        return json.load(f)


def counts(**wanted):
    """The status file says this of the containers: it is written a moment after an answer"""
    until(lambda: all(status()["containers"][name] == n for name, n in wanted.items()))
    return status()["containers"]


# ---- what runtimes have said ----

def unhurried(said):
    """What a runtime has said, but that it allows 16.4 s for an answer instead of 2 (ConfigureRequest's field 5): a busy machine's, and of the
    same length."""
    return said.replace(b"\x20\x88\x27\x28\xd0\x0f", b"\x20\x88\x27\x28\xff\x7f")


def recorded_sessions(runtime, plugin):
    connection = runtime.accept()
    for engine in ENGINES:
        said, answered = unhurried(recorded(engine, "r2p")), recorded(engine, "p2r")
        ours = frames(connection, 1)
        connection.sock.sendall(said)
        rest = connection.read(len(answered) - len(frame(answered)))
        equal(f"{engine}: answered byte for byte as recorded", answered[len(frame(answered)):].hex(), rest.hex())
        ok(f"{engine}: registered on the runtime's stream", ours.startswith(bytes.fromhex("00000002")), ours)
        connection.close()
        connection = runtime.accept()
    for engine in ENGINES[::3]:
        said = unhurried(recorded(engine, "r2p"))
        for place in (1, 7, 8, 17, 30, 150, 1000, len(said) // 2, len(said) - 1):
            connection.sock.sendall(said[:place])
            connection.close()
            # A whole session between two that are cut: after it the plugin tries again at once, not ever more rarely.
            runtime.accept().begin().close()
            connection = runtime.accept()
        for place in range(0, len(said), 97):
            connection.sock.sendall(said[place:place + 97])
        answered = recorded(engine, "p2r")
        frames(connection, 1)
        rest = connection.read(len(answered) - len(frame(answered)))
        equal(f"{engine}: cut anywhere and closed, then in pieces of 97 bytes", answered[len(frame(answered)):].hex(), rest.hex())
        connection.close()
        connection = runtime.accept()
    connection.close()
    ok("it is the same process all the time", plugin.process.poll() is None)


def frame(data):
    """The first frame of a stream"""
    return data[:8 + int.from_bytes(data[4:8], "big")]


def frames(connection, n):
    """Reads n frames"""
    data = b""
    for _ in range(n):
        header = connection.read(8)
        data += header + connection.read(int.from_bytes(header[4:8], "big"))
    return data


def garbage(runtime, plugin):
    bad = [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff" * 5000, bytes.fromhex("00000001ffffffff"), bytes(range(256)) * 64]
    for text in bad:
        connection = runtime.accept()
        connection.registered()
        connection.sock.sendall(text)
        try:
            while connection.sock.recv(4096):
                pass
        except ConnectionError:
            pass
        connection.close()
    connection = runtime.accept()
    ok("what is no NRI ends the connection, not the plugin", connection.begin() and plugin.process.poll() is None)
    for payload in (b"\xff" * 12, b"\x0a\x7fab", b"\x10\x01", b"\x12\x02\x0a\xff", b""):
        answer = connection.request("CreateContainer", payload)
        equal(f"a CreateContainer of {payload!r} fails no container", (0, b""), (answer.status, answer.payload))
    equal("each of them is counted as failed", 5, counts(failed=5)["served"])
    equal("an unknown method is not implemented", 12, connection.request("Conquer").status)
    equal("nor is one of another service", 12, connection.request("CreateContainer", service="containerd.task.v2.Task").status)
    equal("unknown fields are skipped", (HCAS, LIMIT), connection.create(
        annotations=ASKS, devices=TWO, extra=pack((77, "new"), (78, 5), (500, [b"x", b"y"]))).adjust())
    connection.close()
    connection = runtime.accept()
    connection.registered(status=2)
    connection.close()
    ok("a refused registration is tried again", runtime.accept().begin())
    ok("and logged", any("invalid plugin" in line for line in plugin.lines()))


# ---- what containers get ----

def decisions(runtime, plugin):
    connection = runtime.accept().begin()
    plugin.lines()

    ids = itertools.count(1)

    def gets(what, want, lines=0, refused=None, **of):
        """Each is another container: of one that it has spoken of already a plugin says nothing twice."""
        answer = connection.create(id=f"{next(ids):064x}", **of)
        if refused:
            equal(what, refused[0], answer.status)
            ok(f"{what}: the text says why", refused[1] in answer.text and "oci-rdma-nri" in answer.text, answer.text)
        else:
            equal(what, (0, want), (answer.status, answer.adjust()))
        until(lambda: not plugin.children())  # which logs when it has answered
        said = plugin.lines()
        equal(f"{what}: lines in the log", lines, len(said))
        return " ".join(said)

    nothing = ({}, [])
    rdma = {"annotations": ASKS, "devices": TWO}
    gets("no device, no annotation: nothing", nothing)
    gets("a device, no annotation: nothing", nothing, devices=TWO)
    gets("another device, no annotation: nothing", nothing, devices=[("/dev/nvidia0", 195, 0), ("/dev/nvidia-uvm", 510, 0)])
    gets("a name of a device, with another number: nothing", nothing, devices=[("/dev/infiniband/uverbs6", 1, 3)])
    line = gets("two devices, annotated: both, and the limit", (HCAS, LIMIT), lines=1, **rdma)
    ok("the log has the plugin's own name", line.startswith("oci-rdma-nri: grant: "), line)
    for part in ("name=trainer", "pod=h-kim-0", "namespace=team-a", "devices=mlx5_6,mlx5_7", "memlock=8388608", "nccl=env", "by=nri",
                 "capabilities=-"):
        ok(f"the log names {part}", part in line, line)
    gets("devices stand by PCI address", ({"NCCL_IB_HCA": "=mlx5_6,mlx5_7"}, LIMIT), lines=1,
         env=["PCIDEVICE_A_B=0000:5d:00.3,0000:3b:02.6"], **rdma)
    gets("the container's own annotation wins over the pod's", nothing, own={"oci-rdma-hook.io/inject": "false"}, **rdma)
    gets("the container's own annotation asks", (HCAS, LIMIT), lines=1, own=ASKS, devices=TWO)
    gets("containers: this one", (HCAS, LIMIT), lines=1, devices=TWO, annotations={**ASKS, "oci-rdma-hook.io/containers": "a,trainer"})
    gets("nccl: false: the limit alone", ({}, LIMIT), lines=1, devices=TWO, annotations={**ASKS, "oci-rdma-hook.io/nccl": "false"})
    gets("memlock: 1Mi: less", (HCAS, [("RLIMIT_MEMLOCK", 1 << 20, 1 << 20)]), lines=1, devices=TWO,
         annotations={**ASKS, "oci-rdma-hook.io/memlock": "1Mi"})
    gets("a variable that is set stays", ({}, LIMIT), lines=1, env=["NCCL_IB_HCA=mlx5_9"], **rdma)
    gets("a limit that is higher stays", (HCAS, []), lines=1, rlimits=[("RLIMIT_MEMLOCK", UNLIMITED, UNLIMITED)], **rdma)
    gets("a soft limit is raised, the hard one stays", (HCAS, [("RLIMIT_MEMLOCK", 8 << 20, 1 << 40)]), lines=1,
         rlimits=[("RLIMIT_NOFILE", 1, 1), ("RLIMIT_MEMLOCK", 65536, 1 << 40)], **rdma)
    gets("all that there is to give is there: nothing, and no line", nothing, rlimits=[("RLIMIT_MEMLOCK", UNLIMITED, UNLIMITED)],
         env=["NCCL_IB_HCA==mlx5_6,mlx5_7"], **rdma)
    privileged = {"rules": [(False, "", None, None, "rwm"), (True, "", None, None, "rwm")], "annotations": ASKS}
    gets("privileged, with an allocation: those", ({"NCCL_IB_HCA": "=mlx5_6"}, LIMIT), lines=1, env=["PCIDEVICE_A_B=0000:3b:02.6"], **privileged)
    gets("privileged, not annotated: nothing", nothing, rules=privileged["rules"], devices=TWO)

    config('{"memlock": "unlimited"}')
    gets("the policy is read anew: unlimited", (HCAS, [("RLIMIT_MEMLOCK", UNLIMITED, UNLIMITED)]), lines=1, **rdma)
    config('{"memlock": "8Mi", "opt_in": "device"}')
    gets("opt_in device: without an annotation", (HCAS, LIMIT), lines=1, devices=TWO)
    config('{"memlock": "8Mi", "namespaces": ["team-b"]}')
    forged = {**ASKS, "io.kubernetes.pod.namespace": "team-b", "io.kubernetes.cri.sandbox-namespace": "team-b"}
    line = gets("a namespace that is not admitted: nothing", nothing, lines=1, devices=TWO, annotations=forged, own=forged)
    ok("a denial is logged", "denied:" in line and "by=nri" in line and "namespace team-a is not among" in line, line)
    config('{"memlock": "8Mi", "require_memory_limit": true}')
    gets("no memory limit, which the policy asks for: nothing", nothing, lines=1, **rdma)
    gets("with a memory limit", (HCAS, LIMIT), lines=1, memory=1 << 30, **rdma)
    gets("with one of cgroup v2", (HCAS, LIMIT), lines=1, unified={"memory.max": "1073741824"}, **rdma)
    config('{"on_no_device": "tcp"}')
    answer = connection.create(annotations=ASKS)
    equal("on_no_device tcp: NCCL is told to use TCP", "1", answer.adjust()[0].get("NCCL_IB_DISABLE"))
    equal("on_no_device tcp: no limit is set", [], answer.adjust()[1])
    until(lambda: not plugin.children())
    plugin.lines()
    config('{"on_no_device": "fail"}')
    gets("on_no_device fail: refused", None, lines=1, refused=(7, "no RDMA device allocated"), annotations=ASKS)
    gets("on_no_device fail: who does not ask is not refused", nothing)

    wrong = {"annotations": {**ASKS, "oci-rdma-hook.io/memlock": "much"}, "devices": TWO}
    config('{"on_error": "warn"}')
    line = gets("on_error warn: an annotation that cannot be read: it starts", nothing, lines=1, **wrong)
    ok("the log names the annotation, and no line of a file", "oci-rdma-hook.io/memlock" in line and "line 0" not in line, line)
    config('{"on_error": "fail"}')
    gets("on_error fail: it does not", None, lines=1, refused=(13, "oci-rdma-hook.io/memlock"), **wrong)
    line = gets("on_error fail: one without a device starts", nothing, lines=1, annotations=wrong["annotations"])
    ok("and hears why it gets nothing", "none:" in line and "by=nri" in line, line)
    config('{"memlok": 1}')
    line = gets("a policy that cannot be read: an RDMA container starts as it is", nothing, lines=1, **rdma)
    ok("the log names the key", "memlok" in line, line)
    gets("and of an ordinary one nothing is heard", nothing)
    config('{"memlock": "8Mi"}')
    line = gets("a name with a line break: nothing is forged", nothing, lines=1, name="a\nforged: grant", **rdma)
    ok("the log says why", "a name contains a control character" in line, line)
    many = [("V%d" % i, "x" * 500) for i in range(300)]
    extra = json.dumps({"memlock": "8Mi", "nccl": {"extra": {"NCCL_X%d" % i: value for i, (_, value) in enumerate(many)}}})
    config(extra)
    connection.largest = 0
    env, limits = connection.create(**rdma).adjust()
    equal("an answer of 150 KB comes whole", (301, LIMIT), (len(env), limits))
    ok("in frames of at most 4096 bytes", connection.largest <= 4096, connection.largest)
    config('{"memlock": "8Mi"}')
    equal("each is counted as what it was; a grant of what is there already is the first plugin's", {"served": 33, "granted": 16, "denied": 3, "failed": 4, "given_up": 0}, counts(served=33))


def files_opened(runtime, _):
    trace = os.path.join(T, "trace")
    plugin = Plugin(front=["strace", "-D", "-f", "-o", trace])
    connection = runtime.accept().begin()
    for i in range(5):
        connection.create(name=f"ordinary-{i}", annotations={"other": "x"}, env=["A=b"] * 50, mounts=["/etc/hosts"] * 5,
                          devices=[("/dev/nvidia0", 195, 0), ("/dev/fuse", 10, 229)])
    connection.create(annotations=ASKS, devices=TWO)
    plugin.end()
    until(lambda: f"{plugin.pid} +++ exited" in re.sub(" +", " ", open(trace).read()))
    with open(trace) as f:
        calls = [(line.split()[0], re.sub(r"^\d+ +", "", line)) for line in f]
    parent = calls[0][0]
    answers, current = [], None
    for pid, call in calls:
        name = re.match(r"\w*", call).group(0)
        if pid != parent or not name:
            continue
        if name == "recvfrom" and "CreateContainer" in call or name == "recvfrom" and current is None and "= -1" not in call:
            current = []
        elif name == "sendto" and current is not None:
            answers.append(current)
            current = None
        elif current is not None:
            current.append(name)
    ordinary, granted = answers[-6:-1], answers[-1]
    harmless = {"clock_gettime", "ppoll", "wait4", "fstat", "newfstatat", "fstatat64", "statx", "brk", "mmap", "munmap", "mremap", "recvfrom"}
    equal("an ordinary container: no file is opened, no process started", set(), set().union(*ordinary) - harmless)
    ok("control: one with RDMA has a process of its own", {"clone", "fork", "vfork"} & set(granted), granted)


# ---- a node that is not well ----

def deadline(runtime, _):
    function = os.path.join(NODE, "sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6")
    before, behind = os.path.join(function, "infiniband_verbs/uverbs6"), os.path.join(function, "infiniband/mlx5_6/ports")
    for on_error, path, what in (("warn", before, "before its device is proven"), ("fail", before, "before its device is proven"),
                                 ("warn", behind, "behind the policy"), ("fail", behind, "behind the policy")):
        config(json.dumps({"memlock": "8Mi", "on_error": on_error}))
        plugin, connection, answer = stuck_at(runtime, path, (on_error, path) == ("fail", behind))
        if (on_error, path) == ("fail", behind):
            equal(f"on_error {on_error}, stuck {what}: refused", 13, answer.status)
            ok("the text says why", "check whether the node's /sys or one of its disks hangs" in answer.text, answer.text)
        else:
            equal(f"on_error {on_error}, stuck {what}: the container starts as it is", (0, b""), (answer.status, answer.payload))
        ok("the log says so", until(lambda p=plugin: any("not finished in time" in line for line in p.lines())))
        answer = connection.create()
        equal("the next container is answered on the same connection", (0, b""), (answer.status, answer.payload))
        equal("the one is counted", 2, counts(given_up=1, served=2)["served"])
        plugin.release()
        ok("the child, which was not waited for, is gone when it can", until(lambda p=plugin: not p.children()))
        equal("and the plugin ends well", 0, plugin.end())
        connection.close()
    config('{"memlock": "8Mi"}')
    hurried(runtime, before)


def stuck_at(runtime, path, refused):
    """A plugin whose child is held for an hour at the first file of that directory, with the connection and the answer. A busy machine may
    need all of the plugin's patience to come there, where it is known that the container is to be refused: then again."""
    def answered():
        plugin = Plugin(front=["strace", "-D", "-f", "-o", "/dev/null", "-P", path, "-e", "inject=openat:delay_enter=3600000000"], program=SHIPPED)
        connection = runtime.accept().begin()
        answer = connection.create(annotations=ASKS, devices=TWO)
        if not refused or answer.status:
            return plugin, connection, answer
        until(lambda: "not finished in time" in " ".join(plugin.lines()))
        plugin.release()
        plugin.end()
        connection.close()
        return None
    return until(answered)


def hurried(runtime, stuck):
    """A runtime that allows less than our own patience has its answer in time. Once is enough: a busy machine needs longer at times, and
    a plugin that does not listen to the runtime always."""
    def answered():
        plugin = Plugin(front=["strace", "-D", "-f", "-o", "/dev/null", "-P", stuck, "-e", "inject=openat:delay_enter=3600000000"], program=SHIPPED)
        connection = runtime.accept()
        connection.registered()
        connection.configure(timeout=200)
        connection.synchronize()
        begin = time.monotonic()
        connection.create(annotations=ASKS, devices=TWO)
        took = time.monotonic() - begin
        plugin.release()
        plugin.end()
        connection.close()
        return took < 1.5
    ok("a runtime that allows 200 ms has its answer sooner than after our own 1.5 s", until(answered))


# ---- connections ----

def reconnects(runtime, plugin):
    descriptors = []
    for _ in range(3):
        connection = runtime.accept()
        equal("it registers by its name, behind the plugins that add devices", ("oci-rdma", "90"), connection.registered())
        connection.configure()
        connection.synchronize()
        descriptors.append(plugin.descriptors())
        ok("one connection, and no other", runtime.waits())
        connection.close()
    equal("not a descriptor of the ones before is left", descriptors[:1] * 3, descriptors)
    connection = runtime.accept().begin()
    runtime.stop()
    connection.close()
    until(lambda: status()["connected_since"] is None)
    code, text = check()
    equal("--check, the runtime is away: 1", 1, code)
    ok("it says that NRI is off", "off, no such socket" in text and "not connected" in text, text)
    runtime.listen()
    connection = runtime.accept().begin()
    equal("a runtime that comes back is served", (HCAS, LIMIT), connection.create(annotations=ASKS, devices=TWO).adjust())
    until(lambda: status()["connected_since"])
    equal("what was wrong before is no longer", None, status()["trouble"])
    code, text = check()
    equal("--check, connected: 0", 0, code)
    for part in ("NRI         on", "connected to containerd 2.1.9 since 20", "1 granted"):
        ok(f"--check says {part!r}", until(lambda p=part: p in check()[1]), text)
    connection.close()
    connection = runtime.accept()
    connection.registered()
    connection.configure(name="a\x1b[2Jb\nREADY=1", version="c\rd")
    connection.synchronize()
    ok("--check writes nothing else to the terminal, whatever the runtime calls itself",
       until(lambda: "connected to a?[2Jb?READY=1 c?d since" in check()[1]))
    told = [line for line in plugin.lines() if "not connected" in line]  # before the next one
    ok("the log has a line for each change", len(told) <= 6, "\n".join(told))
    connection.close()


def after_looks(read):
    """Returns after two looks of a plugin at the socket's name, one each 2 s"""
    begun = read()["alive_ms"]
    until(lambda: read()["alive_ms"] > begun + 5000)


def socket_taken(runtime, _):
    """Another engine of the node takes the socket's name; the connection stays."""
    metrics = os.path.join(T, "taken.prom")
    plugin = Plugin("--metrics", metrics)
    connection = runtime.accept().begin()
    until(lambda: check()[0] == 0)
    os.link(SOCKET, SOCKET + ".kept")
    other = Runtime(SOCKET)
    code, text = until(lambda: check()[0] and check())
    ok("--check says that another program listens at the socket", (code, "connected to containerd" in text, f"another program listens at {SOCKET} now" in text)
       == (1, True, True), text)
    equal("--check-alive: it is no reason to restart it", 0, subprocess.run(
        [PROGRAM, "--sysroot", NODE, "--check-alive"], stdout=subprocess.DEVNULL, check=False).returncode)
    until(lambda: "oci_rdma_nri_connected 0" in open(metrics).read())
    equal("its own engine is served all the same", (HCAS, LIMIT), connection.create(annotations=ASKS, devices=TWO).adjust())
    equal("the log says so once", 1, sum("another program listens" in line for line in plugin.lines()))
    os.rename(SOCKET + ".kept", SOCKET)
    until(lambda: check()[0] == 0)
    ok("it is over when the engine has the name again", "another program" not in check()[1])
    until(lambda: "oci_rdma_nri_connected 1" in open(metrics).read())
    os.unlink(SOCKET)
    after_looks(status)
    equal("without a name there is no other engine", 0, check()[0])
    plugin.end()
    connection.close()
    other.listener.close()


def attempts(runtime, _):
    runtime.stop()
    trace = os.path.join(T, "trace")
    plugin = Plugin(front=["strace", "-D", "-o", trace, "-e", "trace=connect"])

    def tried():
        if not os.path.exists(trace):  # strace has not come to it yet
            return 0
        with open(trace) as f:
            return sum(SOCKET in line for line in f)
    until(lambda: tried() >= 6)
    begun, first = time.monotonic(), tried()
    time.sleep(2)
    ok("a runtime that is away is asked ever more rarely", tried() - first <= 3 + (time.monotonic() - begun) / 0.8, tried() - first)
    equal("which is one line in the log", 1, sum("not connected" in line for line in plugin.lines()))
    runtime.listen()
    connection = runtime.accept().begin()
    ok("and found when it is there", connection)
    plugin.end()


def at_once(runtime, _):
    """The runtime's socket appears, below a directory that is not there yet: the plugin hears of that, and does not wait for its pause."""
    runtime.stop()
    os.rmdir(os.path.dirname(SOCKET))
    trace = os.path.join(T, "trace-of-watch")
    plugin = Plugin(front=["strace", "-D", "-o", trace, "-e", "trace=connect,read,inotify_init1,inotify_add_watch"])

    def calls():
        with open(trace) as f:
            return f.read()
    until(lambda: os.path.exists(trace) and calls().count("connect(") >= 8)  # the next pause is 2.56 s
    watch = re.findall(r"inotify_init1\(.*= (\d+)", calls())[-1]
    before = len(calls())
    os.mkdir(os.path.dirname(SOCKET), 0o700)
    begun = time.monotonic()
    runtime.listen()
    connection = runtime.accept()
    print(f"# the socket appears: {(time.monotonic() - begun) * 1000:.0f} ms")
    until(lambda: re.search(r"connect\(.*= 0", calls()[before:]))
    ok("the socket appears: the plugin has heard of that before it connects", re.search(rf"read\({watch}, .*= [1-9](.*\n)*.*connect\(.*= 0", calls()[before:]), calls()[before:])
    connection.begin()
    ok("connected, it watches nothing", not any("inotify" in os.readlink(f"/proc/{plugin.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{plugin.pid}/fd")))
    plugin.end()
    connection.close()


def launched(runtime, _):
    ours, theirs = socket.socketpair()
    os.set_inheritable(theirs.fileno(), True)
    environment = {"NRI_PLUGIN_NAME": "oci-rdma", "NRI_PLUGIN_IDX": "90", "NRI_PLUGIN_SOCKET": str(theirs.fileno())}
    plugin = Plugin(env=environment, pass_fds=[theirs.fileno()])
    theirs.close()
    connection = Connection(ours)
    connection.registered()
    connection.configure()
    ok("launched: connected when it is configured, since NRI 0.6 synchronizes none that it has launched", status()["connected_since"])
    connection.synchronize()
    equal("launched: served", (HCAS, LIMIT), connection.create(annotations=ASKS, devices=TWO).adjust())
    ok("launched: no second connection", runtime.waits())
    after_looks(status)
    equal("launched: no socket of its own that another program could take", None, status()["trouble"])
    connection.close()
    connection = runtime.accept()
    connection.registered()
    connection.configure()
    equal("launched: the connection lost, the next is one when it is synchronized, as any other", None, status()["connected_since"])
    connection.synchronize()
    ok("launched: and is one then", status()["connected_since"])
    equal("launched: the connection lost, it goes on as any other", (HCAS, LIMIT), connection.create(annotations=ASKS, devices=TWO).adjust())
    equal("launched: ends well", 0, plugin.end())
    connection.close()

    ours, theirs = socket.socketpair()
    environment["NRI_PLUGIN_SOCKET"] = str(theirs.fileno())
    # A runtime that launches it, and dies when it is told to
    parent = subprocess.Popen(["sh", "-c", '"$0" "$@" </dev/null >/dev/null 2>&1 & echo $!; read line', PROGRAM, "--sysroot", NODE],
                              env=environment, pass_fds=[theirs.fileno()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    theirs.close()
    pid = int(parent.stdout.readline())
    runtime.drain()
    connection = Connection(ours).begin()
    parent.stdin.close()
    parent.wait(PATIENCE)
    connection.close()
    until(lambda: not runs(pid))
    ok("launched: with its runtime dead it ends, since the next one launches another", runtime.waits())


def limited(name, value):
    return lambda: resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))


def signals_spoiled():
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def directory_gone():
    gone = os.path.join(T, "gone")
    os.mkdir(gone)
    os.chdir(gone)
    os.rmdir(gone)


def streams_closed():
    for fd in range(3):
        os.close(fd)


SURROUNDINGS = {
    "variables of the loader, and no PATH": (None, {"LD_PRELOAD": "/nothing.so", "LD_LIBRARY_PATH": ".", "LD_AUDIT": "/nothing.so", "PATH": "",
                                                    "OCI_RDMA_SYSROOT": "/nothing", "OCI_RDMA_CONFIG": "/nothing", "TMPDIR": "/nothing",
                                                    "NOTIFY_SOCKET": "/nothing", "WATCHDOG_USEC": "-1", "TZ": "/nothing", "X": "x" * 100000}),
    "no standard streams": (streams_closed, {}),
    "a umask that takes all": (lambda: os.umask(0o777), {}),
    "a umask that takes nothing": (lambda: os.umask(0), {}),
    "a directory that is gone": (directory_gone, {}),
    "16 descriptors": (limited("NOFILE", 16), {}),
    "no file may grow": (limited("FSIZE", 0), {}),
    "a stack of 128 KiB": (limited("STACK", 128 << 10), {}),
    "memory of 32 MiB": (limited("AS", 32 << 20), {}),
    "signals ignored and blocked": (signals_spoiled, {}),
}


def surroundings(runtime, _):
    """What a runtime that launches it may hand down by mistake, or by an unusual configuration: it serves all the same."""
    for what, (spoil, variables) in SURROUNDINGS.items():
        ours, theirs = socket.socketpair()
        environment = {"NRI_PLUGIN_NAME": "oci-rdma", "NRI_PLUGIN_IDX": "90", "NRI_PLUGIN_SOCKET": str(theirs.fileno()), **variables}
        plugin = Plugin(env=environment, pass_fds=[theirs.fileno()], preexec_fn=spoil)
        theirs.close()
        connection = Connection(ours)
        try:
            connection.begin()
            equal(f"launched with {what}: served", (HCAS, LIMIT), connection.create(annotations=ASKS, devices=TWO).adjust())
            if "grow" not in what:
                counts(served=1)
                equal(f"launched with {what}: its status is for all to read, and for none to write", 0o644, os.stat(STATUS).st_mode & 0o7777)
            equal(f"launched with {what}: ends well", 0, plugin.end())
        except (AssertionError, Closed, OSError) as error:
            ok(f"launched with {what}", False, f"{type(error).__name__}: {error} {plugin.process.poll()} {plugin.lines()}")
            plugin.end(signal.SIGKILL)
        connection.close()


def stopped(pid):
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rsplit(")", 1)[1].split()[0] == "T"


def asked(connection):
    """What the plugin behind that connection gives to a container that nobody was asked about"""
    asked.number = getattr(asked, "number", 0) + 1
    return connection.create(annotations=ASKS, devices=TWO, id=f"{asked.number:064x}").adjust()


# ---- two of them ----

def instance_of(name):
    with open(os.path.join(os.path.dirname(STATUS), f"nri-{name}.json")) as f:
        return json.load(f)


def logged(*plugins):
    """The lines about containers that both have logged since the last time"""
    until(lambda: not any(plugin.children() for plugin in plugins))
    return [line for line in plugins[-1].lines() if "container=" in line]


def two(runtime, _):
    """Both are connected. The runtime asks one after the other, and shows the second one what the first one has changed."""
    plugins, connections = [], []
    for name in ("a", "b"):
        plugins.append(Plugin("--instance", name, log=name == "a"))
        connections.append(runtime.accept().begin())
        until(lambda n=name: instance_of(n)["connected_since"])
    a, b = plugins
    number = [1000]

    def ask(what, want, lines, first="{}", second=None, rlimits=(), env=(), **of):
        """What each gives: under the first policy and, if it changes in between, under the second"""
        number[0] += 1
        config(first)
        env, rlimits = list(env), list(rlimits)
        got = []
        for connection in connections:
            answer = connection.create(id=f"{number[0]:064x}", env=env, rlimits=rlimits, **of)
            got.append(answer.adjust() if not answer.status else answer.status)
            if not answer.status:
                env += [f"{key}={value}" for key, value in got[-1][0].items()]
                rlimits += got[-1][1]
            if second:
                config(second)
        equal(what, want, got)
        said = logged(a, b)
        # A child logs behind its answer, so the second plugin's line may be the first.
        equal(f"{what}: lines in the log", sorted(lines), sorted(line.split(": ")[1] for line in said))

    rdma = {"annotations": ASKS, "devices": TWO}
    unlimited, eight = [("RLIMIT_MEMLOCK", UNLIMITED, UNLIMITED)], '{"memlock": "8Mi"}'
    ask("two: granted: the second one adds nothing", [(HCAS, unlimited), ({}, [])], ["grant"], **rdma)
    ask("two: a finite limit", [(HCAS, LIMIT), ({}, [])], ["grant"], first=eight, **rdma)
    ask("two: a limit that is raised from the engine's", [(HCAS, [("RLIMIT_MEMLOCK", 8 << 20, 1 << 40)]), ({}, [])], ["grant"], first=eight,
        rlimits=[("RLIMIT_MEMLOCK", 65536, 1 << 40)], **rdma)
    ask("two: the policy is raised in between: what is set stays, for NRI lets no two plugins set it", [(HCAS, LIMIT), ({}, [])], ["grant"], first=eight, second="{}", **rdma)
    ask("two: the policy is lowered in between: nothing is lowered", [(HCAS, unlimited), ({}, [])], ["grant"], second=eight, **rdma)
    ask("two: the policy denies it in between: what is given stays", [(HCAS, unlimited), ({}, [])], ["grant", "denied"], second='{"namespaces": ["b"]}', **rdma)
    ask("two: the policy admits it in between: it is granted", [({}, []), (HCAS, unlimited)], ["denied", "grant"], first='{"namespaces": ["b"]}', second="{}", **rdma)
    ask("two: the policy has more variables in between: they are added", [(HCAS, unlimited), ({"NCCL_X": "1"}, [])], ["grant", "grant"],
        second='{"nccl": {"extra": {"NCCL_X": "1"}}}', **rdma)
    ask("two: another plugin's higher limit, before ours: no conflict", [(HCAS, []), ({}, [])], ["grant"], first=eight, rlimits=unlimited, **rdma)
    ask("two: denied: said once", [({}, []), ({}, [])], ["denied"], first='{"namespaces": ["b"]}', **rdma)
    ask("two: nothing: said once", [({}, []), ({}, [])], ["none"], annotations=ASKS)
    ask("two: failed: said once", [({}, []), ({}, [])], ["nri"], annotations={**ASKS, "oci-rdma-hook.io/memlock": "much"}, devices=TWO)
    ask("two: tcp: set once", [({"NCCL_IB_DISABLE": "1", "NCCL_IBEXT_DISABLE": "1", "NCCL_SOCKET_IFNAME": "=eth0"}, []), ({}, [])], ["tcp"],
        first='{"on_no_device": "tcp"}', annotations=ASKS)
    ask("two: on_denied warn, then fail: the stricter one refuses", [({}, []), 7], ["denied", "denied"], first='{"namespaces": ["b"]}',
        second='{"namespaces": ["b"], "on_denied": "fail"}', **rdma)
    ask("two: no device, no annotation", [({}, []), ({}, [])], [])
    until(lambda: instance_of("a")["containers"]["served"] == 15 and instance_of("b")["containers"]["served"] == 15)
    both = [instance_of(name)["containers"] for name in ("a", "b")]
    equal("two: each container is counted in one of them", (11, 5, 1), tuple(sum(one[name] for one in both) for name in ("granted", "denied", "failed")))

    config("{}")
    code, text = check()
    ok("--check: both are connected", code == 0 and "plugins     2 of 2 are connected\n" in text, text)
    b.process.send_signal(signal.SIGKILL)
    b.process.wait()
    connections[1].close()
    code, text = check()
    ok("--check, one is killed: the node is served, and it says so", code == 0 and "plugins     " in text and "connected to containerd" in text, text)
    begun = time.monotonic()
    equal("SIGTERM ends it", 0, a.end())
    ok("at once", time.monotonic() - begun < PATIENCE / 10)
    ok("its own status file goes with it, and not the other one's", not os.path.exists(STATUS.replace("nri", "nri-a", 1)) and
       sorted(name for name in os.listdir(os.path.dirname(STATUS)) if name.startswith("nri")) == ["nri-b.json"])
    connections[0].close()


def died_before_its_answer(runtime, _):
    """One that is killed has left its note, and the runtime has not seen its answer: the other one gives all, and says so."""
    plugin = Plugin()
    connection = runtime.accept().begin()
    config('{"memlock": "8Mi"}')
    one = {"annotations": ASKS, "devices": TWO, "id": "d" * 64}
    equal("granted by one whose answer is lost", (HCAS, LIMIT), connection.create(**one).adjust())
    config("{}")
    equal("the other one, which sees nothing of it, gives all", (HCAS, [("RLIMIT_MEMLOCK", UNLIMITED, UNLIMITED)]), connection.create(**one).adjust())
    equal("also beside the engine's own limit", (HCAS, [("RLIMIT_MEMLOCK", UNLIMITED, UNLIMITED)]),
          connection.create(rlimits=[("RLIMIT_MEMLOCK", 65536, 65536)], **one).adjust())
    equal("each is logged", 3, len(logged(plugin)))
    plugin.end()
    connection.close()


def removed(runtime, plugin):
    """What is removed below it comes back."""
    connection = runtime.accept().begin()
    until(lambda: os.path.exists(STATUS))
    os.unlink(STATUS)
    ok("nri.json, removed: it comes back", until(lambda: os.path.exists(STATUS)))
    subprocess.run(["rm", "-r", os.path.dirname(STATUS)], check=True)
    ok("so does its directory", until(lambda: os.path.exists(STATUS)))
    equal("it serves all the time", (HCAS, LIMIT), asked(connection))
    until(lambda: not plugin.children())
    ok("it is the same connection", runtime.waits())
    connection.close()


def watchdog(runtime, _):
    path = os.path.join(T, "watchdog")
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    heard.bind(path)
    heard.settimeout(PATIENCE)
    plugin = Plugin(env={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"})
    connection = runtime.accept().begin()

    def barks(n):
        while n:
            n -= heard.recv(4096) == b"WATCHDOG=1"
        return True
    ok("systemd's watchdog is told that it works", barks(5))
    plugin.process.send_signal(signal.SIGSTOP)
    until(lambda: stopped(plugin.pid))
    heard.setblocking(False)
    try:
        while heard.recv(4096):
            pass
    except BlockingIOError:
        pass
    time.sleep(1)
    try:
        ok("stopped: it hears nothing", not heard.recv(4096))
    except BlockingIOError:
        ok("stopped: it hears nothing", True)
    plugin.process.send_signal(signal.SIGCONT)
    heard.setblocking(True)
    ok("on again: it does", barks(1))
    plugin.end()
    connection.close()
    plugin = Plugin(env={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000", "WATCHDOG_PID": "1"})
    connection = runtime.accept().begin()
    words = []
    while not words or not words[-1].startswith(b"READY=1\n"):
        words.append(heard.recv(4096))
    ok("a watchdog of another process hears nothing", b"WATCHDOG=1" not in words, words)
    plugin.end()
    connection.close()
    heard.close()


def ends(runtime, plugin):
    connection = runtime.accept().begin()
    until(lambda: os.path.exists(STATUS))
    for by in (signal.SIGHUP, signal.SIGPIPE):
        plugin.process.send_signal(by)
        equal(f"{by.name} does not end it", 0, connection.create().status)
    equal("SIGTERM ends it well", 0, plugin.end())
    ok("its status file goes with it", not os.path.exists(STATUS))
    try:
        connection.message(PLUGIN)
        ok("the connection is closed", False)
    except Closed:
        ok("the connection is closed", True)
    ok("it says that it ends", any(": ended" in line and line.startswith("oci-rdma-nri: ") for line in plugin.lines()))


# What systemd is told without a connection, so that the kubelet is not held back; and that no earlier than this after the start
WAITED, WAITS = b"READY=1", 5


def heard_by(heard):
    """The next word, but for WAITED: a busy machine takes that long."""
    while True:
        word = heard.recv(4096)
        if word != WAITED:
            return word


def notifications(runtime, _):
    for path in (os.path.join(T, "notify"), "@" + T):
        heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        heard.bind(path.replace("@", "\0", 1) if path[0] == "@" else path)
        heard.settimeout(PATIENCE)
        begin = time.monotonic()
        plugin = Plugin(env={"NOTIFY_SOCKET": path})
        connection = runtime.accept()
        connection.registered()
        connection.configure()
        connection.synchronize(more=True)
        heard.settimeout(0)
        try:
            early = heard.recv(4096)
        except BlockingIOError:
            early = b""
        heard.settimeout(PATIENCE)
        ok(f"systemd at {path[:1]}…: nothing before it is synchronized",
           early == b"" or (early == WAITED and time.monotonic() - begin >= WAITS), early)
        connection.synchronize()
        ready = heard_by(heard)
        ok("READY=1 when it is", ready.startswith(b"READY=1\n") and b"containerd 2.1.9" in ready, ready)
        connection.close()
        ok("STATUS= when the connection is lost", heard_by(heard).startswith(b"STATUS=not connected"))
        plugin.end()
        while heard.recv(4096) != b"STOPPING=1":
            pass
        ok("STOPPING=1 in the end", True)
        heard.close()
        runtime.drain()
    path = os.path.join(T, "notify-full")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as deaf, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        deaf.bind(path)
        other.setblocking(False)
        try:
            while True:
                other.sendto(b"x", path)
        except BlockingIOError:
            pass
        plugin = Plugin(env={"NOTIFY_SOCKET": path})
        connection = runtime.accept().begin()
        equal("systemd that does not listen is not waited for", (HCAS, LIMIT), connection.create(annotations=ASKS, devices=TWO).adjust())
        equal("nor in the end", 0, plugin.end())
        connection.close()
    for path in ("", "/" + "x" * 500):
        plugin = Plugin(env={"NOTIFY_SOCKET": path})
        connection = runtime.accept().begin()
        equal(f"systemd at a path of {len(path)} bytes is not told", (HCAS, LIMIT), connection.create(annotations=ASKS, devices=TWO).adjust())
        equal("which is no failure", 0, plugin.end())
        connection.close()


def without_nri(runtime, _):
    """An engine without NRI: the unit is ready all the same, since the kubelet waits for it, and the plugin goes on."""
    runtime.stop()
    path = os.path.join(T, "notify-without")
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    heard.bind(path)
    heard.settimeout(PATIENCE)
    begin = time.monotonic()
    plugin = Plugin(env={"NOTIFY_SOCKET": path})
    ok("systemd, no socket: it hears why", heard.recv(4096).startswith(b"STATUS=not connected: "))
    equal("systemd, no socket: READY=1 comes all the same", WAITED, heard.recv(4096))
    ok("not before the engine had its time", time.monotonic() - begin >= WAITS)
    ok("and --check says that it is not connected", check()[0] == 1)
    runtime.listen()
    connection = runtime.accept()
    connection.registered()
    connection.configure()
    connection.synchronize()
    ok("it goes on, and connects when NRI is switched on", heard.recv(4096).startswith(b"READY=1\nSTATUS=connected"))
    connection.close()
    equal("ended", 0, plugin.end())
    plugin = Plugin(env={"NOTIFY_SOCKET": path})
    connection = runtime.accept()
    ok("systemd, an engine that accepts the connection and says nothing: READY=1 comes, too", until(lambda: heard.recv(4096) == WAITED))
    equal("ended", 0, plugin.end())
    connection.close()
    heard.close()


# ---- what it costs ----

# kB: 2 MiB. What is resident is whole pages, of which some kernels have larger ones.
RESIDENT_MAX = 512 * os.sysconf("SC_PAGE_SIZE") // 1024

def memory(runtime, plugin):
    connection = runtime.accept()
    connection.registered()
    connection.configure()
    one = container(env=["E%d=%s" % (i, "x" * 60) for i in range(30)], mounts=["/etc/hosts"] * 12, annotations={"a": "b"})
    pods = pack((1, [b"\x0a\x40" + b"5" * 64] * 100), (2, [one] * 100))
    for _ in range(49):
        assert connection.synchronize(pods, more=True) == {2: [1]}
    equal("Synchronize of 5,000 containers is answered", {}, connection.synchronize(pods))
    ok(f"{len(pods) * 50} bytes of it leave {plugin.kilobytes('VmRSS')} kB resident", plugin.kilobytes("VmRSS") < RESIDENT_MAX)
    ok(f"and took {plugin.kilobytes('VmHWM')} kB at most", plugin.kilobytes("VmHWM") < RESIDENT_MAX)
    equal("one of 16 MB in a single message is answered", {}, connection.synchronize(pods * (16000000 // len(pods)), frame=65536))
    ok(f"{plugin.kilobytes('VmHWM')} kB at most: the message once", plugin.kilobytes("VmHWM") < RESIDENT_MAX + 16000000 // 1024)
    ok(f"{plugin.kilobytes('VmRSS')} kB stay", plugin.kilobytes("VmRSS") < RESIDENT_MAX)

    ordinary = container(env=["A=b"] * 40, mounts=["/etc/hosts"] * 12)
    rdma = container(annotations=ASKS, devices=TWO)

    def serve(n):
        good = 0
        for i in range(n):
            answer = connection.request("CreateContainer", rdma if i % 10 == 0 else ordinary)
            good += answer.status == 0 and bool(answer.payload) == (i % 10 == 0)
        return good
    equal("containers to warm up", 1000, serve(1000))
    before = plugin.descriptors(), plugin.kilobytes("VmRSS")
    equal("10,000 containers, a tenth of them with RDMA: each is answered", 10000, serve(10000))
    after = plugin.descriptors(), plugin.kilobytes("VmRSS")
    equal("not a descriptor is left", before[0], after[0])
    ok(f"nor memory: {before[1]} kB, {after[1]} kB", after[1] <= before[1] + 64)
    until(lambda: not plugin.processes())
    ok("nor a process, nor what is left of one until somebody waits for it", True)
    equal("all are counted", {"served": 11000, "granted": 1100, "denied": 0, "failed": 0, "given_up": 0}, counts(served=11000))


def metrics(runtime, _):
    path = os.path.join(T, "metrics.prom")
    plugin = Plugin("--metrics", path)
    connection = runtime.accept().begin()
    connection.create()
    connection.create(annotations=ASKS, devices=TWO)
    text = until(lambda: (lambda t: 'granted"} 1' in t and t)(open(path).read() if os.path.exists(path) else ""))
    sys.path.append("/usr/lib/python3/dist-packages")
    from prometheus_client.parser import text_string_to_metric_families
    samples = {(s.name, *s.labels.values()): s.value for family in text_string_to_metric_families(text) for s in family.samples}
    equal("metrics: connected", 1, samples["oci_rdma_nri_connected",])
    equal("metrics: granted and none", (1, 1), tuple(samples["oci_rdma_nri_containers_total", r] for r in ("granted", "none")))
    equal("metrics: all are answers", (2, 2), (samples["oci_rdma_nri_answer_seconds_bucket", "+Inf"], samples["oci_rdma_nri_answer_seconds_count",]))
    ok("metrics: readable for all", os.stat(path).st_mode & 0o777 == 0o644)
    connection.close()
    until(lambda: "oci_rdma_nri_connected 0" in open(path).read())
    plugin.end()
    metrics_refused(runtime)
    metrics_stuck(runtime)


def metrics_refused(runtime):
    """In the collector's own directory: root, but without the capability for that"""
    place = os.path.join(T, "collector")
    os.mkdir(place, 0o755)
    os.chown(place, 12345, 12345)
    plugin = Plugin("--metrics", os.path.join(place, "m.prom"))
    connection = runtime.accept().begin()
    line = until(lambda: next((line for line in plugin.lines() if "Permission denied" in line), None))
    ok("metrics in another's directory: the log names the file, and what to do",
       "metrics: " in line and "m.prom" in line and "must belong to root" in line, line)
    ok("the status is not blamed", "--check" not in line, line)
    connection.create()
    until(lambda: status()["containers"]["served"] == 1)
    equal("it is said once", 0, sum("metrics" in line for line in plugin.lines()))
    plugin.end()
    connection.close()


def metrics_stuck(runtime):
    """A disk that is frozen holds the child that writes, and no container."""
    place = os.path.join(T, "frozen")
    os.mkdir(place)
    plugin = Plugin("--metrics", os.path.join(place, "m.prom"), front=["strace", "-D", "-f", "-o", "/dev/null", "-P", place, "-e",
                                                                         "inject=open,openat,openat2:delay_enter=3600000000"])
    connection = runtime.accept().begin()
    until(lambda: len(plugin.processes()) == 1)
    equal("metrics on a frozen disk: containers are served", (HCAS, LIMIT), asked(connection))
    ok("metrics on a frozen disk: the log says so", until(lambda: any("is not written within 5 s" in line for line in plugin.lines())))
    equal("metrics on a frozen disk: containers are still served", (HCAS, LIMIT), asked(connection))
    until(lambda: status()["containers"]["served"] == 2)
    ok("metrics on a frozen disk: it waits for one child, and starts no other", len(plugin.processes()) <= 2)
    plugin.release()
    equal("metrics on a frozen disk: it ends well", 0, plugin.end())
    connection.close()


def confined(runtime, plugin):
    runtime.accept().begin()
    with open(f"/proc/{plugin.pid}/status") as f:
        fields = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
    equal("confined: a filter of system calls", "2", fields["Seccomp"])
    equal("confined: no new privileges", "1", fields["NoNewPrivs"])
    allowed = 1 << 19 | 1 << 21 | 1 << 24  # SYS_PTRACE, SYS_ADMIN, SYS_RESOURCE
    with open("/proc/self/status") as f:
        ours = int(re.search(r"CapEff:\s+(\w+)", f.read()).group(1), 16)
    equal("confined: three capabilities, as far as it had them, and no other", ours & allowed, int(fields["CapEff"], 16))
    equal("confined: it is in the node's root", "/", os.readlink(f"/proc/{plugin.pid}/cwd"))


SCENES = (recorded_sessions, garbage, decisions, reconnects, removed, ends, memory, confined)  # that want a plugin
OWN = (two, died_before_its_answer, socket_taken, files_opened, deadline, attempts, at_once, launched, surroundings, notifications, without_nri, watchdog, metrics)  # that start theirs


def main():
    chosen = os.environ.get("SCENE")
    if os.environ.get("SLOW"):  # a build with sanitizers, which trace and take memory themselves
        chosen = "recorded_sessions,garbage,decisions,reconnects,socket_taken,two,launched,removed,ends,notifications,watchdog,metrics"
    for scene in SCENES + OWN:
        if chosen and scene.__name__ not in chosen.split(","):
            continue
        make_node()
        runtime = Runtime(SOCKET)
        plugin = Plugin() if scene in SCENES else None
        try:
            scene(runtime, plugin)
        except (AssertionError, Closed, OSError, KeyError, subprocess.SubprocessError) as error:
            with open(LOG) as f:
                ok(f"{scene.__name__}: it goes as it should", False, f"{type(error).__name__}: {error}\n{f.read()[-1500:]}")
        finally:
            if Plugin.last.process.poll() is None:
                Plugin.last.end(signal.SIGKILL)
            runtime.listener.close()
    return failed


sys.exit(main())
