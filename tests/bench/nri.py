"""What an NRI plugin adds to CreateContainer: ours beside one of NRI's own Go stub that does nothing, asked by NRI's own runtime side."""
import json
import os
import subprocess

from measure import BUILD, ROUNDS, table

TOOLS = f"{BUILD}/tests/nri"
PLUGIN = os.environ.get("NRI_PLUGIN", f"{BUILD}/oci-rdma-nri")
STUB = "Go stub"
TITLES = {"plain": "CreateContainer, not ours", "granted": "CreateContainer, two VFs granted"}


def stub(socket):
    """It connects once, so it waits for its runtime."""
    return ["sh", "-c", 'until [ -S "$1" ]; do sleep 0.05; done; exec "$0" "$1"', f"{TOOLS}/stub", socket]


def ask(plugins, sockets):
    """What judge says of the plugins' processes, and of a runtime without any"""
    runtimes = [f"no plugin=0={sockets['no plugin']}"]
    runtimes += [f"{label}={process.pid}={sockets[label]}" for label, process in plugins.items()]
    rounds = str(ROUNDS * 20)
    answer = subprocess.run([f"{TOOLS}/judge", "-bench", rounds, *runtimes], stdout=subprocess.PIPE, check=True)
    return json.loads(answer.stdout)


def rows_of(answers, kind):
    rows = {row["label"]: row for row in answers if row["kind"] == kind}
    alone = rows["no plugin"]["median_us"]
    for row in rows.values():
        row["added_us"] = row["median_us"] - alone
        row["ratio"] = row["added_us"] / (rows[STUB]["median_us"] - alone)
    return list(rows.values())


def show(kind, rows):
    table([TITLES[kind], "median us", "1 % above", "added us", f"times {STUB}", "its own CPU us"],
          [[row["label"], f"{row['median_us']:.0f}", f"{row['p99_us']:.0f}", f"{row['added_us']:.0f}", f"{row['ratio']:.2f}",
            f"{row['cpu_us']:.0f}"] for row in rows])


def nri(work):
    """Prints a table for a container that is none of ours, and for a grant; returns them."""
    node = f"{work}/nri"
    subprocess.run(["tests/nodes/mknode", "tests/nodes/h100.json", node], check=True)
    sockets = {label: f"{work}/{label}.sock" for label in ("no plugin", STUB, "oci-rdma-nri")}
    commands = {STUB: stub(sockets[STUB]), "oci-rdma-nri": [PLUGIN, "--sysroot", node, "--socket", sockets["oci-rdma-nri"]]}
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
