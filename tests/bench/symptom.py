"""What oci-rdma-doctor --symptom takes for a large log, beside a grep for a few words in it."""
import os

from measure import BUILD, Command, compare

DOCTOR = os.environ.get("DOCTOR", f"{BUILD}/oci-rdma-doctor")
SIZE = 200 * 1000 * 1000
ROUNDS = 10

LINES = [
    "node-1:27:27 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA",
    "node-1:27:94 [3] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1",
    "2026-11-22 01:00:07 INFO step 1234 loss=2.34 lr=1e-4 tokens/s=123456 grad_norm=0.93",
    "I0331 12:02:38.332257 56056 transfer_engine_bench.cpp:419] NR_SOCKETS:2",
    "[1660872656.556293] [node001:41718:0] ucp_worker.c:1956 UCX  INFO ep_cfg[1]: tag(self/memory0 rc_mlx5/mlx5_1:1)",
]
# It only warns, so that the doctor ends with 0.
LAST = "node-1:27:30 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_6'"


def symptom(directory):
    """A log of a run that went well, on the tmpfs; its last line is the one that counts."""
    path = f"{directory}/log"
    block = "".join(line + "\n" for line in LINES) * 1000
    with open(path, "w", encoding="ascii") as file:
        for _ in range(SIZE // len(block)):
            file.write(block)
        file.write(LAST + "\n")
    commands = [Command("wc -l", ["/usr/bin/wc", "-l", path]),
                Command("grep of five words", ["/usr/bin/grep", "-ciE", "Disabled for HCA|vendor err|ibv_reg_mr|/dev/shm|memlock", path]),
                Command("oci-rdma-doctor --symptom", [DOCTOR, "--symptom", path])]
    result = compare("a log of 200 MB", commands, ["grep of five words"], directory, ROUNDS)
    os.unlink(path)
    return [result]
