"""What must not take long, whatever a pod, a log or the kernel does: each beside a plain one, with the bound that is promised. The tests promise no
time, since a machine may be busy: that a wait ends, and how the work grows, is theirs."""
import json
import os
import subprocess
import sys

from measure import BUILD, Command, compare
from scene import AFTER, Bundle, Process

DOCTOR = os.environ.get("DOCTOR", f"{BUILD}/oci-rdma-doctor")
ROUNDS = 5
VARIABLES = 65000  # beside those that a container has: 65,536 are read
LOG = 8 * 1024 * 1024
VF = {"pci": "0000:3b:02.6", "ibdev": "mlx5_6"}
CASE = {"allocate": [{"resource": "openshift.io/rdma", "devices": {VF["pci"]: VF["ibdev"]}}]}

# What an environment is flooded with (tests/unit/explain/claims) …
FLOODS = {
    "lists": "PCIDEVICE_{}=0000:3b:02.6",
    "_INFO": "PCIDEVICE_{}_INFO={{}}",
    "DRA devices": "SRIOVNETWORK_VF_DEVICE_{}=0000:3b:02.6",
}
# … and a line of a log: of those of tests/unit/doctor/symptom/hostile.c what takes longest
REPEATED = ["got completion", "(synd ", " ibv_reg_mr() failed,", "status: 110 ibv_modify_qp failed",
            " nodes are available: 1 insufficient x"]


def node(directory, vf, config):
    description = {"functions": [{"pci": "0000:3b:00.0", "ibdev": "mlx5_0", "vfs": [{**VF, **vf}]}], "config": {"memlock": "8Mi", **config}}
    subprocess.run(["tests/nodes/mknode", json.dumps(description), directory], check=True)
    return directory


def judge(title, commands, directory, bound):
    """The first command is the plain one; what the others take above it has the bound, in ms. Returns the table, with the bound."""
    result = compare(title, commands, [commands[0].label], directory, ROUNDS)
    worst = max(row["above_us"][commands[0].label] for row in result["rows"]) / 1000
    print(f"{title}: {worst:.0f} ms above {commands[0].label}, {'at most' if worst <= bound else 'more than'} {bound}\n", flush=True)
    return {**result, "bound_ms": bound, "worst_ms": worst}


def granted(process):
    """As grants() of bench.py, whatever is in nccl.conf"""
    def after():
        if process.limit() != AFTER:
            sys.exit(f"bench: not granted: {process.limit()}")
    return {"before": process.lower, "after": after}


def flood(form):
    def change(config):
        config["process"]["env"][:0] = [form.format(i) for i in range(VARIABLES)]
    return change


def floods(directory, hook, process):
    home = node(f"{directory}/flooded", {}, {})
    commands = [hook("as it is", home, Bundle(f"{directory}/dry", CASE, process.pid), "createRuntime", **granted(process))]
    for i, (label, form) in enumerate(FLOODS.items()):
        bundle = Bundle(f"{directory}/flood-{i}", CASE, process.pid, flood(form))
        commands.append(hook(f"{VARIABLES} {label}", home, bundle, "createRuntime", **granted(process)))
    return judge("variables of device plugins", commands, directory, 500)


def symptoms(directory):
    commands = []
    for i, part in enumerate(["one two three four ", *REPEATED]):
        path = f"{directory}/repeated-{i}"
        with open(path, "w", encoding="ascii") as file:
            file.write(part * (LOG // len(part)))
        # It ends with 1 or 3, by what it says of them.
        commands.append(Command(part.strip(), ["/bin/sh", "-c", '"$0" --symptom "$1"; [ $? -ne 2 ]', DOCTOR, path]))
    return judge("a line of 8 MiB for the doctor", commands, directory, 5000)


def bounds(hook, work):
    directory = f"{work}/bounds"
    os.mkdir(directory)
    process = Process()
    try:
        return [floods(directory, hook, process), symptoms(directory)]
    finally:
        process.end()
