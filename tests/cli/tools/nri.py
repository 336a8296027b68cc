"""nri.py PROGRAM DIRECTORY PATIENT: oci-rdma-nri against a runtime's side that is played here. TAP on stdout."""
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
from nri_peer import (PATIENCE, PLUGIN, UNLIMITED, Closed, Connection, Runtime, pack)  # noqa: E402
from nri_scene import (ASKS, FUNCTION, NODE, PATIENT, RECORDS, RUN, SHIPPED, SOCKET, STATUS, T, TWO, Plugin, check, config, equal, ok, play,  # noqa: E402
                       stalled, state_of, status, until, write)

HCAS = {"NCCL_IB_HCA": "=mlx5_6,mlx5_7"}
LIMIT = [("RLIMIT_MEMLOCK", 8 << 20, 8 << 20)]
ALL = [("RLIMIT_MEMLOCK", UNLIMITED, UNLIMITED)]
RDMA = {"annotations": ASKS, "devices": TWO}


def counts(**wanted):
    """The records and the status file say this, a moment after an answer; served: so many answers"""
    def now():
        results = [name.split("_")[3] for name in os.listdir(RECORDS) if name.endswith(".json")] if os.path.isdir(RECORDS) else []
        return {"served": status()["answers"], **{name: results.count(name) for name in results}}
    return until(lambda: wanted.items() <= now().items() and now())


def granted(connection, what="served", want=(HCAS, LIMIT), **of):
    """The plugin behind that connection gives so much to a container that nobody was asked about."""
    granted.number += 1
    equal(what, want, connection.create(**({"id": f"{granted.number:064x}"} | RDMA | of)).adjust())


granted.number = 0


def served(runtime, *arguments, **more):
    plugin = Plugin(*arguments, **more)
    return plugin, runtime.accept().begin()


def finish(plugin, connection, what="it ends well"):
    equal(what, 0, plugin.end())
    connection.close()


def hears(path, patience=PATIENCE):
    """A socket at which systemd is played"""
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    heard.bind(path.replace("@", "\0", 1) if path[0] == "@" else path)
    heard.settimeout(patience)
    return heard


def nothing_more(heard):
    """All that is there is taken; the last word of it, or none"""
    word = b""
    heard.setblocking(False)
    try:
        while True:
            word = heard.recv(4096)
    except BlockingIOError:
        heard.settimeout(PATIENCE)
        return word


