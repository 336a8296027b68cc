"""The shim and the hook, killed or failed at each system call in turn, by strace's injection. TAP on stdout; run by system-call-faults.sh.

  system_call_faults.py HOOK NODE DIR

NODE is made of tests/nodes/one.json. DIR has rdma/ and none/, bundles with and without the device uverbs6; rt/echo, which prints its
arguments, stands for the runtime, and so does /usr/bin/crun, the default one.
"""
import glob
import json
import os
import queue
import re
import resource
import shutil
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Checks

ID = "container"
ERRORS = ("ENOSPC", "EIO", "EROFS", "EPERM", "ENOMEM", "EINTR")
MORE_ERRORS = {"openat2": ("ENOSYS", "EMFILE", "EAGAIN", "EPERM"), "openat": ("EMFILE", "EPERM"), "flistxattr": ("EOPNOTSUPP",),
               "fsetxattr": ("EOPNOTSUPP",), "fgetxattr": ("ENODATA",),
               "unlinkat": ("ENOENT",), "mkdir": ("ENOENT",)}
# Of calls that only read: what a disk, a sick driver or a full machine makes of them
READING = {"newfstatat", "fstat", "read", "pread64", "readlink", "readlinkat", "getdents64", "flistxattr", "fgetxattr", "fstatfs",
           "prlimit64", "access", "statx",
           "socket", "connect", "sendto", "sendmsg", "pidfd_open", "getcwd"}
READING_ERRORS = ("EIO", "ENOMEM", "EINTR")
ONLY_ERRORS = {"poll": ("ENOMEM", "EINTR")}
# Calls that do not fail, or whose failure says nothing; of brk see out_of_memory.py
HARMLESS = {"brk", "getpid", "geteuid", "getegid", "getuid", "getgid", "alarm", "rt_sigaction", "rt_sigprocmask", "exit_group", "prctl", "setitimer",
            "arch_prctl", "execve", "lseek",
            "close", "fcntl", "munmap", "rt_sigreturn", "exit", "getrandom"}
# A look-up that the kernel gave up, and not we: whatever is renamed or mounted on the machine meanwhile can do that (openat2(2), EAGAIN)
GIVEN_UP = re.compile(rb"^openat2\(.* = -1 EAGAIN [^\n]*(?<!\(INJECTED\))$", re.MULTILINE)
MEMLOCK = (1 << 20, 8 << 20)  # of the container's process, before the hook; "memlock" of the config is the hard limit
NCCL = b"NCCL_IB_HCA==mlx5_6\n"
IMAGE = b"NCCL_DEBUG=INFO\n"
PAGE = os.sysconf("SC_PAGE_SIZE")
LABEL = ("security.selinux", b"system_u:object_r:container_file_t:s0")


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def label(path):
    try:
        return os.getxattr(path, LABEL[0])
    except OSError:
        return None


def write(path, text):
    with open(path, "wb") as file:
        file.write(text)


class Call:
    """One system call of a run: its place, its name, which of that name it is, and what strace prints of it."""

    def __init__(self, index, name, number, text):
        self.index, self.name, self.number, self.text = index, name, number, text

    def __str__(self):
        return f"call {self.index}, {self.text[:100]}"


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __str__(self):
        return f"status {self.status}, stdout {self.out[:200]!r}, stderr {self.err[:300]!r}"


