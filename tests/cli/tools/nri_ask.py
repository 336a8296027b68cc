"""nri_ask.py PROGRAM NODE: a runtime that asks oci-rdma-nri about containers. Each line on stdin is a container, {"annotations": {…}, "devices":
[[path, major, minor], …], "name": …}; each line on stdout is the answer, {"refused": true or false, "text": …}, when its line is logged."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from nri_peer import PATIENCE, Runtime, container  # noqa: E402
from nri_scene import state_of, until  # noqa: E402

PROGRAM, NODE = sys.argv[1:3]
SOCKET = os.path.join(NODE, "var/run/nri/nri.sock")


def is_done(pid):
    """A child logs when it has answered."""
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return all(state_of(child) == "Z" for child in f.read().split())


os.makedirs(os.path.dirname(SOCKET), mode=0o700)
os.makedirs(os.path.join(NODE, "run"), exist_ok=True)
runtime = Runtime(SOCKET)
plugin = subprocess.Popen([PROGRAM, "--sysroot", NODE], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
connection = runtime.accept().begin()
for number, line in enumerate(sys.stdin):  # each is another container
    answer = connection.request("CreateContainer", container(**{"id": f"{number:064x}"} | json.loads(line)))
    until(lambda: is_done(plugin.pid))
    print(json.dumps({"refused": answer.status != 0, "text": answer.text}), flush=True)
plugin.terminate()
plugin.wait(PATIENCE)