# ---- what is no NRI ----

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
    for payload in (b"\x0a\x7fab", b""):
        answer = connection.request("CreateContainer", payload)
        equal(f"a CreateContainer of {payload!r} fails no container", (0, b""), (answer.status, answer.payload))
    counts(served=2)
    granted(connection, "unknown fields are skipped", extra=pack((77, "new"), (78, 5), (500, [b"x", b"y"])))
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
        said = plugin.settle().lines()
        equal(f"{what}: lines in the log", lines, len(said))
        return " ".join(said)

    nothing = ({}, [])
    gets("no device, no annotation: nothing", nothing)
    gets("a device, no annotation: nothing", nothing, devices=TWO)
    line = gets("two devices, annotated: both, and the limit", (HCAS, LIMIT), lines=1, **RDMA)
    ok("the log has the plugin's own name", line.startswith("oci-rdma-nri: grant: "), line)
    for part in ("name=trainer", "pod=h-kim-0", "namespace=team-a", "devices=mlx5_6,mlx5_7", "memlock=8388608", "nccl=env", "by=nri",
                 "capabilities=-"):
        ok(f"the log names {part}", part in line, line)
    gets("the container's own annotation asks", (HCAS, LIMIT), lines=1, own=ASKS, devices=TWO)
    gets("nccl: false: the limit alone", ({}, LIMIT), lines=1, devices=TWO, annotations={**ASKS, "oci-rdma-hook.io/nccl": "false"})
    gets("a variable that is set stays", ({}, LIMIT), lines=1, env=["NCCL_IB_HCA=mlx5_9"], **RDMA)
    gets("a soft limit is raised, the hard one stays", (HCAS, [("RLIMIT_MEMLOCK", 8 << 20, 1 << 40)]), lines=1,
         rlimits=[("RLIMIT_NOFILE", 1, 1), ("RLIMIT_MEMLOCK", 65536, 1 << 40)], **RDMA)
    gets("all that there is to give is there: nothing, and no line", nothing, rlimits=ALL,
         env=["NCCL_IB_HCA==mlx5_6,mlx5_7"], **RDMA)

    vfio = {"devices": [("/dev/vfio/devices/vfio0", 242, 0)], "annotations": ASKS}
    gets("a function of vfio-pci, which the policy does not count: nothing", nothing, lines=1, **vfio)
    config('{"memlock": "8Mi", "devices": ["verbs", "vfio"]}')
    line = gets("a function of vfio-pci: the limit alone", ({}, LIMIT), lines=1, **vfio)
    ok("the log names it", "devices=vfio/devices/vfio0" in line, line)

    config('{"memlock": "unlimited"}')
    gets("the policy is read anew: unlimited", (HCAS, ALL), lines=1, **RDMA)
    config('{"memlock": "8Mi", "namespaces": ["team-b"]}')
    forged = {**ASKS, "io.kubernetes.pod.namespace": "team-b", "io.kubernetes.cri.sandbox-namespace": "team-b"}
    line = gets("a namespace that is not admitted: nothing", nothing, lines=1, devices=TWO, annotations=forged, own=forged)
    ok("a denial is logged", "denied:" in line and "by=nri" in line and "namespace team-a is not among" in line, line)
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
    line = gets("a policy that cannot be read: an RDMA container starts as it is", nothing, lines=1, **RDMA)
    ok("the log names the key", "memlok" in line, line)
    gets("and of an ordinary one nothing is heard", nothing)
    config('{"memlock": "8Mi"}')
    counts(served=19)


def files_opened(runtime):
    trace = os.path.join(T, "trace")
    plugin, connection = served(runtime, front=["strace", "-D", "-f", "-o", trace])
    for i in range(5):
        connection.create(name=f"ordinary-{i}", annotations={"other": "x"}, env=["A=b"] * 50, mounts=["/etc/hosts"] * 5,
                          devices=[("/dev/nvidia0", 195, 0), ("/dev/fuse", 10, 229)])
    connection.create(**RDMA)
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

def deadline(runtime):
    before, behind = os.path.join(FUNCTION, "infiniband_verbs/uverbs6"), os.path.join(FUNCTION, "infiniband/mlx5_6/ports")
    for on_error, path, what in (("warn", before, "before its device is proven"), ("fail", before, "before its device is proven"),
                                 ("warn", behind, "behind the policy"), ("fail", behind, "behind the policy")):
        config(json.dumps({"memlock": "8Mi", "on_error": on_error}))
        plugin, connection, answer = stuck_at(runtime, path, (on_error, path) == ("fail", behind))
        if (on_error, path) == ("fail", behind):
            equal(f"on_error {on_error}, stuck {what}: refused", 13, answer.status)
            ok("the text says why", "check whether the node's /sys or one of its disks hangs" in answer.text, answer.text)
        else:
            equal(f"on_error {on_error}, stuck {what}: the container starts as it is", (0, b""), (answer.status, answer.payload))
        ok("the log says so", plugin.logs("not finished in time"))
        answer = connection.create()
        equal("the next container is answered on the same connection", (0, b""), (answer.status, answer.payload))
        equal("the one has a record", 2, counts(failed=1, served=2)["served"])
        plugin.release()
        ok("the child, which was not waited for, is gone when it can", plugin.settle())
        finish(plugin, connection)
    config('{"memlock": "8Mi"}')
    hurried(runtime, before)