class Place:
    """A directory for one thread: a node, whose records are this thread's, a bundle, the runtime's --root, a process.json and a process."""

    def __init__(self, suite, name):
        self.suite, self.dir = suite, f"{suite.dir}/{name}"
        self.bundle, self.root, self.exec = (f"{self.dir}/{part}" for part in ("bundle", "run", "exec"))
        self.config, self.process, self.pidfile = f"{self.bundle}/config.json", f"{self.exec}/process.json", f"{self.dir}/pidfile"
        self.etc, self.trace = f"{self.bundle}/rootfs/etc", f"{self.dir}/trace"
        os.makedirs(self.dir)
        self.node = f"{self.dir}/node"
        shutil.copytree(suite.node, self.node, symlinks=True)
        self.policy = {}
        for on_error in ("warn", "fail"):
            self.policy[on_error] = f"{self.dir}/{on_error}.json"
            write(self.policy[on_error], json.dumps({"on_error": on_error, "memlock": "8Mi"}).encode())
        self.pid, self.label = None, None

    def begin(self):
        """The container's process, which the runtime starts behind create."""
        self.end()
        self.pid = os.posix_spawnp("busybox", ["busybox", "sleep", "14400"], {})  # static: a third of the time
        write(self.pidfile, str(self.pid).encode())

    def begin_limited(self):
        self.begin()
        resource.prlimit(self.pid, resource.RLIMIT_MEMLOCK, MEMLOCK)

    def end(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.pid = None

    def keep(self):
        """What crun keeps of a container that it has created"""
        os.makedirs(f"{self.root}/{ID}")
        shutil.copy(self.config, f"{self.root}/{ID}/config.json")

    def fresh(self, case, image=None):
        """image: the /etc/nccl.conf of the image"""
        for path in (self.bundle, self.root, self.exec, f"{self.node}/run/oci-rdma-hook", "/run/oci-rdma-hook"):
            shutil.rmtree(path, ignore_errors=True)
        os.makedirs(self.etc)
        os.mkdir(self.exec)
        write(self.config, self.suite.text[case])
        os.chmod(self.config, 0o640)
        os.chown(self.config, 12, 34)
        write(self.process, self.suite.text["process"])
        for path in (self.config, self.process):
            try:
                os.setxattr(path, *LABEL)
            except OSError:
                pass  # this kernel or file system has none
        if image is not None:
            write(f"{self.etc}/nccl.conf", image)
        self.label = label(self.config)
        self.end()

    def run(self, arguments, on_error="warn", strace=(), stdin="/dev/null", env=None):
        out, err = f"{self.dir}/out", f"{self.dir}/err"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        actions = [(os.POSIX_SPAWN_OPEN, fd, path, how, 0o600) for fd, path, how in ((0, stdin, os.O_RDONLY), (1, out, flags), (2, err, flags))]
        env = {"OCI_RDMA_SYSROOT": self.node, "OCI_RDMA_CONFIG": self.policy[on_error], **(env or {})}
        command = [*strace, *arguments]
        if strace and os.path.exists(self.trace):
            os.unlink(self.trace)  # the last run's detached strace may have its end to write still
        path = command[0] if "/" in command[0] else shutil.which(command[0])
        child = os.posix_spawn(path, command, env, file_actions=actions)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return Result(status, read(out), read(err))

    # The command lines of the shim, and of the hook

    def create(self):
        return [self.suite.shim, f"--root={self.root}", "create", "--bundle", self.bundle, "--pid-file", self.pidfile, ID]

    def exec_process(self):
        return [self.suite.shim, f"--root={self.root}", "exec", "--process", self.process, ID]

    def exec_by_hand(self):
        return [self.suite.shim, f"--root={self.root}", "exec", ID, "sh"]

    def delete(self):
        return [self.suite.shim, f"--root={self.root}", "delete", "--force", ID]

    def hook(self, on_error):
        return [self.suite.hook, "--sysroot", self.node, "--config", self.policy[on_error], "createRuntime"]

    def precreate(self, on_error):
        return [self.suite.hook, "--sysroot", self.node, "--config", self.policy[on_error], "precreate"]

    def put_state(self):
        path = f"{self.dir}/state.json"
        write(path, json.dumps({"ociVersion": "1.0", "id": ID, "pid": self.pid, "bundle": self.bundle, "status": "created"}).encode())
        return path

    # What is there now

    def ran(self, result, arguments):
        """The runtime was started with these arguments."""
        return result.out.endswith(" ".join(arguments[1:]).encode() + b"\n")

    def temporaries(self):
        walks = [walk for part in (self.bundle, self.root, self.exec) for walk in os.walk(part)]
        return [os.path.join(folder, name) for folder, _, names in walks for name in names if name.startswith(".")]

    def properties_stay(self, path, mode, uid, gid):
        st = os.stat(path)
        return (st.st_mode & 0o7777, st.st_uid, st.st_gid) == (mode, uid, gid) and label(path) == self.label

    def limit(self):
        return resource.prlimit(self.pid, resource.RLIMIT_MEMLOCK)


class Suite:
    def __init__(self, hook, node, work):
        self.hook, self.node, self.dir, self.shim = hook, node, work, f"{work}/bin/oci-rdma-runtime-crun"
        # Of `make coverage`: who is killed counts nothing, and the counters need memory and descriptors themselves
        self.counted = False
        self.text = {name: read(f"{work}/{name}/config.json") for name in ("rdma", "none")}
        self.text["process"] = read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "process-exec.json"))
        self.checks = Checks()
        self.places = [Place(self, f"w{i}") for i in range(min(4, os.cpu_count()))]
        os.mkdir(f"{node}/run")
        self.learn()

    def learn(self):
        """What good runs make."""
        place = self.places[0]
        place.fresh("rdma")
        good = place.run(place.create())
        self.new = {"config": read(place.config)}
        limits = re.compile(rb',\s*"rlimits":\[[^]]*\]')  # where it may be granted all but the limit
        self.without_limit = limits.sub(b"", self.new["config"])
        place.keep()
        place.run(place.exec_process())
        self.new["process"] = read(place.process)
        place.fresh("rdma")
        place.begin_limited()
        place.run(place.hook("warn"), stdin=place.put_state())
        self.new["nccl"] = read(f"{place.etc}/nccl.conf")
        place.fresh("rdma", image=IMAGE)
        place.begin_limited()
        place.run(place.hook("warn"), stdin=place.put_state())
        self.new["image"] = read(f"{place.etc}/nccl.conf")
        self.checks.that("good runs edit the files", "create, exec, createRuntime",
                         good.status == 0 and self.new["config"] != self.text["rdma"] and self.new["process"] != self.text["process"]
                         and NCCL in self.new["nccl"] and self.new["image"].startswith(IMAGE), str(good))
        self.checks.report("control")

    def is_runtime(self, call):
        """The call asks whether the only runtime can be run; the answer is no."""
        return '/crun", ' in call.text

    def sweep(self, tasks, work):
        """work(place, task) for each task, in as many threads as there are places."""
        pending = queue.SimpleQueue()
        broken = []
        for task in tasks:
            pending.put(task)

        def loop(place):
            try:
                while True:
                    work(place, pending.get_nowait())
            except queue.Empty:
                pass
            except Exception as error:  # pylint: disable=broad-except
                broken.append(error)
                raise
        threads = [threading.Thread(target=loop, args=(place,)) for place in self.places]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if broken:
            raise broken[0]

    def calls(self, prepare, arguments, on_error="warn", stdin=None):
        """The system calls of a good run, up to the start of the runtime."""
        place = self.places[0]
        prepare(place)
        strace = detached(["strace", "-o", place.trace, "-s", "300", "--"])
        place.run(arguments(place), on_error, strace, stdin(place) if stdin else "/dev/null")
        injected(place)
        calls, numbers = [], {}
        for line in read(place.trace).decode(errors="replace").splitlines():
            match = re.match(r"(\w+)\(", line)
            if not match:
                continue
            if GIVEN_UP.search(line.encode()):
                continue
            if ".gcda" in line:  # the counters are written, at the end
                self.counted = True
                break
            name = match.group(1)
            numbers[name] = numbers.get(name, 0) + 1
            # strace does not count the start of its own program
            calls.append(Call(len(calls), name, numbers[name] - (name == "execve"), line))
            if name == "execve" and len(calls) > 1:
                break
        # The C library's own start, in which nothing of ours runs
        first = next(call.index for call in calls if call.name in ("fcntl", "openat", "openat2"))
        return calls, first


