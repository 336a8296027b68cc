"""torchrun allreduce.py: how fast all GPUs of a job sum up their memory, and whether that is what the RDMA ports of its pods can carry.

The bandwidth is nccl-tests' busbw: bytes / seconds * 2 (n - 1) / n, which for rings is what each pod sends through its ports. It is
compared with the sum of the pod's ports; in a job of unequal pods with the smallest sum, as the slowest pod holds up all.
Exit status: 0 if it is at least --minimum of the sum (0.8), else 1. Without GPUs it runs on processors, by gloo, to try it out.
"""
import argparse
import glob
import os
import socket
import sys
import time

MIB = 1 << 20


def read(path):
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read().strip()
    except OSError:  # a port's rate or counter is EINVAL where the driver knows none
        return ""


def device_numbers(directory="/dev/infiniband"):
    """This container's devices. /sys has the whole node's, which are other pods' too."""
    numbers = [os.stat(path).st_rdev for path in sorted(glob.glob(f"{directory}/uverbs*"))]
    return [f"{os.major(number)}:{os.minor(number)}" for number in numbers]


def find_ports(numbers, sys_root="/sys"):
    """{"mlx5_6:1": {"gbps": 400.0, "share": what is equal for virtual functions of one port, "sent": bytes}}, of active ports"""
    ports = {}
    for number in numbers:
        name = read(f"{sys_root}/dev/char/{number}/ibdev")
        device = f"{sys_root}/class/infiniband/{name}"
        function = os.path.realpath(f"{device}/device")
        physical = os.path.realpath(f"{function}/physfn") if os.path.exists(f"{function}/physfn") else function
        for port in sorted(glob.glob(f"{device}/ports/*")) if name else []:
            rate = read(f"{port}/rate").split(" ")[0]
            if read(f"{port}/state").endswith("ACTIVE") and rate:
                number = os.path.basename(port)
                # The counter has units of four octets (InfiniBand 1.4, PortXmitData), and mlx5 counts RDMA in it alone.
                sent = read(f"{port}/counters/port_xmit_data")
                ports[f"{name}:{number}"] = {
                    "gbps": float(rate), "share": (physical, number), "sent": int(sent) * 4 if sent else None}
    return ports


def sum_gbps(ports):
    """Virtual functions of one port have its bandwidth together, so it counts once."""
    return sum({port["share"]: port["gbps"] for port in ports.values()}.values())


def idle_ports(before, after):
    """Those that sent less than a tenth of what the busiest sent: all, if none sent anything; none, where the driver does not count"""
    sent = {name: after[name]["sent"] - before[name]["sent"]
            for name in before if name in after and None not in (before[name]["sent"], after[name]["sent"])}
    return sorted(name for name in sent if sent[name] <= max(sent.values()) / 10)


def bus_bandwidth(size, seconds, ranks):
    """Bytes per second, in units of 10^9, as links and nccl-tests count"""
    return size / seconds * 2 * (ranks - 1) / ranks / 1e9


def verdict(busbw, pods, minimum=0.8):
    """(good, sentence); pods are dictionaries with "host", "gbps", "ports" and "idle"."""
    if len(pods) < 2:
        return True, "none: all ranks are in one pod, so nothing went through the ports"
    slowest = min(pods, key=lambda pod: pod["gbps"])
    total = slowest["gbps"] / 8
    if not total:
        return minimum <= 0, f"TCP: {slowest['host']} has no active RDMA port; oci-rdma-doctor says why"
    share = busbw / total
    text = f"{busbw:.1f} GB/s are {share:.0%} of the {total:.1f} GB/s of the ports of {slowest['host']}"
    if share >= minimum:
        return True, f"good: {text}"
    silent = any(pod["ports"] == pod["idle"] for pod in pods)
    idle = [f"{pod['host']} {name}" for pod in pods for name in pod["idle"]]
    if idle and not silent:
        return False, f"a rail is missing: {text}; almost nothing was sent by {', '.join(idle)}"
    if silent or share < 0.1:
        return False, f"not RDMA, it seems: {text}; NCCL_DEBUG=INFO says NET/Socket, or which limit"
    return False, f"low: {text}; NCCL_DEBUG=INFO says GDRDMA on each channel, if GPUDirect is on"


def measure(torch, device, size, rounds):
    """The slowest rank's seconds for one all_reduce of so many bytes"""
    dist = torch.distributed
    data = torch.ones(size // 4, dtype=torch.float32, device=device)
    dist.all_reduce(data)
    if not bool((data == dist.get_world_size()).all()):
        raise SystemExit(f"allreduce.py: {socket.gethostname()}: a wrong sum: the data did not arrive as they were sent")
    data.zero_()  # however often it is summed up, it stays finite
    wait = torch.cuda.synchronize if device.type == "cuda" else (lambda: None)
    for warm_up in (True, False):
        dist.barrier()
        wait()
        start = time.perf_counter()
        for _ in range(3 if warm_up else rounds):
            dist.all_reduce(data)
        wait()
        elapsed = time.perf_counter() - start
    seconds = torch.tensor([elapsed / rounds], dtype=torch.float64, device=device)
    dist.all_reduce(seconds, op=dist.ReduceOp.MAX)
    return seconds.item()


def gather_pods(torch, before):
    """What each pod is and has, the same list on each rank"""
    numbers = device_numbers()
    after = find_ports(numbers)
    mine = {"host": socket.gethostname(), "gbps": sum_gbps(after), "ports": sorted(after), "idle": idle_ports(before, after)}
    everyone = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(everyone, mine)
    return list({pod["host"]: pod for pod in everyone}.values())


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", default="64,512,4096", help="sizes in MiB (%(default)s)")
    parser.add_argument("--rounds", type=int, default=20, help="of each size (%(default)s)")
    parser.add_argument("--minimum", type=float, default=0.8, help="of the sum of the ports (%(default)s)")
    return parser.parse_args()


def main():
    options = arguments()
    import torch  # here, so that what is above can be tested where there is none
    import torch.distributed

    gpus = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if gpus else torch.device("cpu")
    if gpus:
        torch.cuda.set_device(device)
    torch.distributed.init_process_group("nccl" if gpus else "gloo")
    ranks = torch.distributed.get_world_size()
    # Each pod says the same, so that it is no matter whose log is read.
    say = print if os.environ["LOCAL_RANK"] == "0" else (lambda *_, **__: None)
    before = find_ports(device_numbers())
    say(f"{ranks} ranks, PyTorch {torch.__version__}\n{'MiB':>8} {'ms':>10} {'algbw GB/s':>11} {'busbw GB/s':>11}")
    best = 0.0
    for mib in [int(text) for text in options.mib.split(",")]:
        seconds = measure(torch, device, mib * MIB, options.rounds)
        busbw = bus_bandwidth(mib * MIB, seconds, ranks)
        best = max(best, busbw)
        say(f"{mib:8} {seconds * 1e3:10.3f} {mib * MIB / seconds / 1e9:11.2f} {busbw:11.2f}")
    pods = gather_pods(torch, before)
    for pod in pods:
        say(f"{pod['host']}: {pod['gbps']:.0f} Gb/s by {', '.join(pod['ports']) or 'no RDMA port'}")
    good, sentence = verdict(best, pods, options.minimum)
    say(f"verdict: {sentence}", flush=True)
    torch.distributed.destroy_process_group()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