def stuck_at(runtime, path, refused):
    """A plugin whose child is held for an hour at the first file of that directory, with the connection and the answer. A busy machine may
    need all of the plugin's patience to come there, where it is known that the container is to be refused: then again."""
    def answered():
        plugin = stalled(path, program=SHIPPED)
        connection = runtime.accept().begin()
        answer = connection.create(**RDMA)
        if not refused or answer.status:
            return plugin, connection, answer
        plugin.logs("not finished in time")
        plugin.release()
        plugin.end()
        connection.close()
        return None
    return until(answered)


def hurried(runtime, stuck):
    """A runtime that allows less than our own patience has its answer in time. Once is enough: a busy machine needs longer at times, and
    a plugin that does not listen to the runtime always."""
    def answered():
        plugin = stalled(stuck, program=SHIPPED)
        connection = runtime.accept().begin(timeout=200)
        begin = time.monotonic()
        connection.create(**RDMA)
        took = time.monotonic() - begin
        plugin.release()
        plugin.end()
        connection.close()
        return took < 1.5
    ok("a runtime that allows 200 ms has its answer sooner than after our own 1.5 s", until(answered))


# ---- connections ----

def reconnects(runtime, plugin):
    for _ in range(3):
        connection = runtime.accept()
        equal("it registers by its name, behind the plugins that add devices", ("oci-rdma", "90"), connection.registered())
        connection.configure()
        connection.synchronize()
        ok("it has the standard three, its lock and this connection, and none of those before", until(lambda: plugin.descriptors() == 5))
        ok("one connection, and no other", runtime.waits())
        connection.close()
    connection = runtime.accept().begin()
    runtime.stop()
    connection.close()
    until(lambda: status()["connected_since"] is None)
    code, text = check()
    equal("--check, the runtime is away: 1", 1, code)
    ok("it says that NRI is off", "off, no such socket" in text and "not connected" in text, text)
    runtime.listen()
    connection = runtime.accept().begin()
    granted(connection, "a runtime that comes back is served")
    until(lambda: status()["connected_since"])
    equal("what was wrong before is no longer", None, status()["trouble"])
    code, text = check()
    equal("--check, connected: 0", 0, code)
    for part in ("NRI         on", "connected to containerd 2.1.9 since 20", "1 granted"):
        ok(f"--check says {part!r}", until(lambda p=part: p in check()[1]), text)
    connection.close()
    connection = runtime.accept().begin(name="a\x1b[2Jb\nREADY=1", version="c\rd")
    ok("--check writes nothing else to the terminal, whatever the runtime calls itself",
       until(lambda: "connected to a?[2Jb?READY=1 c?d since" in check()[1]))
    told = [line for line in plugin.lines() if "not connected" in line]  # before the next one
    ok("the log has a line for each change", len(told) <= 6, "\n".join(told))
    connection.close()


def after_looks(read):
    """Returns after two looks of a launched plugin at its own file, one each 2 s"""
    begun = read()["alive_ms"]
    until(lambda: read()["alive_ms"] > begun + 5000)


def at_once(runtime):
    """The runtime is about to start: the plugin tries each 20 ms."""
    runtime.stop()
    trace = os.path.join(T, "trace-of-pauses")
    plugin = Plugin(front=["strace", "-D", "-o", trace, "-e", "trace=connect,ppoll"])

    def calls():
        with open(trace) as f:
            return f.read()
    until(lambda: os.path.exists(trace) and calls().count("connect(") >= 3)
    equal("a runtime that is away is one line in the log, however often it is asked", 1, sum("not connected" in line for line in plugin.lines()))
    pauses = [int(nanoseconds) for nanoseconds in re.findall(r"tv_sec=0, tv_nsec=(\d+)", calls())]
    ok("and asked again within 20 ms", pauses and max(pauses) <= 20000000, calls())
    runtime.listen()
    connection = runtime.accept().begin()
    ok("connected, it has no descriptor more", until(lambda: plugin.descriptors() == 5))  # with its lock
    plugin.end()
    connection.close()