def injection(place, call, what):
    # In place of a call that is to fail strace makes this one: -1, which it makes otherwise, the hook's filter does not know.
    if what.startswith("error="):
        what += ":syscall=getpid"
    return ["strace", "-o", place.trace, "-e", f"trace={call.name}", "-e", f"inject={call.name}:{what}:when={call.number}", "--"]


def undisturbed(place, prepare, run):
    """What run returns, once no look-up had to be asked for again: those behind it have other numbers."""
    while True:
        prepare(place)
        result = run()
        if not GIVEN_UP.search(read(place.trace) or b""):
            return result


def injected(place):
    """It was reached; or, of a detached strace, when that has ended."""
    for _ in range(300000):  # minutes: an end comes
        trace = read(place.trace) or b""
        if b"(INJECTED)" in trace or b"\n+++ " in trace:
            break
        time.sleep(0.001)
    return b"(INJECTED)" in trace


def detached(strace):
    """The tracee stays the child of who started it: the hook looks at its parent."""
    return [strace[0], "-D", *strace[1:]]


def last(calls, part):
    return max(call.index for call in calls if part in call.text)


def policy_is_known(calls):
    """Where a hook has read its config, which is behind the proof: only from there on is it known that a failure is to fail."""
    opened = last(calls, '"warn.json"')
    fd = calls[opened].text.rsplit("= ", 1)[1]
    return next(call.index for call in calls[opened:] if call.text.startswith(f"close({fd})"))


