"""nri_memcheck.py PROGRAM DIRECTORY: oci-rdma-nri below memcheck, with what runtimes have said and what nobody should. TAP on stdout.
What the answers are is nri.py's; here each kind of answer is made once, and the plugin ends as by systemd."""
import os
import shutil
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from nri_peer import PATIENCE, PLUGIN, Closed, Runtime, recorded  # noqa: E402

PROGRAM, T = sys.argv[1:3]
NODE = os.path.join(T, "nri-node")
SOCKET = os.path.join(NODE, "var/run/nri/nri.sock")
ENGINES = ("containerd-1.7.24", "containerd-2.1.9", "containerd-2.4.0-beta.0", "crio-1.37.0-dev")
ASKS = {"oci-rdma-hook.io/inject": "true"}
DEVICE = (("/dev/infiniband/uverbs6", 231, 198),)
TIMEOUT = 4000000  # ms: the runtime's patience with the plugin


def equal(what, want, got):
    good = want == got
    print(f"{'ok' if good else 'not ok'} - {what}" + ("" if good else f"\n#   want: {want!r}\n#   got:  {got!r}"), flush=True)
    return good


def config(text):
    with open(os.path.join(NODE, "etc/oci-rdma-hook/config.json"), "w") as f:
        f.write(text)


def make_node():
    shutil.rmtree(NODE, ignore_errors=True)
    subprocess.run([sys.executable, "-IS", "tests/nodes/mknode", "tests/nodes/h100.json", NODE], check=True)
    for path, mode in (("var/run/nri", 0o700), ("run", 0o755), ("etc/oci-rdma-hook", 0o755)):
        os.makedirs(os.path.join(NODE, path), exist_ok=True)
        os.chmod(os.path.join(NODE, path), mode)
    config('{"memlock": "8Mi"}')


def play(runtime, engine):
    """A recorded session, until the plugin has answered all of it: the last question is ours"""
    connection = runtime.accept()
    connection.sock.sendall(recorded(engine, "r2p"))
    connection.call = 1000001
    connection.send(PLUGIN, connection.call, 1, b"")
    while connection.message(PLUGIN)[0] != connection.call:
        pass
    connection.close()


def answers(runtime):
    connection = runtime.accept()
    connection.registered()
    connection.configure(timeout=TIMEOUT)
    connection.synchronize()
    env, limits = connection.create(annotations=ASKS, devices=DEVICE).adjust()
    good = equal("granted", ("=mlx5_6", 1), (env.get("NCCL_IB_HCA"), len(limits)))
    good &= equal("no RDMA", b"", connection.create().payload)
    good &= equal("a limit that is there", 0, connection.create(annotations=ASKS, devices=DEVICE, rlimits=[("RLIMIT_MEMLOCK", 1, 1)]).status)
    config('{"memlock": "8Mi", "namespaces": ["others"], "on_error": "fail"}')
    connection.create(annotations=ASKS, devices=DEVICE)
    config('{"on_error": "fail", "memlok": 1}')
    connection.create(annotations=ASKS, devices=DEVICE)
    for payload in (b"\xff" * 12, b"\x0a\x7fab", b"\x12\x02\x0a\xff", b""):
        connection.request("CreateContainer", payload)
    good &= equal("an unknown method", 12, connection.request("Conquer").status)
    connection.close()
    return good


def main():
    make_node()
    runtime = Runtime(SOCKET)
    plugin = subprocess.Popen([PROGRAM, "--sysroot", NODE], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    good = True
    try:
        for engine in ENGINES:
            play(runtime, engine)
        good &= answers(runtime)
        for text in (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff" * 5000, recorded(ENGINES[0], "r2p")[:1000]):
            connection = runtime.accept()
            connection.sock.sendall(text)
            connection.close()
        connection = runtime.accept()
        connection.begin()
        plugin.send_signal(signal.SIGTERM)
        good &= equal("it ends by itself", 0, plugin.wait(PATIENCE))
    except (AssertionError, Closed, OSError, KeyError) as error:
        good = equal("it goes as it should", "", f"{type(error).__name__}: {error}")
    finally:
        if plugin.poll() is None:
            plugin.kill()
    return 0 if good else 1


sys.exit(main())