def launch(variables=(), **more):
    """As a runtime launches it: plugin and connection"""
    ours, theirs = socket.socketpair()
    environment = {"NRI_PLUGIN_NAME": "oci-rdma", "NRI_PLUGIN_IDX": "90", "NRI_PLUGIN_SOCKET": str(theirs.fileno()), **dict(variables)}
    plugin = more.pop("make", Plugin)(env=environment, pass_fds=[theirs.fileno()], **more)
    theirs.close()
    return plugin, Connection(ours)


def launched(runtime):
    plugin, connection = launch()
    connection.configured()
    ok("launched: connected when it is configured, since NRI 0.6 synchronizes none that it has launched", status()["connected_since"])
    connection.synchronize()
    granted(connection, "launched: served")
    ok("launched: no second connection", runtime.waits())
    after_looks(status)
    equal("launched: no socket of its own that another program could take", None, status()["trouble"])
    connection.close()
    connection = runtime.accept().configured()
    equal("launched: the connection lost, the next is one when it is synchronized, as any other", None, status()["connected_since"])
    connection.synchronize()
    ok("launched: and is one then", status()["connected_since"])
    granted(connection, "launched: the connection lost, it goes on as any other")
    finish(plugin, connection, "launched: ends well")

    # A runtime that launches it, and dies when it is told to
    def runtime_of_its_own(**how):
        return subprocess.Popen(["sh", "-c", '"$0" "$@" </dev/null >/dev/null 2>&1 & echo $!; read line', PATIENT, "--sysroot", NODE],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **how)
    parent, connection = launch(make=runtime_of_its_own)
    pid = int(parent.stdout.readline())
    runtime.drain()
    connection.begin()
    parent.stdin.close()
    parent.wait(PATIENCE)
    connection.close()
    until(lambda: state_of(pid) == "Z")
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


def surroundings(_runtime):
    """What a runtime that launches it may hand down by mistake, or by an unusual configuration: it serves all the same."""
    for what, (spoil, variables) in SURROUNDINGS.items():
        plugin, connection = launch(variables, preexec_fn=spoil)
        try:
            connection.begin()
            granted(connection, f"launched with {what}: served")
            if "grow" not in what:
                counts(served=1)
                equal(f"launched with {what}: its status is root's alone", 0o600, os.stat(STATUS).st_mode & 0o7777)
            equal(f"launched with {what}: ends well", 0, plugin.end())
        except (AssertionError, Closed, OSError) as error:
            ok(f"launched with {what}", False, f"{type(error).__name__}: {error} {plugin.process.poll()} {plugin.lines()}")
            plugin.end(signal.SIGKILL)
        connection.close()


# ---- two of them ----

def instance_of(name):
    return status(os.path.join(RUN, f"nri-{name}.json"))


def logged(*plugins):
    """The lines about containers that both have logged since the last time"""
    return [line for line in [plugin.settle() for plugin in plugins][-1].lines() if "container=" in line]


