#!/bin/bash
# NCCL's values that oci-rdma-doctor once took for good, and how it says what it has found
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults

container NCCL_IB_HCA==mlx5_6:2
causes "a port that no device has: none is selected" nccl_ib_hca
finds "a port that no device has" nccl_ib_hca/mlx5_6 warn "mlx5_6 has 1 port, and no port 2"
container NCCL_IB_HCA==mlx5_6:2,mlx5_7:1
finds "another port beside it" nccl_ib_hca ok "selects mlx5_7"
container NCCL_IB_HCA==mlx5_6:1
healthy "the port that it has"
container NCCL_IB_HCA=^mlx5_6:2
finds "a port excluded that no device has excludes nothing" nccl_ib_hca ok "selects mlx5_6, mlx5_7, mlx5_10, mlx5_11"
for name in socket Socket SOCKET; do
	container NCCL_NET=$name
	causes "NCCL_NET=$name is TCP" nccl_net
done
container NCCL_NET=IB
healthy "NCCL_NET=IB"
container NCCL_SOCKET_IFNAME=lo
finds "lo leads to no other pod" nccl_socket_ifname warn "no other pod can be reached"
container NCCL_SOCKET_IFNAME=^docker,lo
healthy "lo excluded"

# ---- the first line ----
h100
in_container "$ALLOCATED" NCCL_SOCKET_IFNAME=lo
doctor
has "a warning is the cause: it stands behind the warnings" "0 fail, 1 warn (nccl_socket_ifname), " "$(head -1 "$T/out")"
lacks "…and not behind what is not checkable" "not checkable:" "$(head -1 "$T/out")"
in_container "$ALLOCATED" NCCL_NET=socket NCCL_SOCKET_IFNAME=lo
doctor
has "a failure is the cause: it stands behind the failures" "1 fail (nccl_net), 1 warn, " "$(head -1 "$T/out")"
finish