# ---- the shim: killed ----

def synced(suite):
    """config.json outlives a crash of the node: its text is on the disk before its name."""
    calls, _ = suite.calls(prepare_create, Place.create)
    renamed = next(call.index for call in calls if call.name.startswith("rename") and '"config.json"' in call.text)
    fd = next(call.text for call in reversed(calls[:renamed]) if call.name == "openat2").rsplit("= ", 1)[1]
    suite.checks.that("config.json is synced before it is renamed", "create", any(call.text.startswith(f"fsync({fd})") for call in calls[:renamed]))
    suite.checks.report("create")


def named(call):
    """How many temporary files who ends at this call may leave: between its getting a name and its getting the right one."""
    return int(call.name.startswith(("linkat", "rename")))


def killed(suite, name, prepare, arguments, target):
    """target: the file that is rewritten, "config" or "process"."""
    checks = suite.checks
    calls, _ = suite.calls(prepare, arguments)
    old = suite.text["rdma"] if target == "config" else suite.text["process"]
    new = suite.new[target]

    def work(place, call):
        path = place.config if target == "config" else place.process

        def run():
            return os.stat(path), place.run(arguments(place), strace=injection(place, call, "signal=KILL"))
        st, result = undisturbed(place, prepare, run)
        checks.that("it is killed at every system call", call, result.status == -signal.SIGKILL, str(result))
        now = read(path)
        checks.that("the file is the old or the new one, whole", call, now in (old, new), lambda: repr(now)[:200])
        checks.that("its mode, owner and label are the same", call, place.properties_stay(path, st.st_mode & 0o7777, st.st_uid, st.st_gid))
        done = place.run(arguments(place))
        good = done.status == 0 and not done.err and place.ran(done, arguments(place))
        checks.that("a normal run then is silent and starts the runtime", call, good, str(done))
        checks.that("and makes the new file", call, read(path) == new, lambda: repr(read(path))[:200])
        checks.that("and no temporary file is there", call, len(place.temporaries()) <= named(call), lambda: str(place.temporaries()))
    suite.sweep(calls[1:], work)
    suite.checks.report(f"{name} killed at each of {len(calls) - 1} system calls")


# ---- the shim: errors ----