def two(runtime):
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
                second() if callable(second) else config(second)
        equal(what, want, got)
        said = logged(a, b)
        # A child logs behind its answer, so the second plugin's line may be the first.
        equal(f"{what}: lines in the log", sorted(lines), sorted(line.split(": ")[1] for line in said))

    def another_version():
        """It has written no more than a record must have, and what this one does not know."""
        name = next(name for name in os.listdir(RECORDS) if name.endswith(f"_{number[0]:064x}.json"))
        write(os.path.join(RECORDS, name), json.dumps({"schema": 2, "id": f"{number[0]:064x}", "result": "granted", "reason": "r",
                                                       "entry_point": "nri", "memlock": 8 << 20, "later": [{}]}))
        config("{}")

    eight = '{"memlock": "8Mi"}'
    ask("two: granted: the second one adds nothing", [(HCAS, ALL), ({}, [])], ["grant"], **RDMA)
    ask("two: a finite limit", [(HCAS, LIMIT), ({}, [])], ["grant"], first=eight, **RDMA)
    ask("two: a limit that is raised from the engine's", [(HCAS, [("RLIMIT_MEMLOCK", 8 << 20, 1 << 40)]), ({}, [])], ["grant"], first=eight,
        rlimits=[("RLIMIT_MEMLOCK", 65536, 1 << 40)], **RDMA)
    ask("two: the policy is raised in between: what is set stays, for NRI lets no two plugins set it", [(HCAS, LIMIT), ({}, [])], ["grant"], first=eight, second="{}", **RDMA)
    ask("two: the policy is lowered in between: nothing is lowered", [(HCAS, ALL), ({}, [])], ["grant"], second=eight, **RDMA)
    ask("two: the policy denies it in between: what is given stays", [(HCAS, ALL), ({}, [])], ["grant", "denied"], second='{"namespaces": ["b"]}', **RDMA)
    ask("two: the policy admits it in between: it is granted", [({}, []), (HCAS, ALL)], ["denied", "grant"], first='{"namespaces": ["b"]}', second="{}", **RDMA)
    ask("two: the policy has more variables in between: they are added", [(HCAS, ALL), ({"NCCL_X": "1"}, [])], ["grant", "grant"],
        second='{"nccl": {"extra": {"NCCL_X": "1"}}}', **RDMA)
    ask("two: a variable has another value in between: the first one stays", [(HCAS | {"NCCL_X": "1"}, ALL), ({}, [])], ["grant"],
        first='{"nccl": {"extra": {"NCCL_X": "1"}}}', second='{"nccl": {"extra": {"NCCL_X": "2"}}}', **RDMA)
    ask("two: another version, whose record has other fields, and another policy: what is set stays", [(HCAS, LIMIT), ({}, [])], ["grant"], first=eight,
        second=another_version, **RDMA)
    ask("two: another plugin's higher limit, before ours: no conflict", [(HCAS, []), ({}, [])], ["grant"], first=eight, rlimits=ALL, **RDMA)
    ask("two: denied: said once", [({}, []), ({}, [])], ["denied"], first='{"namespaces": ["b"]}', **RDMA)
    ask("two: denied for another reason in between: said again", [({}, []), ({}, [])], ["denied", "denied"], first='{"namespaces": ["b"]}',
        second='{"require_memory_limit": true}', **RDMA)
    ask("two: nothing: said once", [({}, []), ({}, [])], ["none"], annotations=ASKS)
    ask("two: failed: said once", [({}, []), ({}, [])], ["nri"], annotations={**ASKS, "oci-rdma-hook.io/memlock": "much"}, devices=TWO)
    ask("two: tcp: set once", [({"NCCL_IB_DISABLE": "1", "NCCL_IBEXT_DISABLE": "1", "NCCL_SOCKET_IFNAME": "=eth0"}, []), ({}, [])], ["tcp"],
        first='{"on_no_device": "tcp"}', annotations=ASKS)
    ask("two: on_denied warn, then fail: the stricter one refuses", [({}, []), 7], ["denied", "denied"], first='{"namespaces": ["b"]}',
        second='{"namespaces": ["b"], "on_denied": "fail"}', **RDMA)
    ask("two: no device, no annotation", [({}, []), ({}, [])], [])
    until(lambda: instance_of("a")["answers"] == 18 and instance_of("b")["answers"] == 18)

    config("{}")
    code, text = check()
    ok("--check: both are connected", code == 0 and "plugins     2 of 2 are connected\n" in text, text)
    b.end(signal.SIGKILL)
    connections[1].close()
    code, text = check()
    ok("--check, one is killed: the node is served, and it says so", code == 0 and "plugins     " in text and "connected to containerd" in text, text)
    begun = time.monotonic()
    equal("SIGTERM ends it", 0, a.end())
    ok("at once", time.monotonic() - begun < PATIENCE / 10)
    ok("its own status file goes with it, and not the other one's", not os.path.exists(STATUS.replace("nri", "nri-a", 1)) and
       sorted(name for name in os.listdir(os.path.dirname(STATUS)) if name.startswith("nri")) == ["nri-b.json", "nri-b.json.lock"])
    connections[0].close()


