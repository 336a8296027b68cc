#!/usr/bin/env python3
"""What the hook, the shim and the NRI plugin cost. Tables on stdout, the same as JSON in $BUILD/bench.json. Started by tests/bench/run."""
import json
import os
import platform
import shutil
import sys
import time

from connect import connect
from containers import Containers
from growth import growth
from measure import BUILD, ROUNDS, Command, compare
from nri import nri
from scene import AFTER, NONE, Bundle, Process, allocate, make_node, nccl_conf

HOOK = os.environ["HOOK"]
WORK = os.environ["WORK"]  # on tmpfs, as the engines' bundles are
FLOOR = "musl floor"


def floor(stdin):
    """The least that a hook can cost: it starts, reads stdin and ends."""
    return Command(FLOOR, [f"{BUILD}/bench/floor-musl"], stdin)


def hook(label, node, bundle, stage, **around):
    return Command(label, [HOOK, "--sysroot", node, stage], bundle.state, **around)


def grants(process, bundle, conf):
    """Undoes a grant before each run, and sees after it that there was one."""
    def before():
        process.lower()
        bundle.forget()

    def after():
        if process.limit() != AFTER or bundle.conf() != conf:
            sys.exit(f"bench: not granted: {process.limit()} {bundle.conf()!r}")
    return {"before": before, "after": after}


def hooks(process):
    node = make_node(f"{WORK}/node", 16, {})
    none = Bundle(f"{WORK}/none", NONE, process.pid)
    four = Bundle(f"{WORK}/four", allocate(node, 4), process.pid)
    grant = grants(process, four, nccl_conf(4))
    yield "no RDMA", [floor(none.state), hook("hook", node, none, "createRuntime")], [FLOOR]
    yield "four VFs granted, nccl.conf written", [floor(four.state), hook("hook", node, four, "createRuntime", **grant)], [FLOOR]


def node_sizes(process):
    nodes = {vfs: make_node(f"{WORK}/node-{vfs}", vfs, {"opt_in": "device"}) for vfs in (16, 1024)}
    four = Bundle(f"{WORK}/sized", allocate(nodes[16], 4), process.pid)
    grant = grants(process, four, nccl_conf(4))
    commands = [hook(f"{vfs} VFs", node, four, "createRuntime", **grant) for vfs, node in nodes.items()]
    yield "grant on a node with", commands, ["16 VFs"]


def containers():
    for name in ("crun", "runc"):
        runtime = shutil.which(name)
        if not runtime:
            continue
        scene = Containers(f"{WORK}/{name}", HOOK, runtime)
        for granted, whose in ((False, "not ours"), (True, "granted")):
            yield f"create, {whose}", scene.creates(granted), [name]
            scene.begin(granted)
            yield f"exec, {whose}", scene.execs(), [name]
            scene.delete()


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())
    return (f"{time.strftime('%Y-%m-%d')}, {model}, {os.cpu_count()} processors, Linux {platform.release()}, "
            f"load {os.getloadavg()[0]:.1f}, {ROUNDS} rounds")


def main():
    print(machine() + "\n", flush=True)
    process = Process()
    try:
        results = [compare(title, commands, bases, WORK)
                   for part in (hooks(process), node_sizes(process), containers()) for title, commands, bases in part]
        results += growth(process, hook, grants, WORK)
        results += nri(WORK)
        results += connect(WORK)
    finally:
        process.end()
    with open(f"{BUILD}/bench.json", "w", encoding="utf-8") as file:
        json.dump({"machine": machine(), "results": results}, file, indent="\t")


if __name__ == "__main__":
    main()