def failures(calls, errors):
    """Each call with each error that it may fail with, under both policies."""
    def of(call):
        if call.name in ONLY_ERRORS:
            return ONLY_ERRORS[call.name]
        reads = call.name in READING or "O_PATH" in call.text or "O_RDONLY" in call.text
        return (READING_ERRORS if reads and errors == ERRORS else errors) + MORE_ERRORS.get(call.name, ())
    return [(call, error, on_error) for call in calls if call.name not in HARMLESS for error in of(call) for on_error in ("warn", "fail")]


class Outcome:
    """What a run of the shim that had one failing system call made of it."""

    def __init__(self, place, result, arguments, target):
        suite = place.suite
        self.result = result
        self.ran = result.status == 0 and place.ran(result, arguments)
        self.silent = not result.err
        self.failed = 0 < result.status < 127 and not place.ran(result, arguments) and result.err.count(b"\n") == 1
        self.no_runtime = result.status == 127 and result.err.count(b"\n") == 1
        path, old = (place.config, suite.text["rdma"]) if target == "config" else (place.process, suite.text["process"])
        now = read(path)
        self.file = {old: "old", suite.new[target]: "new", suite.without_limit: "without limit"}.get(now, repr(now)[:100])
        self.left = place.temporaries()
        self.labeled = label(path) == place.label
        self.full = self.ran and self.silent and self.file == "new"

    def __str__(self):
        return f"{self.result}, file {self.file}, left {self.left}"


def failing(suite, name, prepare, arguments, target, may_pass):
    """may_pass(call): a failure there may leave the container unserved, silently, also under "fail": nobody knows yet that it is ours."""
    checks = suite.checks
    calls, first = suite.calls(prepare, arguments)
    tasks = failures(calls[first:], ERRORS)

    def work(place, task):
        call, error, on_error = task
        case = f"{error}, on_error {on_error}, {call}"
        result = undisturbed(place, prepare,
                             lambda: place.run(arguments(place), on_error, injection(place, call, f"error={error}")))
        outcome = Outcome(place, result, arguments(place), target)
        checks.that("the call did fail", case, injected(place))
        checks.that("no crash", case, result.status >= 0, str(outcome))
        if on_error == "warn" and "RLIMIT_MEMLOCK" in call.text and outcome.file == "without limit":
            outcome.file = "new"
        checks.that("the file is the old or the new one, whole", case, outcome.file in ("old", "new"), str(outcome))
        no_labels = call.name == "flistxattr" and error == "EOPNOTSUPP"  # of a file system that has none
        checks.that("its label is the same", case, outcome.labeled or no_labels, str(outcome))
        checks.that("no temporary file is left", case, not outcome.left or call.name == "unlinkat", str(outcome))
        if outcome.no_runtime and suite.is_runtime(call):
            return
        if on_error == "warn":
            checks.that("on_error warn: the runtime is started, silently", case, outcome.ran and outcome.silent, str(outcome))
            return
        unserved = outcome.ran and outcome.silent and outcome.file == "old"
        good = outcome.full or outcome.failed or (unserved and may_pass(call))
        checks.that("on_error fail: success or one clear line, nothing between", case, good, str(outcome))
    suite.sweep(tasks, work)
    suite.checks.report(f"{name}, {len(tasks)} failing system calls")


def by_hand(suite):
    """Without a process.json only the runtime's own limit is raised."""
    checks, place = suite.checks, suite.places[0]
    calls, _ = suite.calls(prepare_exec, Place.exec_by_hand)
    call = next(call for call in calls if call.name == "prlimit64" and "RLIMIT_MEMLOCK, {" in call.text)
    for on_error in ("warn", "fail"):
        prepare_exec(place)
        result = place.run(place.exec_by_hand(), on_error, injection(place, call, "error=EPERM"))
        checks.that("the call did fail", on_error, injected(place))
        good = result.status == 0 and place.ran(result, place.exec_by_hand()) and not result.err
        if on_error == "fail":
            good = result.status == 1 and not result.out and result.err.count(b"\n") == 1
        checks.that("started under warn, one line under fail", on_error, good, str(result))
    checks.report("exec by hand, whose limit cannot be raised")


