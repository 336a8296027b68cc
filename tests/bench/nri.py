"""What an NRI plugin adds to CreateContainer and StartContainer: ours beside one of NRI's own Go stub that does nothing, asked by NRI's own runtime
side."""
import json
import os
import subprocess

from measure import BUILD, ROUNDS, table

TOOLS = f"{BUILD}/tests/nri"
PLUGIN = os.environ.get("NRI_PLUGIN", f"{BUILD}/oci-rdma-nri")
ALONE, STUB, OURS = "no plugin", "Go stub", "oci-rdma-nri"
TITLES = {"plain": "CreateContainer, not ours", "granted": "CreateContainer, two VFs granted", "starts": "StartContainer, not ours"}


def stub(socket):
    """It connects once, so it waits for its runtime."""
    return ["sh", "-c", 'until [ -S "$1" ]; do sleep 0.05; done; exec "$0" "$1"', f"{TOOLS}/stub", socket]


def ask(plugins, sockets):
    """What judge says of the plugins' processes, and of a runtime without any"""
    runtimes = [f"{ALONE}=0={sockets[ALONE]}"]
    runtimes += [f"{label}={process.pid}={sockets[label]}" for label, process in plugins.items()]
    rounds = str(ROUNDS * 20)
    answer = subprocess.run([f"{TOOLS}/judge", "-bench", rounds, *runtimes], stdout=subprocess.PIPE, check=True)
    return json.loads(answer.stdout)


def rows_of(answers, kind):
    rows = {row["label"]: row for row in answers if row["kind"] == kind}
    for row in rows.values():
        row["added_us"] = row["median_us"] - rows[ALONE]["median_us"]
    if kind == "starts":  # the stub does not hear of it
        rows.pop(STUB, None)
    return list(rows.values())


def show(kind, rows):
    table([TITLES[kind], "median us", "1 % above", "added us", "its own CPU us"],
          [[row["label"]] + [f"{row[name]:.0f}" for name in ("median_us", "p99_us", "added_us", "cpu_us")] for row in rows])


def nri(work):
    """Prints a table for a container that is none of ours, for a grant, and for a start; returns them."""
    node = f"{work}/nri"
    subprocess.run(["tests/nodes/mknode", "tests/nodes/h100.json", node], check=True)
    sockets = {label: f"{work}/{label}.sock" for label in (ALONE, STUB, OURS)}
    commands = {STUB: stub(sockets[STUB]), OURS: [PLUGIN, "--sysroot", node, "--socket", sockets[OURS]]}
    plugins = {label: subprocess.Popen(command, stderr=subprocess.DEVNULL) for label, command in commands.items()}
    try:
        answers = ask(plugins, sockets)
    finally:
        for process in plugins.values():
            process.kill()
            process.wait()
    results = []
    for kind, title in TITLES.items():
        rows = rows_of(answers, kind)
        show(kind, rows)
        results.append({"title": title, "rounds": ROUNDS * 20, "rows": rows})
    return results