def died_before_its_answer(runtime):
    """One that is killed has left its note, and the runtime has not seen its answer: the other one gives all, and says so."""
    plugin, connection = served(runtime)
    config('{"memlock": "8Mi"}')
    granted(connection, "granted by one whose answer is lost", id="d" * 64)
    config("{}")
    granted(connection, "the other one, which sees nothing of it, gives all", (HCAS, ALL), id="d" * 64)
    granted(connection, "also beside the engine's own limit", (HCAS, ALL), id="d" * 64, rlimits=[("RLIMIT_MEMLOCK", 65536, 65536)])
    equal("each is logged", 3, len(logged(plugin)))
    finish(plugin, connection)


def watchdog(runtime):
    path = os.path.join(T, "watchdog")
    heard = hears(path)
    plugin, connection = served(runtime, env={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "10000000"})

    def barks(n):
        while n:
            n -= heard.recv(4096) == b"WATCHDOG=1"
        return True
    ok("systemd's watchdog is told that it works", barks(1))
    nothing_more(heard)
    begin = time.monotonic()
    ok("…once a second, and not more often", barks(3) and time.monotonic() - begin >= 1.9)
    plugin.stop()
    nothing_more(heard)
    time.sleep(2)
    ok("stopped: it hears nothing", not nothing_more(heard))
    plugin.send(signal.SIGCONT)
    ok("on again: it does", barks(1))
    finish(plugin, connection)
    plugin, connection = served(runtime, env={"NOTIFY_SOCKET": path})
    after_looks(status)
    ok("without a watchdog it hears nothing of it", nothing_more(heard) != b"WATCHDOG=1")
    finish(plugin, connection)
    heard.close()


def ends(runtime, plugin):
    connection = runtime.accept().begin()
    until(lambda: os.path.exists(STATUS))
    os.unlink(STATUS)
    ok("nri.json, removed: it comes back", until(lambda: os.path.exists(STATUS)))
    subprocess.run(["rm", "-r", RUN], check=True)
    ok("so does its directory", until(lambda: os.path.exists(STATUS)))
    for by in (signal.SIGHUP, signal.SIGPIPE):
        plugin.send(by)
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


def notifications(runtime):
    for path in (os.path.join(T, "notify"), "@" + T):
        heard = hears(path)
        begin = time.monotonic()
        plugin = Plugin(env={"NOTIFY_SOCKET": path})
        connection = runtime.accept().configured()
        connection.synchronize(more=True)
        early = nothing_more(heard)
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
    with hears(path), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.setblocking(False)
        try:
            while True:
                other.sendto(b"x", path)
        except BlockingIOError:
            pass
        plugin, connection = served(runtime, env={"NOTIFY_SOCKET": path})
        granted(connection, "systemd that does not listen is not waited for")
        finish(plugin, connection, "nor in the end")
    for path in ("", "/" + "x" * 500):
        plugin, connection = served(runtime, env={"NOTIFY_SOCKET": path})
        granted(connection, f"systemd at a path of {len(path)} bytes is not told")
        finish(plugin, connection, "which is no failure")