def unconcerned(suite, name, prepare, arguments, errors):
    """A container without RDMA never notices."""
    checks = suite.checks
    calls, first = suite.calls(prepare, arguments)
    tasks = failures(calls[first:], errors)

    def work(place, task):
        call, error, on_error = task

        def stamps():
            return [(path, os.stat(path).st_ino, os.stat(path).st_mtime_ns) for path in (place.config, place.process)]

        def run():
            return stamps(), place.run(arguments(place), on_error, injection(place, call, f"error={error}"))
        before, result = undisturbed(place, prepare, run)
        case = f"{error}, on_error {on_error}, {call}: {result}"
        checks.that("the call did fail", case, injected(place))
        if result.status == 127 and result.err.count(b"\n") == 1 and suite.is_runtime(call):
            return
        checks.that("the runtime is started, silently", case, result.status == 0 and place.ran(result, arguments(place)) and not result.err)
        checks.that("nothing is touched", case, before == stamps() and not place.temporaries())
    suite.sweep(tasks, work)
    suite.checks.report(f"{name}, {len(tasks)} failing system calls")


def hook_timeouts():
    files = [f for pattern in ("hooks.d/*/*.json", "podman/precreate.d/*.json") for f in glob.glob(f"config/{pattern}")]
    return [json.load(open(f, encoding="utf-8"))["hook"]["timeout"] for f in files]


def late(suite, name, prepare, arguments, target, may_pass):
    """The deadline's signal at each system call from when it is set."""
    checks = suite.checks
    calls, _ = suite.calls(prepare, arguments)
    # glibc's alarm(3) is a system call; musl's is setitimer.
    clock = [call.index for call in calls if re.match(r"(alarm|setitimer)\(", call.text)]
    armed, disarmed = clock[0], clock[-1]
    first = next(call.text for call in calls if call.index == armed)
    seconds = re.search(r"alarm\((\d+)|it_value=\{tv_sec=(\d+)", first)
    seconds = int(seconds[1] or seconds[2])
    checks.that("an alarm is set first, below the hook files' timeout", first,
                0 < seconds < min(hook_timeouts()) and disarmed - armed > 20, f"{disarmed - armed} system calls")
    tasks = [(call, on_error) for call in calls[armed + 1:disarmed + 1] for on_error in ("warn", "fail")]

    def work(place, task):
        call, on_error = task
        result = undisturbed(place, prepare, lambda: place.run(arguments(place), on_error, injection(place, call, "signal=ALRM")))
        outcome = Outcome(place, result, arguments(place), target)
        case = f"on_error {on_error}, {call}"
        checks.that("the file is the old or the new one, whole", case, outcome.file in ("old", "new"), str(outcome))
        if on_error == "warn":
            checks.that("on_error warn: the runtime is started", case, outcome.ran, str(outcome))
        else:
            good = outcome.full or outcome.failed or (outcome.ran and may_pass(call))
            checks.that("on_error fail: success or one clear line, nothing between", case, good, str(outcome))
        done = place.run(arguments(place))
        checks.that("a normal run then has the full result, and leaves no temporary file", case,
                    done.status == 0 and Outcome(place, done, arguments(place), target).full and len(place.temporaries()) <= named(call), str(done))
    suite.sweep(tasks, work)
    suite.checks.report(f"{name}, not done in time at each of {disarmed - armed} system calls")


# ---- limits that are real ----

