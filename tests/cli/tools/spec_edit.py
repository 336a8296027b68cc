"""The edited spec, byte by byte and by what it means. TAP on stdout; run by spec-edit.sh.

  edit.py HOOK NODE DIR recorded CONFIG-DIR   a recorded bundle and its process.json, in every spelling that engines write
  edit.py HOOK NODE DIR generated             some hundreds of specs that no engine wrote
  edit.py - - - show SET SEED                 prints one of those, to look at what a failure was about

NODE is made of tests/nodes/one.json: uverbs6, 231:198, is mlx5_6. DIR is a directory to work in, DIR/oci-rdma-runtime the shim.
"""
import json
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import specs
from jsontext import MEMLOCK, SETS, Grant, model_of, parse, undo, wanted
from tap import Checks

SOFT, HARD = 1 << 20, 8 << 20  # our own memlock; spec-edit.sh sets it


def most():
    """unlimited; where nobody may raise a limit, our own hard one"""
    child = os.posix_spawnp("prlimit", ["prlimit", "--memlock=unlimited:unlimited", "true"], os.environ,
                           file_actions=[(os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
    return 2**64 - 1 if os.waitpid(child, 0)[1] == 0 else HARD


MOST = most()
MOST_WORD = "unlimited" if MOST > HARD else str(HARD)
RICH = min(MOST, 2**36)
HCA = ("NCCL_IB_HCA", "=mlx5_6")
EXTRA = {"NCCL_IB_TC": "106", "QUOTES": 'a "b" \\c\\ <d> & /e', "LETTERS": "größe \U0001f600"}
TCP = [("NCCL_IB_DISABLE", "1"), ("NCCL_IBEXT_DISABLE", "1"), ("NCCL_SOCKET_IFNAME", "=eth0")]
# By name, since without a name a finite limit comes without it
LOCK = {"capabilities": ["CAP_IPC_LOCK"]}
# name: config.json, what it gives, how many specs, and what it gives without a device
CONFIGS = {
    "default": ({"memlock": MOST_WORD, **LOCK}, Grant(MOST, ["CAP_IPC_LOCK"], [HCA]), 120, None),
    "rich": ({"memlock": RICH, "capabilities": ["CAP_IPC_LOCK", "CAP_SYS_NICE"], "nccl": {"extra": EXTRA, "socket_ifname": "^docker0,lo"}},
             Grant(RICH, ["CAP_IPC_LOCK", "CAP_SYS_NICE"], [HCA, ("NCCL_SOCKET_IFNAME", "^docker0,lo"), *EXTRA.items()]), 100, None),
    "memlock alone": ({"memlock": "8Mi", "capabilities": [], "nccl": {"hca": False}}, Grant(2**23), 40, None),
    "amend": ({"seccomp": "amend", "memlock": MOST_WORD, **LOCK}, Grant(MOST, ["CAP_IPC_LOCK"], [HCA], True), 80, None),
    "tcp": ({"on_no_device": "tcp"}, Grant(), 40, Grant(env=TCP)),
}
PROCESSES = 100


class Program:
    def __init__(self, hook, node, work):
        self.hook, self.node, self.work = hook, node, work
        self.bundle = f"{work}/bundle"
        self.file = f"{self.bundle}/config.json"
        self.process = f"{work}/process.json"
        os.makedirs(self.bundle, exist_ok=True)
        self.env = {"OCI_RDMA_SYSROOT": node}

    def configure(self, **config):
        path = f"{self.node}/etc/oci-rdma-hook"
        os.makedirs(path, exist_ok=True)
        config = {"state_dir": f"{self.work}/state", "runtimes": ["/bin/true"], **config}
        write(f"{path}/config.json", json.dumps(config).encode())

    def run(self, *arguments, stdin="/dev/null"):
        """(status, stdout, stderr); a signal's status is negative"""
        out, err = f"{self.work}/out", f"{self.work}/err"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        actions = [(os.POSIX_SPAWN_OPEN, fd, path, how, 0o600) for fd, path, how in ((0, stdin, os.O_RDONLY), (1, out, flags), (2, err, flags))]
        child = os.posix_spawn(arguments[0], arguments, self.env, file_actions=actions)
        signal.alarm(300)  # for a child that hangs; ends this program, too
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        signal.alarm(0)
        return status, read(out), read(err)

    def dry_run(self, text, form="spec"):
        write(self.file, text)
        return self.run(self.hook, "--sysroot", self.node, "--dry-run", "--format", form, self.bundle)

    def precreate(self, text):
        write(self.file, text)
        return self.run(self.hook, "--sysroot", self.node, "precreate", stdin=self.file)

    def create(self, identity="a"):
        command = ["--root", "/r", "create", "--bundle", self.bundle, "--pid-file", f"{self.work}/pidfile", identity]
        return self.run(f"{self.work}/oci-rdma-runtime", *command)

    def start(self):
        """The container's process, as the runtime would have started it behind create"""
        child = os.posix_spawnp("sleep", ["sleep", "14400"], {})
        write(f"{self.work}/pidfile", str(child).encode())
        return child

    def exec(self, identity="a"):
        return self.run(f"{self.work}/oci-rdma-runtime", "--root", "/r", "exec", "--process", self.process, identity)


def write(path, text):
    with open(path, "wb") as file:
        file.write(text)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def first_difference(a, b):
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"at byte {at}: {a[max(0, at - 40):at + 40]!r} became {b[max(0, at - 40):at + 40]!r}"


def parses(checks, case, text):
    try:
        parse(text)
        error = ""
    except ValueError as reason:
        error = str(reason)
    return checks.that("the output is JSON", case, not error, error)


def only_added(checks, case, before, after, whole=True):
    """The bytes outside of what was added are the bytes before."""
    try:
        left = undo(before, after, whole)
    except ValueError as error:
        checks.that("what was added taken away gives back every byte", case, False, str(error))
        return
    checks.that("what was added taken away gives back every byte", case, left == before, lambda: first_difference(before, left))


def means(checks, case, before, after, grant, whole=True):
    """The process has what the grant says, and nothing else has changed. New entries of env and sets have no order."""
    old = model_of(before, whole)
    want, got = wanted(old, grant), model_of(after, whole)
    for model in (want, got):
        for changed, kept in [(model["env"], old["env"])] + [(model["capabilities"][name], old["capabilities"][name]) for name in SETS]:
            changed[len(kept):] = sorted(changed[len(kept):])
        for _, names in model["seccomp"][len(old["seccomp"]):]:
            names.sort()
    wrong = [f"{part}: want {shown(want[part])}, got {shown(got[part])}" for part in want if want[part] != got[part]]
    if sum(kind == MEMLOCK for kind, _, _ in old["rlimits"]) > 1:
        what = "RLIMIT_MEMLOCK listed twice: whichever a runtime takes is right, and none is lowered"
    else:
        what = "the process has what the plan says, and nothing else is changed"
    checks.that(what, case, not wrong, "; ".join(wrong))


def shown(value):
    text = repr(value)
    return text if len(text) < 600 else f"{text[:300]} … {text[-300:]}"


def check_config(program, checks, case, text, grant, deep, entry_points=True):
    """One config.json through every entry point. deep: the slower ones too. entry_points: no dry run alone, so that the limit must be one we may set"""
    status, edited, error = program.dry_run(text)
    if not checks.that("--format spec succeeds silently", case, status == 0 and not error, f"{status} {error!r}"):
        return
    if not grant:
        checks.that("what gets nothing keeps every byte", case, edited == text, lambda: first_difference(text, edited))
    if not parses(checks, case, edited):
        return
    only_added(checks, case, text, edited)
    means(checks, case, text, edited, grant)
    checks.that("spec of spec is the same bytes", case, program.dry_run(edited) == (0, edited, b""))
    if not entry_points:
        return
    checks.that("precreate writes the same bytes", case, program.precreate(text) == (0, edited, b""))
    if not deep:
        return
    checks.that("precreate of its own output writes the same bytes", case, program.precreate(edited) == (0, edited, b""))
    write(program.file, text)
    before = os.stat(program.file)
    checks.that("the shim starts the runtime silently", case, program.create() == (0, b"", b""))
    checks.that("the shim writes the same bytes", case, read(program.file) == edited, lambda: first_difference(edited, read(program.file)))
    after = os.stat(program.file)
    if edited == text:
        checks.that("the shim leaves a file alone that needs no edit", case, (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns))
    program.create()
    again = os.stat(program.file)
    checks.that("the shim's second run leaves the file alone", case, (after.st_ino, after.st_mtime_ns) == (again.st_ino, again.st_mtime_ns))
    status, out, error = program.dry_run(edited, "json")
    plan = json.loads(out) if status == 0 else {"rlimits": "no plan"}
    gifts = [plan.get(gift) for gift in ("rlimits", "capabilities", "env")]
    checks.that("a plan for the edited spec adds nothing", case, not any(gifts), (out + error).decode())


def check_process(program, checks, case, text, grant):
    """One process.json through the shim's exec."""
    write(program.process, text)
    before = os.stat(program.process)
    checks.that("exec starts the runtime silently", case, program.exec() == (0, b"", b""))
    edited = read(program.process)
    after = os.stat(program.process)
    if not parses(checks, case, edited):
        return
    only_added(checks, case, text, edited, whole=False)
    means(checks, case, text, edited, grant, whole=False)
    if edited == text:
        checks.that("a file that needs no edit is left alone", case, before.st_ino == after.st_ino)
    checks.that("a second exec starts the runtime silently", case, program.exec() == (0, b"", b""))
    again = os.stat(program.process)
    checks.that("a second exec leaves the file alone", case, (after.st_ino, after.st_mtime_ns) == (again.st_ino, again.st_mtime_ns))


def check_processes(program, checks, texts, grant, device=True):
    """A container that was granted something, and an exec in it with each of these (case, process.json)."""
    spec = {"process": {}, "annotations": {"oci-rdma-hook.io/inject": "true"}}
    if device:
        spec["linux"] = {"devices": [{"path": "/dev/infiniband/uverbs6", "type": "c", "major": 231, "minor": 198}]}
    write(program.file, json.dumps(spec).encode())
    checks.that("create leaves a record", "create", program.create()[0] == 0 and any(name.startswith("a@") for name in os.listdir(f"{program.work}/state")))
    child = program.start()
    for case, text in texts:
        check_process(program, checks, case, text, grant)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


# ---- what engines write ----

def spellings(text):
    """As CRI-O has it (indented by tabs), as podman has it (compact), and as a person may have left it."""
    value = json.loads(text)
    yield "as it is", text
    yield "compact", json.dumps(value, separators=(",", ":")).encode()
    yield "compact with a newline", json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    yield "indented", json.dumps(value, indent=2).encode() + b"\n"
    yield "keys sorted", json.dumps(value, indent="\t", sort_keys=True).encode()
    yield "CRLF", json.dumps(value, indent="\t").encode().replace(b"\n", b"\r\n")


def huge(program, checks):
    """At the bounds: 65,536 items and 16 MiB."""
    def config(env, extra=b""):
        return (b'{"process":{"env":[' + b",".join(b'"V%d=x"' % i for i in range(env)) + b']},'
                b'"annotations":{"oci-rdma-hook.io/inject":"true"},"linux":{"devices":[{"path":"/dev/infiniband/uverbs6","type":"c","major":231,"minor":198}]}' + extra + b"}")
    grant = CONFIGS["default"][1]
    check_config(program, checks, "60,000 variables", config(60000), grant, False)
    check_config(program, checks, "15 MiB", config(1, b',"x":"' + b"x" * (15 << 20) + b'"'), grant, False)
    many = config(0, b',"x":[' + b",".join([b'{"a":[1E400,null]}'] * 20000) + b"]")
    check_config(program, checks, "40,000 unknown containers", many, grant, False)
    over = config(70000)
    checks.that("more than the bound: precreate hands on every byte", "70,000 variables", program.precreate(over)[:2] == (0, over))
    status, out, error = program.dry_run(over)
    said = status == 1 and not out and error.count(b"\n") == 1 and b"env" in error
    checks.that("more than the bound: the dry run says why", "70,000 variables", said, repr(error))


def recorded(program, work):
    checks = Checks()
    process = read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "process-exec.json"))
    for name in ("default", "rich"):
        config, grant, _, _ = CONFIGS[name]
        program.configure(**config)
        for spelling, text in spellings(read(f"{work}/recorded/config.json")):
            check_config(program, checks, spelling, text, grant, True)
        for spelling, text in spellings(read(f"{work}/plain/config.json")):
            check_config(program, checks, f"not asked, {spelling}", text, Grant(), True)
        checks.report(f"config.json, config {name}")
        check_processes(program, checks, spellings(process), grant)
        checks.report(f"process.json, config {name}")
    program.configure(memlock=MOST_WORD, **LOCK)
    huge(program, checks)
    checks.report("huge")


# ---- generated ----

def generated(program):
    checks, odd = Checks(), {}  # oddity: how many specs had it that were granted something
    for name, (config, grant, count, without_device) in CONFIGS.items():
        program.configure(**config)
        for seed in range(count):
            text, given, features = specs.config(f"{name} {seed}", grant, without_device)
            for feature in features:
                odd[feature] = odd.get(feature, 0) + bool(given or feature == "not granted")
            check_config(program, checks, f"{name} {seed}", text, given, seed % 3 == 0)
        checks.report(f"generated specs, config {name}")
    program.configure(memlock="unlimited", **LOCK)
    for seed in range(40):
        text, given, _ = specs.config(f"unlimited {seed}", Grant(2**64 - 1, ["CAP_IPC_LOCK"], [HCA]))
        check_config(program, checks, f"unlimited {seed}", text, given, False, False)
    checks.report("generated specs, unlimited")
    for name in ("default", "rich", "tcp"):
        config, grant, _, without_device = CONFIGS[name]
        program.configure(**config)
        texts = ((f"process {seed}", specs.process(f"process {seed}")[0]) for seed in range(PROCESSES))
        check_processes(program, checks, texts, without_device or grant, not without_device)
        checks.report(f"generated process.json, config {name}")
    rare = sorted(f"{name}: {count}" for name, count in odd.items() if count < 3)
    verdict = "not ok" if rare or len(odd) < 40 else "ok"
    print(f"{verdict} - generated: each of {len(odd)} oddities was in at least three specs that were granted something")
    for line in rare:
        print("#   " + line)


def show(name, seed):
    if name == "unlimited":
        sys.stdout.buffer.write(specs.config(f"unlimited {seed}", Grant(2**64 - 1, ["CAP_IPC_LOCK"], [HCA]))[0])
    elif name == "process":
        sys.stdout.buffer.write(specs.process(f"process {seed}")[0])
    else:
        _, grant, _, without_device = CONFIGS[name]
        sys.stdout.buffer.write(specs.config(f"{name} {seed}", grant, without_device)[0])


def main():
    hook, node, work, what, *rest = sys.argv[1:]
    if what == "show":
        show(*rest)
        return
    program = Program(hook, node, work)
    if what == "recorded":
        recorded(program, work)
    else:
        generated(program)


if __name__ == "__main__":
    main()
