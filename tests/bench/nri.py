"""What an NRI plugin adds to CreateContainer: ours beside one of NRI's own Go stub that does nothing, and one that is the least there can be,
asked by NRI's own runtime side."""
import json
import os
import subprocess

from measure import BUILD, ROUNDS, table

TOOLS = f"{BUILD}/tests/nri"
PLUGIN = os.environ.get("NRI_PLUGIN", f"{BUILD}/oci-rdma-nri")
ALONE, FLOOR, STUB, OURS = "no plugin", "C floor", "Go stub", "oci-rdma-nri"
TITLES = {"plain": "CreateContainer, not ours", "granted": "CreateContainer, two VFs granted", "starts": "StartContainer, not ours"}
# What a plugin adds to the floor is its own part: for a container that is none of ours, a tenth of what the stub adds is the bound.
BOUND = 0.1


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
    alone, floor = rows[ALONE]["median_us"], rows[FLOOR]
    for row in rows.values():
        row["added_us"] = row["median_us"] - alone
        row["own_us"] = row["median_us"] - floor["median_us"]
        row["own_cpu_us"] = row["cpu_us"] - floor["cpu_us"]
    if kind == "starts":  # the stub and the floor do not hear of it
        return [rows[ALONE], rows[OURS]]
    stub = rows[STUB]
    for row in rows.values():
        row["ratio"] = row["added_us"] / stub["added_us"]
        row["own_ratio"] = row["own_us"] / stub["own_us"]
        row["own_cpu_ratio"] = row["own_cpu_us"] / stub["own_cpu_us"]
    return list(rows.values())


def cells(row):
    own = (("own_us", 0), ("own_ratio", 2), ("cpu_us", 0), ("own_cpu_us", 0), ("own_cpu_ratio", 2)) if row["label"] != ALONE else ()
    cells = [row["label"], f"{row['median_us']:.0f}", f"{row['p99_us']:.0f}", f"{row['added_us']:.0f}", f"{row['ratio']:.2f}"]
    return cells + [f"{row[name]:.{digits}f}" for name, digits in own] + [""] * (5 - len(own))


def show(kind, rows):
    if kind == "starts":
        table([TITLES[kind], "median us", "1 % above", "added us", "its own CPU us"],
              [[row["label"]] + [f"{row[name]:.0f}" for name in ("median_us", "p99_us", "added_us", "cpu_us")] for row in rows])
        return
    table([TITLES[kind], "median us", "1 % above", "added us", f"times {STUB}", "above the floor us", f"times {STUB}", "its own CPU us",
           "above the floor us", f"times {STUB}"], [cells(row) for row in rows])


def judge(rows):
    """The bound, of each way to count a plugin's part"""
    ours = next(row for row in rows if row["label"] == OURS)
    for what, name in (("all that a plugin adds", "ratio"), ("above the floor", "own_ratio"), ("CPU above the floor", "own_cpu_ratio")):
        holds = "at most" if ours[name] <= BOUND else "more than"
        print(f"{OURS}, not ours, {what}: {ours[name]:.2f} of the {STUB}'s, {holds} {BOUND}")
    print()


def nri(work):
    """Prints a table for a container that is none of ours, and for a grant; returns them."""
    node = f"{work}/nri"
    subprocess.run(["tests/nodes/mknode", "tests/nodes/h100.json", node], check=True)
    sockets = {label: f"{work}/{label}.sock" for label in (ALONE, FLOOR, STUB, OURS)}
    commands = {FLOOR: [f"{BUILD}/bench/nri_floor-musl", sockets[FLOOR]], STUB: stub(sockets[STUB]),
                OURS: [PLUGIN, "--sysroot", node, "--socket", sockets[OURS]]}
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
        if kind == "plain":
            judge(rows)
        results.append({"title": title, "rounds": ROUNDS * 20, "rows": rows})
    return results