def full_disk(suite):
    """A real one: a tmpfs with room for so many pages more than what is there."""
    checks = suite.checks
    place = suite.places[0]
    for pages in range(4):
        for on_error in ("warn", "fail"):
            for part, target in ("bundle", "config"), ("exec", "process"):
                place.fresh("rdma")
                if part == "exec":
                    place.run(place.create())
                    place.keep()
                where = getattr(place, part)
                os.makedirs(where, 0o700, exist_ok=True)
                kept = {name: read(f"{where}/{name}") for name in os.listdir(where) if os.path.isfile(f"{where}/{name}")}
                size = sum(-(-len(text) // PAGE) for text in kept.values()) + pages
                suite.must("mount", "-t", "tmpfs", "-o", f"size={max(1, size) * PAGE},mode=700", "full", where)
                for file, text in kept.items():
                    write(f"{where}/{file}", text)
                if part == "bundle":
                    os.chmod(place.config, 0o640)
                arguments = place.exec_process() if part == "exec" else place.create()
                result = place.run(arguments, on_error)
                outcome = Outcome(place, result, arguments, target)
                case = f"{part} with {pages} free pages, on_error {on_error}"
                checks.that("the file is the old or the new one, whole", case, outcome.file in ("old", "new"), str(outcome))
                checks.that("no temporary file is left", case, not outcome.left, str(outcome))
                if on_error == "warn":
                    checks.that("on_error warn: the runtime is started, silently", case, outcome.ran and outcome.silent, str(outcome))
                else:
                    checks.that("on_error fail: success or one clear line", case, outcome.full or outcome.failed, str(outcome))
                if pages == 3:
                    checks.that("with room enough it works", case, outcome.full, str(outcome))
                suite.must("umount", where)
    suite.checks.report("a full disk")


# ---- the hook and precreate ----

def hook(suite, image, errors):
    checks = suite.checks
    good = suite.new["image" if image is not None else "nccl"]

    def prepare(place):
        place.fresh("rdma", image=image)
        place.begin_limited()

    def conf(place):
        return read(f"{place.etc}/nccl.conf")

    def run(place, on_error="warn", strace=()):
        return place.run(place.hook(on_error), on_error, detached(strace) if strace else (), place.put_state())

    calls, first = suite.calls(prepare, lambda place: place.hook("warn"), stdin=Place.put_state)
    known = policy_is_known(calls)

    def kill(place, call):
        result = undisturbed(place, prepare, lambda: run(place, strace=injection(place, call, "signal=KILL")))
        checks.that("it is killed at every system call", call, result.status == -signal.SIGKILL, str(result))
        checks.that("killed: nccl.conf is the old or the new one, whole", call, conf(place) in (image, good), lambda: repr(conf(place)))
        result = run(place)
        checks.that("a normal run then is silent", call, result.status == 0 and not result.err, str(result))
        checks.that("and makes nccl.conf and the limit", call, conf(place) == good and place.limit() == (MEMLOCK[1], MEMLOCK[1]),
                    lambda: str(place.limit()))
        checks.that("and no temporary file is there", call, len(place.temporaries()) <= named(call), lambda: str(place.temporaries()))
    if not suite.counted:
        suite.sweep(calls[1:], kill)

    def error(place, task):
        call, error, on_error = task
        case = f"{error}, on_error {on_error}, {call}"
        result = undisturbed(place, prepare, lambda: run(place, on_error, injection(place, call, f"error={error}")))
        full = result.status == 0 and conf(place) == good and place.limit() == (MEMLOCK[1], MEMLOCK[1])
        clear = result.status == 1 and result.err.count(b"\n") == 1
        checks.that("the call did fail", case, injected(place))
        checks.that("no crash, and no word on stdout", case, result.status in (0, 1) and not result.out, str(result))
        checks.that("nccl.conf is the old or the new one, whole", case, conf(place) in (image, good), lambda: repr(conf(place)))
        checks.that("no temporary file is left", case, not place.temporaries() or call.name == "unlinkat", lambda: str(place.temporaries()))
        if on_error == "warn":
            good_warn = result.status == 0 and (full or result.err.count(b"\n") == 1 or call.index <= known)
            checks.that("on_error warn: the container starts, and a failure is said in one line", case, good_warn, str(result))
        else:
            good_fail = full and not result.err or clear or call.index <= known
            checks.that("on_error fail: success or one clear line, nothing between", case, good_fail, str(result))
    suite.sweep(failures(calls[first:], errors), error)
    suite.checks.report(f"createRuntime, {'an image with nccl.conf' if image else 'no nccl.conf'}")


def precreate(suite):
    checks = suite.checks

    def stdin(place):
        return place.config

    def prepare(place):
        place.fresh("rdma")
    calls, first = suite.calls(prepare, lambda place: place.precreate("warn"), stdin=stdin)
    known = policy_is_known(calls)
    tasks = failures(calls[first:], ("EIO", "ENOMEM"))

    def work(place, task):
        call, error, on_error = task
        result = undisturbed(place, prepare, lambda: place.run(place.precreate(on_error), on_error,
                                                               injection(place, call, f"error={error}"), place.config))
        case = f"{error}, on_error {on_error}, {call}: status {result.status}, {len(result.out)} bytes, stderr {result.err!r}"
        checks.that("the call did fail", case, injected(place))
        # What cannot be read, held or written cannot be handed on.
        written = call.text.startswith(("write(1,", "read(0,", "newfstatat(0,", "fstat(0,", "mmap("))
        clear = result.status == 1 and result.err.count(b"\n") == 1
        checks.that("no crash", case, result.status in (0, 1))
        whole = [suite.text["rdma"], suite.new["config"]]
        if on_error == "warn" and "RLIMIT_MEMLOCK" in call.text:
            whole.append(suite.without_limit)
        checks.that("what succeeds has written one text, whole", case, result.status != 0 or result.out in whole)
        if on_error == "warn":
            checks.that("on_error warn: podman goes on", case, result.status == 0 or written and clear)
        else:
            full = result.status == 0 and result.out == suite.new["config"]
            checks.that("on_error fail: success or one clear line, nothing between", case, full or clear or call.index <= known)
    suite.sweep(tasks, work)
    suite.checks.report(f"precreate, {len(tasks)} failing system calls")


# ---- all of it ----

def prepare_create(place):
    place.fresh("rdma")


def prepare_exec(place):
    place.fresh("rdma")
    place.run(place.create())
    place.keep()


def prepare_none(place):
    place.fresh("none")
    place.keep()


def only_root(suite):
    def must(*command):
        if os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn(shutil.which(command[0]), command, os.environ), 0)[1]):
            raise RuntimeError(" ".join(command))
    suite.must = must


