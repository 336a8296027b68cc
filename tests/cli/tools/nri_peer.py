"""The runtime's side of NRI: frames, ttrpc and protobuf by hand, from the recordings in tests/nri/sessions and of messages made here.
What it knows of the protocol it knows apart from nri/, so that a mistake there is not repeated here."""
import os
import socket
import struct

from protobuf import pack, unpack

SESSIONS = os.path.join(os.path.dirname(__file__), "../../nri/sessions")
PLUGIN, RUNTIME = 1, 2  # streams of the multiplexer
REQUEST, RESPONSE = 1, 2
SERVICE = "nri.pkg.api.v1alpha1.Plugin"
UNLIMITED = 2**64 - 1
PATIENCE = int(os.environ["PATIENCE"])  # tests/lib.sh


# ---- messages ----

UID = "944c324a-7958-438a-b04f-699cedbf673d"


def entries(texts):
    return [pack((1, key), (2, value)) for key, value in texts.items()]


def container(name="trainer", namespace="team-a", pod="h-kim-0", annotations=None, own=None, env=(), devices=(), rlimits=(), mounts=(),
              id="c" * 64, cgroup=None, extra=b""):
    """A CreateContainerRequest. devices: (path, major, minor); rlimits: (type, soft, hard). Each is of a pod of its own."""
    linux = pack((2, [pack((1, path), (2, "c"), (3, major), (4, minor)) for path, major, minor in devices]), (5, cgroup))
    body = pack((1, id), (2, "5" * 64), (3, name), (6, entries(own or {})), (8, list(env)), (9, [pack((1, m)) for m in mounts]), (11, linux),
                (13, [pack((1, kind), (2, hard), (3, soft)) for kind, soft, hard in rlimits]))
    sandbox = pack((1, "5" * 64), (2, pod), (3, UID[:-12] + id[-12:]), (4, namespace), (6, entries(annotations or {})))
    return pack((1, sandbox), (2, body + extra))


class Answer:
    """To a request of ours: the status and its text, the payload's fields"""

    def __init__(self, data):
        fields = unpack(data)
        status = unpack(fields[1][0]) if 1 in fields else {}
        self.status = status.get(1, [0])[0]
        self.text = status.get(2, [b""])[0].decode()
        self.payload = fields.get(2, [b""])[0]
        self.fields = unpack(self.payload)

    def adjust(self):
        """The environment and the limits that a container is given"""
        adjust = unpack(self.fields.get(1, [b""])[0])
        env = {e[1][0].decode(): e[2][0].decode() for e in map(unpack, adjust.get(4, []))}
        limits = [(r[1][0].decode(), r.get(3, [0])[0], r.get(2, [0])[0]) for r in map(unpack, adjust.get(7, []))]
        assert set(adjust) <= {4, 7} and set(self.fields) <= {1}, "something else is adjusted"
        return env, limits


class Closed(Exception):
    pass


class Connection:
    def __init__(self, sock):
        self.sock = sock
        self.sock.settimeout(PATIENCE)
        self.streams = {PLUGIN: bytearray(), RUNTIME: bytearray()}
        self.call = 1

    def close(self):
        self.sock.close()

    def read(self, size):
        data = b""
        while len(data) < size:
            try:
                part = self.sock.recv(size - len(data))
            except ConnectionError:
                part = b""
            if not part:
                raise Closed
            data += part
        return data

    def message(self, stream):
        """The next message of a stream: call, type, bytes"""
        data = self.streams[stream]
        while len(data) < 10 or len(data) < 10 + struct.unpack(">I", data[:4])[0]:
            which, size = struct.unpack(">II", self.read(8))
            self.streams[which] += self.read(size)
        size, call, kind, _ = struct.unpack(">IIBB", data[:10])
        body = bytes(data[10:10 + size])
        del data[:10 + size]
        return call, kind, body

    def send(self, stream, call, kind, body, frame=4096):
        data = struct.pack(">IIBB", len(body), call, kind, 0) + body
        for place in range(0, len(data), frame):
            part = data[place:place + frame]
            self.sock.sendall(struct.pack(">II", stream, len(part)) + part)

    def request(self, method, payload=b"", service=SERVICE, frame=4096):
        """What the plugin says to it"""
        self.send(PLUGIN, self.call, REQUEST, pack((1, service), (2, method), (3, payload), (4, 1999900000)), frame)
        call, kind, body = self.message(PLUGIN)
        assert (call, kind) == (self.call, RESPONSE), f"answer to {call}, type {kind}, of {self.call}"
        self.call += 2
        return Answer(body)

    # ---- the story ----

    def registered(self, status=None):
        """The plugin registers: name and index"""
        call, kind, body = self.message(RUNTIME)
        fields = unpack(body)
        assert kind == REQUEST and fields[1] == [b"nri.pkg.api.v1alpha1.Runtime"] and fields[2] == [b"RegisterPlugin"], fields
        self.send(RUNTIME, call, RESPONSE, pack((1, pack((1, status), (2, "invalid plugin"))) if status else (1, None)))
        plugin = unpack(fields[3][0])
        return plugin[1][0].decode(), plugin[2][0].decode()

    def configure(self, name="containerd", version="2.1.9", timeout=4000000):
        """timeout, in ms, is far more than the plugin's own patience, which is what holds then."""
        return self.request("Configure", pack((2, name), (3, version), (4, 5000), (5, timeout))).fields

    def synchronize(self, payload=b"", more=False, frame=4096):
        return self.request("Synchronize", payload + pack((3, int(more) or None)), frame=frame).fields

    def configured(self, **how):
        self.registered()
        self.configure(**how)
        return self

    def begin(self, **how):
        self.configured(**how).synchronize()
        return self

    def create(self, **what):
        return self.request("CreateContainer", container(**what))


class Runtime:
    """Listens, as a runtime does"""

    def __init__(self, path):
        self.path = path
        self.listen()

    def listen(self):
        """Who finds the socket is never refused: it has its name when it listens."""
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path + ".new")
        self.listener.listen(8)
        os.rename(self.path + ".new", self.path)
        self.listener.settimeout(PATIENCE)

    def stop(self):
        os.unlink(self.path)
        self.listener.close()

    def accept(self):
        return Connection(self.listener.accept()[0])

    def drain(self):
        """Closes what has connected meanwhile. Returns how many these were."""
        self.listener.settimeout(0)
        n = 0
        try:
            while True:
                self.listener.accept()[0].close()
                n += 1
        except BlockingIOError:
            return n
        finally:
            self.listener.settimeout(PATIENCE)

    def waits(self):
        """True if nobody else wants to connect"""
        return self.drain() == 0


def recorded(name, direction):
    with open(os.path.join(SESSIONS, name, direction + ".bin"), "rb") as f:
        return f.read()
