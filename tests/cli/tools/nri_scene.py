"""What the scenes of oci-rdma-nri share: a recorded node, a runtime's socket, a plugin, and TAP on stdout. Each script has the arguments
PROGRAM DIRECTORY [PATIENT]; PATIENT is PROGRAM with more patience of its own, and stands for it wherever that is not the matter.
A wait ends when what is waited for is there; its bound is minutes."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from nri_peer import PATIENCE, Closed, Runtime

SHIPPED, T = sys.argv[1:3]
PATIENT = sys.argv[-1] if len(sys.argv) > 3 else SHIPPED
NODE = os.path.join(T, "node")
SOCKET = os.path.join(NODE, "var/run/nri/nri.sock")
RUN = os.path.join(NODE, "run/oci-rdma-hook")
RECORDS = os.path.join(RUN, "records")
STATUS = os.path.join(RUN, "nri.json")
LOG = os.path.join(T, "log")
ENGINES = ("containerd-1.7.24", "containerd-2.1.9", "containerd-2.4.0-beta.0", "crio-1.37.0-dev")
ASKS = {"oci-rdma-hook.io/inject": "true"}
TWO = (("/dev/infiniband/uverbs6", 231, 198), ("/dev/infiniband/uverbs7", 231, 199))
FUNCTION = os.path.join(NODE, "sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6")  # of the first
failed = []


def ok(what, good, detail=""):
    print(("ok" if good else "not ok") + " - " + what, flush=True)
    if not good:
        failed.append(what)
        print("#   " + str(detail)[:3000].replace("\n", "\n#   "), flush=True)


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


def state_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


# ---- the node ----

def write(path, text):
    """In place of the file below the node's root, at once"""
    path = os.path.join(NODE, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w") as f:
        f.write(text)
    os.rename(path + ".new", path)


def config(text):
    write("etc/oci-rdma-hook/config.json", text)


def make_node(policy='{"memlock": "8Mi"}'):
    shutil.rmtree(NODE, ignore_errors=True)
    subprocess.run([sys.executable, "-IS", "tests/nodes/mknode", "tests/nodes/h100.json", NODE], check=True)
    os.makedirs(os.path.dirname(SOCKET))
    os.chmod(os.path.dirname(SOCKET), 0o700)
    os.makedirs(os.path.join(NODE, "run"), exist_ok=True)
    config(policy)


# ---- the plugin ----

class Plugin:
    program = PATIENT

    def __init__(self, *arguments, front=(), program=None, log=True, **more):
        """log: a new one; else it has that of the plugin before it"""
        if log:
            open(LOG, "w").close()
        self.log = open(LOG, "a")
        self.place = 0
        self.process = subprocess.Popen([*front, program or self.program, "--sysroot", NODE, *arguments], stderr=self.log,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **more)
        self.pid = self.process.pid
        Plugin.last = self

    def lines(self):
        """What it has logged since the last time"""
        with open(LOG) as f:
            f.seek(self.place)
            text = f.read()
            self.place = f.tell()
        return text.splitlines()

    def logs(self, part):
        """Waits for a line with that, from now on"""
        return until(lambda: next((line for line in self.lines() if part in line), None))

    def send(self, by):
        self.process.send_signal(by)

    def stop(self):
        self.send(signal.SIGSTOP)
        until(lambda: state_of(self.pid) == "T")

    def end(self, by=signal.SIGTERM):
        self.send(by)
        return self.process.wait(PATIENCE)

    def field(self, name):
        with open(f"/proc/{self.pid}/status") as f:
            return re.search(name + r":\s+(.*)", f.read()).group(1)

    def kilobytes(self, name):
        return int(self.field(name).split()[0])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def release(self):
        """Ends the tracer, which a delayed child keeps"""
        os.kill(int(self.field("TracerPid")), signal.SIGKILL)

    def processes(self):
        with open(f"/proc/{self.pid}/task/{self.pid}/children") as f:
            return f.read().split()

    def children(self):
        """Those that run: what strace has delayed is not reaped for long"""
        return [pid for pid in self.processes() if state_of(pid) != "Z"]

    def settle(self):
        """A child logs when it has answered."""
        until(lambda: not self.children())
        return self


def stalled(path, *arguments, make=Plugin, **more):
    """A plugin whose child is held for an hour at the first file of that directory"""
    return make(*arguments, front=["strace", "-D", "-f", "-o", "/dev/null", "-P", path, "-e", "inject=open,openat,openat2:delay_enter=3600000000"], **more)


def check(*arguments):
    done = subprocess.run([SHIPPED, "--sysroot", NODE, *(arguments or ["--check"])], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def status(path=STATUS):
    with open(path) as f:
        return json.load(f)


# ---- all of them ----

def play(scenes, chosen, prepare=make_node, make=Plugin):
    """Each on a node of its own; one that wants a plugin has it. Returns the exit status."""
    for scene in scenes:
        if chosen and scene.__name__ not in chosen:
            continue
        prepare()
        runtime = Runtime(SOCKET)
        plugins = [make()] if scene.__code__.co_argcount == 2 else []
        by = signal.SIGTERM
        try:
            scene(runtime, *plugins)
        except (AssertionError, Closed, OSError, KeyError, subprocess.SubprocessError) as error:
            by = signal.SIGKILL
            with open(LOG) as f:
                ok(f"{scene.__name__}: it goes as it should", False, f"{type(error).__name__}: {error}\n{f.read()[-1500:]}")
        finally:
            if Plugin.last.process.poll() is None:
                Plugin.last.end(by)
            runtime.listener.close()
    return int(bool(failed))