def main():
    signal.alarm(3600)  # for a child that hangs; the whole takes half a minute
    resource.setrlimit(resource.RLIMIT_MEMLOCK, MEMLOCK)
    suite = Suite(*sys.argv[1:4])
    only_root(suite)
    try:
        synced(suite)
        if not suite.counted:
            killed(suite, "create", prepare_create, Place.create, "config")
            killed(suite, "exec", prepare_exec, Place.exec_process, "process")

        calls, _ = suite.calls(prepare_create, Place.create)
        proof = last(calls, "physfn")
        failing(suite, "create", prepare_create, Place.create, "config", lambda call: call.index <= proof)
        known = next(call.index for call in calls if "/ports" in call.text)
        late(suite, "create", prepare_create, Place.create, "config", lambda call: call.index < known)

        calls, _ = suite.calls(prepare_exec, Place.exec_process)
        believed = next(call.index for call in calls if '/exec"' in call.text)
        failing(suite, "exec", prepare_exec, Place.exec_process, "process", lambda call: call.index < believed)
        late(suite, "exec", prepare_exec, Place.exec_process, "process", lambda call: call.index < believed)

        by_hand(suite)

        unconcerned(suite, "create without RDMA", prepare_none, Place.create, ("EIO", "ENOMEM"))
        unconcerned(suite, "exec without RDMA", prepare_none, Place.exec_process, ("EIO", "ENOMEM"))
        unconcerned(suite, "delete without RDMA", lambda place: place.fresh("none"), Place.delete, ("EIO",))
        full_disk(suite)
        hook(suite, None, ERRORS)
        hook(suite, IMAGE, ("ENOSPC",))
        precreate(suite)
    finally:
        for place in suite.places:
            place.end()


if __name__ == "__main__":
    main()