def without_nri(runtime):
    """An engine without NRI: the unit is ready all the same, since the kubelet waits for it, and the plugin goes on."""
    runtime.stop()
    path = os.path.join(T, "notify-without")
    heard = hears(path)
    begin = time.monotonic()
    plugin = Plugin(env={"NOTIFY_SOCKET": path})
    ok("systemd, no socket: it hears why", heard.recv(4096).startswith(b"STATUS=not connected: "))
    equal("systemd, no socket: READY=1 comes all the same", WAITED, heard.recv(4096))
    ok("not before the engine had its time", time.monotonic() - begin >= WAITS)
    ok("and --check says that it is not connected", check()[0] == 1)
    runtime.listen()
    connection = runtime.accept().begin()
    ok("it goes on, and connects when NRI is switched on", heard.recv(4096).startswith(b"READY=1\nSTATUS=connected"))
    finish(plugin, connection)
    plugin = Plugin(env={"NOTIFY_SOCKET": path})
    connection = runtime.accept()
    ok("systemd, an engine that accepts the connection and says nothing: READY=1 comes, too", until(lambda: heard.recv(4096) == WAITED))
    finish(plugin, connection)
    heard.close()


# ---- what it costs ----

def metrics(runtime):
    path = os.path.join(T, "metrics.prom")
    plugin, connection = served(runtime, "--metrics", path)
    connection.create()
    connection.create(**RDMA)
    # Who writes them counts the records, which are there before the answer.
    text = until(lambda: (lambda t: 'granted"} 1' in t and "seconds_count 2" in t and t)(open(path).read() if os.path.exists(path) else ""))
    sys.path.append("/usr/lib/python3/dist-packages")
    from prometheus_client.parser import text_string_to_metric_families
    samples = {(s.name, *s.labels.values()): s.value for family in text_string_to_metric_families(text) for s in family.samples}
    equal("metrics: connected", 1, samples["oci_rdma_nri_connected",])
    equal("metrics: all are answers", 2, samples["oci_rdma_nri_answer_seconds_bucket", "+Inf"])
    ok("metrics: readable for all", os.stat(path).st_mode & 0o777 == 0o644)
    written = samples["oci_rdma_nri_written_timestamp_seconds",]
    ok("metrics: written again, although nothing has changed", until(lambda: f"timestamp_seconds {int(written)}" not in open(path).read()))
    connection.close()
    until(lambda: "oci_rdma_nri_connected 0" in open(path).read())
    plugin.end()
    runtime.drain()  # it has come again, perhaps
    metrics_refused(runtime)


def metrics_refused(runtime):
    """In the collector's own directory: root, but without the capability for that"""
    place = os.path.join(T, "collector")
    os.mkdir(place, 0o755)
    os.chown(place, 12345, 12345)
    plugin, connection = served(runtime, "--metrics", os.path.join(place, "m.prom"))
    line = plugin.logs("Permission denied")
    ok("metrics in another's directory: the log names the file, and what to do",
       "metrics: " in line and "m.prom" in line and "must belong to root" in line, line)
    plugin.end()
    connection.close()


def confined(runtime, plugin):
    runtime.accept().begin()
    equal("confined: a filter of system calls", "2", plugin.field("Seccomp"))
    equal("confined: no new privileges", "1", plugin.field("NoNewPrivs"))
    allowed = 1 << 24  # SYS_RESOURCE
    with open("/proc/self/status") as f:
        ours = int(re.search(r"CapEff:\s+(\w+)", f.read()).group(1), 16)
    equal("confined: one capability, as far as it had it, and no other", ours & allowed, int(plugin.field("CapEff"), 16))
    equal("confined: it is in the node's root", "/", os.readlink(f"/proc/{plugin.pid}/cwd"))


SCENES = (garbage, decisions, reconnects, ends, confined, two, died_before_its_answer, files_opened, deadline,
          at_once, launched, surroundings, notifications, without_nri, watchdog, metrics)

# A build with sanitizers traces its children, and has the patience of minutes.
SLOW = "garbage decisions reconnects two launched ends notifications watchdog metrics"

if __name__ == "__main__":
    sys.exit(play(SCENES, os.environ.get("SCENES", SLOW if os.environ.get("SLOW") else "").split()))
