"""Specs as no engine writes them all, but each of which one could: made from a seed, the same ones each time.

  config(seed, grant)    a config.json for the node one.json: (text, what it is to be granted, what is odd about it)
  process(seed)          a process.json
"""
import json
import random
from jsontext import MEMLOCK, SETS, SYSCALLS, Grant

UNLIMITED = 2**64 - 1
NUMBERS = ("1E400", "-1e-400", "-0", "0", "1.0", "-1", "0.1e+10", "18446744073709551615", "1180591620717411303424",
           "123456789012345678901234567890.000", "1e5", "9007199254740993", "-9223372036854775808")
STRINGS = ("", "a", "/usr/local/bin", "a>b<c&d", "quote\" back\\slash", "tab\there", "line\nbreak", "\x01\x1f\x7f", "größe", "\U0001f600 \u20ac",
           "\u2028", "process", "NCCL_IB_HCA=decoy", "\ufffd\uffff", "x\x00y", "]}", "{\"env\":[", "// no comment", "/* none */")
KEYS = ("Process", "process ", "proces", "process\x00", "ENV", "rlimit", "x-vendor", "", "\U0001f600", "k" * 600, "env\"", "a/b", "null")


class Raw(str):
    """Goes into the text as it is."""


class Writer:
    """Writes Python values; an object is a list of pairs in a tuple, so that a key can stand twice and anywhere."""

    def __init__(self, rng):
        self.rng = rng
        self.style = rng.choice(("compact", "go", "spaces", "python", "odd", "odd"))
        self.escape = rng.choice(("plain", "go", "any"))

    def space(self, depth=None):
        """depth: a line of its own in the indented styles"""
        if self.style == "odd":
            return self.rng.choice(("", "", " ", "\t", "\n", "\r\n", "  \n\t ", "\n" * 3))
        if depth is None:
            return ""
        return {"compact": "", "python": "", "go": "\n" + "\t" * depth, "spaces": "\n" + "  " * depth}[self.style]

    def character(self, c):
        rng, code = self.rng, ord(c)
        short = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}
        if self.escape == "any" and c == "/" and rng.random() < 0.5:
            return "\\/"
        if c in short and not (self.escape == "any" and rng.random() < 0.3):
            return short[c]
        if self.escape == "any" and rng.random() < 0.1 or code < 32 or c in '"\\':
            units = [code] if code < 0x10000 else [0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff)]
            return "".join(f"\\u{unit:04x}" if rng.random() < 0.5 else f"\\u{unit:04X}" for unit in units)
        if self.escape == "go" and c in "<>&":
            return f"\\u{code:04x}"
        return c

    def string(self, text):
        if self.escape == "plain" or text.isalnum():
            return json.dumps(text, ensure_ascii=False)
        return '"' + "".join(map(self.character, text)) + '"'

    def items(self, opening, closing, texts, depth):
        if not texts:
            return opening + self.space() + closing
        behind = " " if self.style == "python" else ""
        out = [opening]
        for i, text in enumerate(texts):
            out += ["," + behind if i else "", self.space(depth + 1), text, self.space()]
        return "".join(out) + self.space(depth) + closing

    def value(self, value, depth=0):
        if isinstance(value, Raw):
            return str(value)
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, tuple):
            colon = ":" if self.style == "compact" else ": "
            texts = [self.string(k) + self.space() + colon + self.space() + self.value(v, depth + 1) for k, v in value]
            return self.items("{", "}", texts, depth)
        if isinstance(value, list):
            return self.items("[", "]", [self.value(v, depth + 1) for v in value], depth)
        return {None: "null", True: "true", False: "false"}[value] if value is None or isinstance(value, bool) else str(value)

    def document(self, value):
        return (self.space() + self.value(value) + self.rng.choice(("", "\n", " \r\n\t"))).encode()


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.odd = set()  # what this spec has, for the count of what was tried
        self.grant = None

    def pick(self, what, choices):
        """One of {name: value or function}; the name is noted."""
        name = self.rng.choice(list(choices))
        self.odd.add(f"{what} {name}")
        value = choices[name]
        return value() if callable(value) else value

    # ---- what nobody knows ----

    def junk(self, depth=3):
        rng = self.rng
        kind = rng.random()
        if depth == 0 or kind < 0.3:
            return Raw(rng.choice(NUMBERS))
        if kind < 0.55:
            return rng.choice(STRINGS)
        if kind < 0.65:
            return rng.choice((None, True, False))
        if kind < 0.8:
            return [self.junk(depth - 1) for _ in range(rng.randrange(4))]
        if kind < 0.85:
            return (("process", (("env", ["NCCL_IB_HCA==decoy"]), ("rlimits", None), ("capabilities", ()))), ("env", []))
        return tuple((rng.choice(KEYS + STRINGS), self.junk(depth - 1)) for _ in range(rng.randrange(4)))

    def mix(self, members):
        """Members in any order, with unknown ones among them."""
        rng = self.rng
        members = [m for m in members if m]
        for _ in range(rng.choice((0, 0, 1, 3))):
            members.append((rng.choice(KEYS), self.junk()))
        if rng.random() < 0.6:
            rng.shuffle(members)
        return tuple(members)

    # ---- the process ----

    def env(self):
        rng = self.rng
        odd = "ODD=" + rng.choice(STRINGS).replace("\0", "")
        base = ["PATH=/usr/local/sbin:/usr/bin", "TERM=xterm", "HOSTNAME=a", "EMPTY=", "NOVALUE", odd, "PATH=/bin"]
        ours = rng.choice((["NCCL_IB_HCA==mlx5_6"], ["NCCL_IB_HCA=mlx5_0"], ["NCCL_IB_HCA="], ["NCCL_IB_HCA"],
                           ["nccl_ib_hca=x", "XNCCL_IB_HCA=y", "NCCL_IB_HCAS=z"], ["NCCL_IB_HCA=a", "NCCL_IB_HCA=b"],
                           ["NCCL_IB_TC=0", "NCCL_IB_HCA==mlx5_6"], ["NCCL_SOCKET_IFNAME=ib0"]))

        def mixed():
            listed = base + ours
            rng.shuffle(listed)
            return listed
        return self.pick("env", {
            "absent": None, "null": lambda: ("env", None), "empty": lambda: ("env", []), "plain": lambda: ("env", base),
            "with ours": lambda: ("env", mixed()),
            "long": lambda: ("env", [f"SERVICE_{i}_PORT=tcp://10.0.0.1:{i}" for i in range(150)]),
        })

    def limit(self, kind, soft, hard):
        members = [("type", kind)]
        members += [("soft", soft)] if soft is not None else []
        members += [("hard", hard)] if hard is not None else []
        self.rng.shuffle(members)
        return tuple(members)

    def rlimits(self):
        rng = self.rng
        others = [self.limit("RLIMIT_NOFILE", 1048576, 1048576), self.limit("RLIMIT_NPROC", 4194304, UNLIMITED) + (("note", self.junk()),),
                  self.limit("RLIMIT_MEMLOCKED", 1, 1), self.limit("rlimit_memlock", 1, 1), self.limit("MEMLOCK", 1, 1)]

        def with_memlock(*entries):
            listed = rng.sample(others, rng.randrange(len(others))) + [self.limit(MEMLOCK, soft, hard) for soft, hard in entries]
            rng.shuffle(listed)
            return ("rlimits", listed)
        return self.pick("rlimits", {
            "absent": None, "null": lambda: ("rlimits", None), "empty": lambda: ("rlimits", []), "others": lambda: ("rlimits", rng.sample(others, 3)),
            "memlock lower": lambda: with_memlock((65536, 8388608)), "memlock higher": lambda: with_memlock((UNLIMITED, UNLIMITED)),
            "memlock soft lower": lambda: with_memlock((65536, UNLIMITED)), "memlock soft above hard": lambda: with_memlock((UNLIMITED, 65536)),
            "memlock between": lambda: with_memlock((2**33, 2**37)), "memlock without soft": lambda: with_memlock((None, 65536)),
            "memlock twice, low": lambda: with_memlock((65536, 65536), (8388608, 8388608)),
            "memlock twice, mixed": lambda: with_memlock((65536, 65536), (UNLIMITED, UNLIMITED)),
        })

    def capability_set(self, name):
        rng = self.rng
        listed = rng.choice((["CAP_CHOWN", "CAP_KILL"], ["CAP_CHOWN"], ["CAP_FROM_THE_FUTURE", "CAP_CHOWN", "cap_ipc_lock"]))
        return self.pick("set", {
            "absent": None, "null": lambda: (name, None), "empty": lambda: (name, []), "plain": lambda: (name, listed),
            "with ours": lambda: (name, rng.choice((["CAP_IPC_LOCK"] + listed, listed + ["CAP_SYS_NICE", "CAP_IPC_LOCK"]))),
        })

    def capabilities(self):
        return self.pick("capabilities", {
            "absent": None, "null": lambda: ("capabilities", None), "empty": lambda: ("capabilities", ()),
            "all sets": lambda: ("capabilities", tuple((name, ["CAP_CHOWN"]) for name in SETS)),
            "mixed": lambda: ("capabilities", self.mix([self.capability_set(name) for name in SETS])),
            "mixed again": lambda: ("capabilities", self.mix([self.capability_set(name) for name in SETS])),
        })

    def process(self):
        if self.rng.random() < 0.03:
            self.odd.add("process empty")
            return ()
        return self.mix([
            ("user", (("uid", self.rng.choice((0, 1000))), ("gid", 0), ("additionalGids", [0]))), ("args", ["sh", "-c", self.rng.choice(STRINGS)]),
            self.env(), ("cwd", "/"), self.capabilities(), self.rlimits(), ("oomScoreAdj", Raw(self.rng.choice(("1000", "-0", "1E2")))),
        ])

    # ---- the rest of config.json ----

    def seccomp(self):
        rng = self.rng

        def profile(action, *rules):
            members = [("defaultAction", action)] if action else []
            if rules != (None,):
                listed = [self.mix([("names", names), ("action", rule_action), ("args", self.junk())]) for rule_action, names in rules]
                members.append(("syscalls", listed))
            return ("seccomp", self.mix(members))
        allow, refuse = ("SCMP_ACT_ALLOW", ["read", "mmap", "mlock"]), ("SCMP_ACT_ERRNO", ["mbind", "ioctl", "ptrace"])
        every = ("SCMP_ACT_ALLOW", list(SYSCALLS))
        default = rng.choice(("SCMP_ACT_ERRNO", "SCMP_ACT_KILL_PROCESS"))
        return self.pick("seccomp", {
            "absent": None, "null": lambda: ("seccomp", None), "empty": lambda: ("seccomp", ()), "allows": lambda: profile("SCMP_ACT_ALLOW", refuse),
            "no rules": lambda: profile(default, None), "empty rules": lambda: profile(default),
            "null rules": lambda: ("seccomp", (("defaultAction", default), ("syscalls", None))),
            "rules": lambda: profile(default, allow, refuse), "rules without names": lambda: profile(default, allow, ("SCMP_ACT_ALLOW", None)),
            "every rule": lambda: profile(default, every, allow), "no default": lambda: profile(None, allow, refuse),
        })

    def annotations(self, asked):
        listed = [("io.kubernetes.cri-o.ContainerType", "container"), ("io.kubernetes.pod.namespace", "team-a"), ("a.b/c", self.rng.choice(STRINGS))]
        if asked:
            listed.append(("oci-rdma-hook.io/inject", "true"))
        if self.rng.random() < 0.1:
            self.odd.add("annotation memlock")
            self.grant.memlock = min(self.grant.memlock, 2**30)
            listed.append(("oci-rdma-hook.io/memlock", "1Gi"))
        if self.rng.random() < 0.1:
            self.odd.add("annotation nccl")
            self.grant.env = []
            listed.append(("oci-rdma-hook.io/nccl", "false"))
        self.rng.shuffle(listed)
        return tuple(listed)

    def linux(self, device):
        devices = [self.mix([("path", "/dev/null"), ("type", "c"), ("major", 1), ("minor", 3), ("fileMode", Raw(self.rng.choice(NUMBERS)))])]
        if device:
            devices.append(self.mix([("path", "/dev/infiniband/uverbs6"), ("type", "c"), ("major", 231), ("minor", 198), ("uid", 0)]))
        self.rng.shuffle(devices)
        rules = [self.mix([("allow", False), ("access", "rwm")]),
                 self.mix([("allow", True), ("type", "c"), ("major", 1), ("minor", 3), ("access", "rw")])]
        resources = self.mix([("devices", rules), ("memory", self.mix([("limit", 536870912), ("swap", Raw("1E400"))])), ("pids", self.junk())])
        return self.mix([("resources", resources), ("devices", devices), ("namespaces", [self.mix([("type", "pid")])]), self.seccomp(),
                         ("intelRdt", self.junk())])

    def config(self, device, asked):
        return self.mix([
            ("ociVersion", self.rng.choice(("1.0.2", "1.3.0"))), ("process", self.process()), ("root", (("path", "rootfs"),)),
            ("hostname", self.rng.choice(STRINGS)),
            ("mounts", [self.mix([("destination", "/proc"), ("options", self.junk())])]), ("annotations", self.annotations(asked)),
            ("hooks", (("createRuntime", [(("path", "/bin/true"), ("env", ["A=b"]))]),)), ("linux", self.linux(device)),
        ])


def config(seed, grant, without_device=None):
    """grant: what the node's config gives. without_device: what it gives to who asks and has none; nothing, without it."""
    maker = Maker(seed)
    kind = maker.rng.random()
    device, asked = not without_device and kind > 0.05, not 0.05 < kind < 0.1
    given = grant if device and asked else without_device if asked and without_device else Grant()
    maker.grant = Grant(given.memlock, given.capabilities, given.env, given.amend)
    value = maker.config(device, asked)
    writer = Writer(maker.rng)
    maker.odd |= {f"style {writer.style}", f"escape {writer.escape}", "granted" if device and asked else "not granted"}
    return writer.document(value), maker.grant, maker.odd


def process(seed):
    maker = Maker(seed)
    value = maker.process()
    writer = Writer(maker.rng)
    maker.odd |= {f"style {writer.style}", f"escape {writer.escape}"}
    return writer.document(value), maker.odd
