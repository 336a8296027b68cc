"""JSON with the place of each value, and what an edited process spec must be. Nothing here knows how the edit is done.

  parse(text)                 a tree of Values, strict (RFC 8259, UTF-8); ValueError otherwise
  undo(before, after, whole)  the edited text without what was added: the bytes of before, if nothing else was touched
  model_of(text, whole)       env, rlimits, capabilities and seccomp as a runtime reads them
  wanted(model, grant)        the same after a grant

whole: the text is a config.json; else a process.json, which is the process object alone.
"""
import functools
import json
import re

SPACE = re.compile(rb"[ \t\r\n]*")
STRING = re.compile(rb'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
LITERAL = re.compile(rb"true|false|null")
SETS = ("bounding", "effective", "permitted", "inheritable", "ambient")
MEMLOCK = "RLIMIT_MEMLOCK"
LETS_THROUGH = ("SCMP_ACT_ALLOW", "SCMP_ACT_LOG", "SCMP_ACT_NOTIFY", "SCMP_ACT_TRACE")
# What verbs, NCCL and CUDA need of the kernel, sorted
SYSCALLS = ("get_mempolicy", "ioctl", "madvise", "mbind", "mlock", "mlock2", "mlockall", "mmap", "munlock", "munlockall", "munmap",
            "sched_setaffinity", "set_mempolicy")


class Value:
    """kind: "object", "array", "string", "number", "true", "false" or "null". items: of an array; of an object (key, value)."""
    __slots__ = ("kind", "begin", "end", "items")

    def __init__(self, kind, begin, end, items=()):
        self.kind, self.begin, self.end, self.items = kind, begin, end, items


class Parser:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def skip(self):
        self.at = SPACE.match(self.text, self.at).end()

    def next(self, byte):
        """True, and behind it, if this byte is the next one behind white space."""
        self.skip()
        if self.text[self.at:self.at + 1] != byte:
            return False
        self.at += 1
        return True

    def token(self, kind, pattern):
        match = pattern.match(self.text, self.at)
        if not match or match.end() == self.at:
            raise ValueError(f"no {kind} at byte {self.at}")
        begin, self.at = self.at, match.end()
        return Value(match.group().decode() if kind == "literal" else kind, begin, self.at)

    def member(self):
        self.skip()
        key = self.token("string", STRING)
        if not self.next(b":"):
            raise ValueError(f"no ':' at byte {self.at}")
        return key, self.value()

    def container(self, kind, closing, item):
        begin = self.at
        self.at += 1
        items = []
        if not self.next(closing):
            items.append(item())
            while self.next(b","):
                items.append(item())
            if not self.next(closing):
                raise ValueError(f"{kind} does not end at byte {self.at}")
        return Value(kind, begin, self.at, items)

    def value(self):
        self.skip()
        first = self.text[self.at:self.at + 1]
        if first == b"{":
            return self.container("object", b"}", self.member)
        if first == b"[":
            return self.container("array", b"]", self.value)
        if first == b'"':
            return self.token("string", STRING)
        if first in b"tfn" and first:
            return self.token("literal", LITERAL)
        return self.token("number", NUMBER)


@functools.lru_cache(maxsize=8)
def parse(text):
    text.decode("utf-8")
    parser = Parser(text)
    value = parser.value()
    parser.skip()
    if parser.at != len(text):
        raise ValueError(f"more than one value: byte {parser.at}")
    return value


def raw(text, value):
    return text[value.begin:value.end]


def string(text, value):
    return json.loads(raw(text, value))


def get(text, value, name):
    """The member of that name, None without one."""
    for key, member in value.items if value and value.kind == "object" else ():
        if string(text, key) == name:
            return member
    return None


def process_of(text, whole):
    root = parse(text)
    return get(text, root, "process") if whole else root


# ---- what was added, taken away again ----

class Undo:
    def __init__(self, before, after):
        self.before, self.after = before, after
        self.cuts = []  # (begin, end, replacement) in after

    def must(self, condition, what):
        if not condition:
            raise ValueError(what)

    def added(self, old, new, what):
        """Items behind the old ones go, with the comma before them."""
        def ends(item):
            return item if isinstance(item, Value) else item[1]

        def begins(item):
            return item if isinstance(item, Value) else item[0]
        n = len(old.items)
        self.must(len(new.items) >= n, f"{what}: has fewer items than before")
        if len(new.items) > n:
            begin = ends(new.items[n - 1]).end if n else begins(new.items[0]).begin
            self.cuts.append((begin, ends(new.items[-1]).end, b""))

    def replaced(self, old, new):
        self.cuts.append((new.begin, new.end, raw(self.before, old)))

    def members(self, old, new, names, what):
        """Pairs of members that both have; new ones may only be of these names."""
        self.added(old, new, what)
        for key, _ in new.items[len(old.items):]:
            self.must(string(self.after, key) in names, f"{what}: member {raw(self.after, key)} was added")
        for (key, a), (new_key, b) in zip(old.items, new.items):
            self.must(raw(self.before, key) == raw(self.after, new_key), f"{what}: another key")
            if string(self.before, key) in names:
                yield string(self.before, key), a, b

    def array(self, old, new, what):
        if old.kind == "null" and new.kind != "null":
            self.must(new.kind == "array" and new.items, f"{what}: null became something else than a list with items")
            self.replaced(old, new)
        elif old.kind == "array":
            self.must(new.kind == "array", f"{what}: became {new.kind}")
            self.added(old, new, what)

    def rlimits(self, old, new):
        self.array(old, new, "rlimits")
        for a, b in zip(old.items, new.items):
            if raw(self.before, a) != raw(self.after, b):
                for text, entry in (self.before, a), (self.after, b):
                    kind = get(text, entry, "type")
                    self.must(kind and string(text, kind) == MEMLOCK, "rlimits: another entry than RLIMIT_MEMLOCK was changed")
                self.replaced(a, b)

    def capabilities(self, old, new):
        if old.kind == "null" and new.kind != "null":
            self.must(new.kind == "object" and new.items, "capabilities: null became something else than an object with members")
            self.replaced(old, new)
        elif old.kind == "object":
            self.must(new.kind == "object", "capabilities: is no object any more")
            for name, a, b in self.members(old, new, SETS, "capabilities"):
                self.array(a, b, name)

    def process(self, old, new):
        self.must(old and new and old.kind == new.kind == "object", "process: is no object")
        for name, a, b in self.members(old, new, ("env", "rlimits", "capabilities"), "process"):
            if name == "env":
                self.array(a, b, name)
            else:
                getattr(self, name)(a, b)

    def text(self):
        out, at = [], 0
        for begin, end, replacement in sorted(self.cuts):
            out += [self.after[at:begin], replacement]
            at = end
        return b"".join(out + [self.after[at:]])


    def seccomp(self, old, new):
        old, new = (get(text, get(text, root, "linux"), "seccomp") for text, root in ((self.before, old), (self.after, new)))
        if old and old.kind == "object":
            self.must(new and new.kind == "object", "seccomp: is no object any more")
            for name, a, b in self.members(old, new, ("syscalls",), "seccomp"):
                self.array(a, b, name)


def undo(before, after, whole=True):
    if before == after:
        return after
    edit = Undo(before, after)
    edit.process(process_of(before, whole), process_of(after, whole))
    if whole:
        edit.seccomp(parse(before), parse(after))
    return edit.text()


# ---- what it means ----

class Grant:
    """memlock: bytes, 0 for none. env: a list of (name, value). amend: what a seccomp profile does not name is allowed."""

    def __init__(self, memlock=0, capabilities=(), env=(), amend=False):
        self.memlock, self.capabilities, self.env, self.amend = memlock, list(capabilities), list(env), amend

    def __bool__(self):
        return bool(self.memlock or self.capabilities or self.env or self.amend)


def model_of(text, whole=True):
    """Lists; null and absent are the same as empty. An rlimit is [type, soft, hard], a capability set a list of names, and a seccomp
    rule [action, names]."""
    process = process_of(text, whole)
    seccomp = get(text, get(text, parse(text), "linux"), "seccomp") if whole else None

    def items(value):
        return value.items if value else ()

    def name(value):
        return string(text, value) if value else None

    def number(value):
        return int(raw(text, value)) if value else 0
    limits = []
    for entry in items(get(text, process, "rlimits")):
        limits.append([name(get(text, entry, "type")), number(get(text, entry, "soft")), number(get(text, entry, "hard"))])
    capabilities = get(text, process, "capabilities")
    return {
        "env": [string(text, entry) for entry in items(get(text, process, "env"))],
        "rlimits": limits,
        "capabilities": {which: [name(c) for c in items(get(text, capabilities, which))] for which in SETS},
        "seccomp": [[name(get(text, rule, "action")), [name(n) for n in items(get(text, rule, "names"))]]
                    for rule in items(get(text, seccomp, "syscalls"))],
        "seccomp by default": name(get(text, seccomp, "defaultAction")),
        "has capabilities": bool(capabilities and capabilities.kind == "object"),
        "process alone": not whole,
    }


def wanted(model, grant):
    """Everything stays; what is missing comes behind it. A limit is only ever raised, and listed once if it was not there.

    A process.json without limits or capabilities leaves them to the runtime, which takes the container's or its own."""
    env = list(model["env"])
    env += [f"{name}={value}" for name, value in grant.env if not any(entry.startswith(name + "=") for entry in model["env"])]
    limits = [[kind, max(soft, grant.memlock), max(hard, grant.memlock)] if kind == MEMLOCK else [kind, soft, hard]
              for kind, soft, hard in model["rlimits"]]
    if grant.memlock and not any(kind == MEMLOCK for kind, _, _ in limits) and (limits or not model["process alone"]):
        limits.append([MEMLOCK, grant.memlock, grant.memlock])
    sets, has_sets = model["capabilities"], model["has capabilities"]
    if has_sets or not model["process alone"]:
        sets = {name: old + [c for c in grant.capabilities if c not in old] for name, old in sets.items()}
        has_sets = has_sets or bool(grant.capabilities)
    rules = list(model["seccomp"])
    unnamed = [call for call in SYSCALLS if not any(call in names for _, names in rules)]
    if grant.amend and unnamed and (model["seccomp by default"] or LETS_THROUGH[0]) not in LETS_THROUGH:
        rules.append(["SCMP_ACT_ALLOW", unnamed])
    return {**model, "env": env, "rlimits": limits, "capabilities": {name: list(names) for name, names in sets.items()}, "has capabilities": has_sets,
            "seccomp": rules}
