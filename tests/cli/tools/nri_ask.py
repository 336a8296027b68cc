"""nri_ask.py PROGRAM NODE: a runtime that asks oci-rdma-nri about containers. Each line on stdin is a container, {"annotations": {…}, "devices":
[[path, major, minor], …], "name": …}; each line on stdout is the answer, {"refused": true or false, "text": …, "mark": …}, when its line is logged.
mark: the annotations that the container is given."""
import json
import os
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from nri_peer import PATIENCE, Runtime, container  # noqa: E402
from protobuf import unpack  # noqa: E402

PROGRAM, NODE = sys.argv[1:3]
SOCKET = os.path.join(NODE, "var/run/nri/nri.sock")


def runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_for_children(pid):
    """A child logs when it has answered."""
    end = time.monotonic() + PATIENCE
    while True:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            if not any(runs(child) for child in f.read().split()):
                return
        assert time.monotonic() < end, "a child does not end"
        time.sleep(0.01)


def annotations_of(answer):
    adjust = unpack(answer.fields.get(1, [b""])[0])
    return {entry[1][0].decode(): entry[2][0].decode() for entry in map(unpack, adjust.get(2, []))}


os.makedirs(os.path.dirname(SOCKET), mode=0o700)
os.makedirs(os.path.join(NODE, "run"), exist_ok=True)
runtime = Runtime(SOCKET)
plugin = subprocess.Popen([PROGRAM, "--sysroot", NODE], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
connection = runtime.accept().begin()
for number, line in enumerate(sys.stdin):  # each is another container
    answer = connection.request("CreateContainer", container(**{"id": f"{number:064x}"} | json.loads(line)))
    wait_for_children(plugin.pid)
    print(json.dumps({"refused": answer.status != 0, "text": answer.text, "mark": annotations_of(answer)}), flush=True)
plugin.send_signal(signal.SIGTERM)
plugin.wait(PATIENCE)
