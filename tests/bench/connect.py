"""The time that a plugin needs when it connects: for Synchronize, in which the runtime tells it of all containers."""
import os
import re
import statistics
import subprocess
import sys
import time

from measure import BUILD, ROUNDS, table
from nri import OURS, PLUGIN

os.environ.setdefault("PATIENCE", "900")
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../cli/tools"))
from nri_peer import Runtime, container  # noqa: E402 pylint: disable=wrong-import-position
from protobuf import pack  # noqa: E402 pylint: disable=wrong-import-position

MANY = 5000
FRAME = 32 * 1024
AT_ONCE = 500  # containers in a message: NRI's own runtime side sends more than one message from 4 MiB on


def start(command):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill(process):
    process.kill()
    process.wait()


def messages():
    """A CreateContainerRequest numbers pod and container as Synchronize does, so that several of them, one after another, are its lists. 3 KB each,
    which real ones have"""
    env = [f"A{i}=" + "b" * 900 for i in range(3)]
    for place in range(0, MANY, AT_ONCE):
        body = b"".join(container(id=f"{number:064x}", pod=f"pod-{number}", env=env) for number in range(place, place + AT_ONCE))
        yield body + pack((3, int(place + AT_ONCE < MANY) or None))


def peak_kib(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1))


def processor_ms(process):
    """The time that it has spent on a processor: says more than the clock on a busy machine, and has nothing of the side that asks"""
    with open(f"/proc/{process.pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e6


def synchronize(command, runtime):
    """How long it answers all messages, and the longest one, in ms; its own part on a processor; its peak of memory"""
    process = start(command)
    connection = runtime.accept()
    connection.registered()
    connection.configure()
    before, taken = processor_ms(process), []
    for message in messages():
        begin = time.monotonic()
        connection.request("Synchronize", message, frame=FRAME)
        taken.append((time.monotonic() - begin) * 1000)
    result = {"all_ms": sum(taken), "longest_ms": max(taken), "cpu_ms": processor_ms(process) - before, "peak_kib": peak_kib(process)}
    kill(process)
    connection.close()
    return result


def synchronizes(commands, runtime, rounds):
    title = f"Synchronize of {MANY} containers"
    rows = []
    for label, command in commands.items():
        taken = [synchronize(command, runtime) for _ in range(rounds)]
        rows.append({"label": label, "median_ms": statistics.median(one["all_ms"] for one in taken), "max_ms": max(one["all_ms"] for one in taken),
                     "longest_ms": max(one["longest_ms"] for one in taken),
                     "cpu_ms": statistics.median(one["cpu_ms"] for one in taken), "peak_kib": max(one["peak_kib"] for one in taken)})
    table([title, "median ms", "maximum ms", f"longest answer, {AT_ONCE} of them, ms", "its own CPU ms", "peak KiB"],
          [[row["label"], *(f"{row[name]:.0f}" for name in ("median_ms", "max_ms", "longest_ms", "cpu_ms", "peak_kib"))] for row in rows])
    return {"title": title, "rounds": rounds, "rows": rows}


def connect(work):
    """Prints a table; returns it."""
    node, socket = f"{work}/connect", f"{work}/connect-nri/nri.sock"
    subprocess.run(["tests/nodes/mknode", "tests/nodes/h100.json", node], check=True)
    os.mkdir(os.path.dirname(socket), 0o700)
    runtime = Runtime(socket)
    try:
        commands = {OURS: [PLUGIN, "--sysroot", node, "--socket", socket]}
        return [synchronizes(commands, runtime, max(3, ROUNDS // 20))]
    finally:
        runtime.stop()
