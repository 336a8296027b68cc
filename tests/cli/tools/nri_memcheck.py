"""nri_memcheck.py PROGRAM DIRECTORY: oci-rdma-nri below memcheck, with what runtimes have said and what nobody should. TAP on stdout.
What the answers are is nri.py's; here each kind of answer is made once, and the plugin ends as by systemd."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import nri_scene  # noqa: E402
from nri_peer import PLUGIN, recorded  # noqa: E402
from nri_scene import ASKS, ENGINES, TWO, config, equal  # noqa: E402


def play_recorded(runtime, engine):
    """A recorded session, until the plugin has answered all of it: the last question is ours"""
    connection = runtime.accept()
    connection.sock.sendall(recorded(engine, "r2p"))
    connection.call = 1000001
    connection.send(PLUGIN, connection.call, 1, b"")
    while connection.message(PLUGIN)[0] != connection.call:
        pass
    connection.close()


def answers(runtime):
    connection = runtime.accept().begin(timeout=4000000)  # ms: the runtime's patience with the plugin
    rdma = {"annotations": ASKS, "devices": TWO[:1]}
    env, limits = connection.create(**rdma).adjust()
    equal("granted", ("=mlx5_6", 1), (env.get("NCCL_IB_HCA"), len(limits)))
    equal("no RDMA", b"", connection.create().payload)
    equal("a limit that is there", 0, connection.create(rlimits=[("RLIMIT_MEMLOCK", 1, 1)], **rdma).status)
    for policy in '{"memlock": "8Mi", "namespaces": ["others"], "on_error": "fail"}', '{"on_error": "fail", "memlok": 1}':
        config(policy)
        connection.create(**rdma)
    for payload in (b"\xff" * 12, b"\x0a\x7fab", b"\x12\x02\x0a\xff", b""):
        connection.request("CreateContainer", payload)
    equal("an unknown method", 12, connection.request("Conquer").status)
    connection.close()


def everything(runtime, plugin):
    for engine in ENGINES:
        play_recorded(runtime, engine)
    answers(runtime)
    for text in (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff" * 5000, recorded(ENGINES[0], "r2p")[:1000]):
        connection = runtime.accept()
        connection.sock.sendall(text)
        connection.close()
    runtime.accept().begin()
    equal("it ends by itself", 0, plugin.end())


sys.exit(nri_scene.play([everything], None))
