"""What a node waits for when plugins change: the time from SIGKILL of the one that serves to the registration of its standby, and the time that the
plugin needs for Synchronize, in which the runtime tells a new plugin of all containers."""
import os
import re
import signal
import statistics
import subprocess
import sys
import time

from measure import BUILD, ROUNDS, table
from nri import FLOOR, OURS, PLUGIN

os.environ.setdefault("PATIENCE", "900")
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../cli/tools"))
from nri_peer import Runtime, container  # noqa: E402 pylint: disable=wrong-import-position
from protobuf import pack  # noqa: E402 pylint: disable=wrong-import-position

BOUND_MS = 50
MANY = 40000
AT_ONCE = 500  # containers in a message: NRI's own runtime side sends more than one message from 4 MiB on
FRAME = 32 * 1024  # the largest that the floor reads
TAKEOVERS = {"registered": "until the standby registers", "served": "until it has answered Synchronize, and is asked"}


def start(command):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill(process):
    process.kill()
    process.wait()


def wait_until_it_waits(process):
    """A child of the standby sleeps in flock(2): a line of /proc/locks with an arrow."""
    while process.poll() is None:
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            children = file.read().split()
        with open("/proc/locks", encoding="ascii") as file:
            if any(re.search(rf"-> FLOCK .* {child} ", line) for child in children for line in file):
                return
        time.sleep(0.005)
    sys.exit("bench: the standby has ended")


# ---- a standby takes over ----

def take_over(runtime, serving):
    """Kills it. Returns the standby's connection, and both times in ms."""
    begin = time.monotonic()
    serving.send_signal(signal.SIGKILL)
    connection = runtime.accept()
    connection.registered()
    registered = time.monotonic()
    connection.configure()
    connection.synchronize()
    served = time.monotonic()
    serving.wait()
    return connection, {"registered": (registered - begin) * 1000, "served": (served - begin) * 1000}


def takeovers(command, runtime):
    taken = []
    serving = start(command)
    connection = runtime.accept().begin()
    for _ in range(ROUNDS):
        standby = start(command)
        wait_until_it_waits(standby)
        last = connection
        connection, times = take_over(runtime, serving)
        last.close()
        taken.append(times)
        serving = standby
    kill(serving)
    connection.close()
    return taken


def show_takeovers(taken):
    title = "the serving plugin gets SIGKILL"
    rows = [{"label": label, "median_ms": statistics.median(one[name] for one in taken), "max_ms": max(one[name] for one in taken)}
            for name, label in TAKEOVERS.items()]
    table([title, "median ms", "maximum ms"], [[row["label"], f"{row['median_ms']:.1f}", f"{row['max_ms']:.1f}"] for row in rows])
    worst = rows[0]["max_ms"]
    print(f"{title}: {worst:.0f} ms until the standby registers, {'at most' if worst <= BOUND_MS else 'more than'} {BOUND_MS}\n")
    return {"title": title, "rounds": len(taken), "rows": rows}


# ---- Synchronize ----

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


def standby(work):
    """Prints a table of each; returns them."""
    node, socket = f"{work}/standby", f"{work}/standby-nri/nri.sock"
    subprocess.run(["tests/nodes/mknode", "tests/nodes/h100.json", node], check=True)
    os.mkdir(os.path.dirname(socket), 0o700)
    runtime = Runtime(socket)
    ours = [PLUGIN, "--sysroot", node, "--socket", socket]
    try:
        results = [show_takeovers(takeovers(ours, runtime))]
        results.append(synchronizes({FLOOR: [f"{BUILD}/bench/nri_floor-musl", socket], OURS: ours}, runtime, max(3, ROUNDS // 20)))
    finally:
        runtime.stop()
    return results
