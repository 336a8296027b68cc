"""Recorded nodes, bundles and a process that stands for a container's first one: what the hook is started on."""
import json
import os
import resource
import subprocess

MIB = 1024 * 1024
BEFORE = (MIB, 8 * MIB)  # the process' memlock; everybody may raise it to the hard limit
AFTER = (8 * MIB, 8 * MIB)
NONE = {"annotations": {"oci-rdma-hook.io/inject": None}}


def allocate(node, count):
    """A container with the node's first VFs; the four PFs are mlx5_0 to mlx5_3."""
    ibdevs = [f"mlx5_{i}" for i in range(4, 4 + count)]
    devices = {}
    for ibdev in ibdevs:
        home = os.readlink(os.path.join(node, "sys/class/infiniband", ibdev))
        devices[home.split("/")[-3]] = ibdev
    return {"allocate": [{"resource": "openshift.io/rdma", "devices": devices}]}


def nccl_conf(count):
    return "NCCL_IB_HCA==" + ",".join(f"mlx5_{i}" for i in range(4, 4 + count)) + "\n"


class Process:
    """A child of ours, as the container's first process is a child of the hook's parent's parent (conmon)."""

    def __init__(self):
        self.child = subprocess.Popen(["sleep", "infinity"])
        self.pid = self.child.pid

    def lower(self):
        resource.prlimit(self.pid, resource.RLIMIT_MEMLOCK, BEFORE)

    def limit(self):
        return resource.prlimit(self.pid, resource.RLIMIT_MEMLOCK)

    def end(self):
        self.child.kill()
        self.child.wait()


def make_node(node, vfs, config):
    """Four PFs, and so many VFs in all."""
    subprocess.run(["tests/nodes/mknode", json.dumps({"pfs": 4, "vfs_per_pf": vfs // 4}), node], check=True)
    directory = os.path.join(node, "etc/oci-rdma-hook")
    os.makedirs(directory)
    with open(os.path.join(directory, "config.json"), "w", encoding="utf-8") as file:
        json.dump({"memlock": "8Mi", **config}, file)
    return node


class Bundle:
    """A bundle with a root file system of its own, and the state that a runtime sends for it."""

    def __init__(self, directory, case, pid, change=None):
        self.path = directory
        subprocess.run(["tests/bundles/mkbundle", json.dumps(case), directory], check=True)
        self.root = os.path.join(directory, "rootfs")
        os.makedirs(os.path.join(self.root, "etc"))
        with open(os.path.join(directory, "config.json"), encoding="utf-8") as file:
            config = json.load(file)
        config["root"]["path"] = self.root
        if change:
            change(config)
        with open(os.path.join(directory, "config.json"), "w", encoding="utf-8") as file:
            json.dump(config, file, indent="\t")
        self.state = os.path.join(directory, "state.json")
        with open(self.state, "w", encoding="utf-8") as file:
            json.dump({"ociVersion": "1.0", "id": config["annotations"]["io.kubernetes.cri-o.ContainerID"], "pid": pid,
                       "root": self.root, "bundle": directory, "status": "created",
                       "annotations": config["annotations"]}, file)

    def size(self):
        return os.path.getsize(os.path.join(self.path, "config.json"))

    def conf(self):
        """What nccl.conf says, comments aside; "" where there is none."""
        try:
            with open(os.path.join(self.root, "etc/nccl.conf"), encoding="utf-8") as file:
                return "".join(line for line in file if not line.startswith("#"))
        except FileNotFoundError:
            return ""

    def forget(self):
        try:
            os.unlink(os.path.join(self.root, "etc/nccl.conf"))
        except FileNotFoundError:
            pass
