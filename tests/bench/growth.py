"""How the time grows with what there is to read and to look up."""
import statistics

from measure import ROUNDS, samples, table
from scene import NONE, Bundle, allocate, make_node

KIB = 1024
SIZES = [8 * KIB << i for i in range(0, 11, 2)]  # to 8 MiB
DEVICES = [1 << i for i in range(0, 11, 2)]      # to 1,024


def pad(size):
    """Environment, as long as it takes; the rest is as it was."""
    def change(config):
        env = config["process"]["env"]
        env[:0] = [f"PADDING_{i:06}={'x' * 200}" for i in range(max(0, size - 7 * KIB) // 225)]
    return change


def fit(points):
    """(a, b, r²) of y = a + b x, by least squares"""
    a, b = statistics.linear_regression(*zip(*points))[::-1]
    return a, b, statistics.correlation(*zip(*points)) ** 2


def grow(title, unit, commands, directory):
    """commands: {x: command}. Prints a table, returns it."""
    taken = samples(list(commands.values()), directory, max(ROUNDS // 5, 5))
    points = [(x, statistics.median(s[0] for s in mine) * 1000) for x, mine in zip(commands, taken)]
    rows = []
    for (x, y), before in zip(points, [None, *points]):
        step = f"{(y - before[1]) / (x - before[0]) * 1000:.2f}" if before else ""
        rows.append([str(x), f"{y:.3f}", step])
    table([f"{title}: {unit}", "median ms", f"us for each {unit} more"], rows)
    a, b, r2 = fit(points)
    print(f"{a:.3f} ms and {b * 1000:.3f} us for each {unit}; r² {r2:.4f}\n", flush=True)
    return {"title": title, "unit": unit, "points": points, "constant_ms": a, "slope_us": b * 1000, "r2": r2}


def growth(process, hook, grants, directory):
    node = make_node(f"{directory}/node-growth", 1024, {"nccl": {"hca": False}})
    sizes = {}
    for size in SIZES:
        bundle = Bundle(f"{directory}/size-{size}", NONE, process.pid, pad(size))
        sizes[round(bundle.size() / KIB)] = hook(f"{size}", node, bundle, "createRuntime")
    devices = {}
    for count in DEVICES:
        bundle = Bundle(f"{directory}/devices-{count}", allocate(node, count), process.pid)
        devices[count] = hook(f"{count}", node, bundle, "createRuntime", **grants(process, bundle, ""))
    return [grow("config.json, no RDMA", "KiB", sizes, directory), grow("granted", "device", devices, directory)]
