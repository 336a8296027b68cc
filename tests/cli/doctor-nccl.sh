#!/bin/bash
# NCCL's values that oci-rdma-doctor once took for good, and how it says what it has found
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults

try "a port that no device has: none is selected" nccl_ib_hca/mlx5_6 warn "mlx5_6 has no port 2" container NCCL_IB_HCA==mlx5_6:2
causes "the cause" nccl_ib_hca
try "a port excluded that no device has excludes nothing" nccl_ib_hca ok "selects mlx5_6, mlx5_7, mlx5_10, mlx5_11" container NCCL_IB_HCA=^mlx5_6:2
row "values that are well: the port that a device has, NCCL_NET=IB, lo excluded"
for value in NCCL_IB_HCA==mlx5_6:1 NCCL_NET=IB NCCL_SOCKET_IFNAME=^docker,lo; do
	container "$value"
	healthy "$value"
done
row "NCCL_NET=socket is TCP, in whatever case"
for name in socket Socket SOCKET; do
	container NCCL_NET=$name
	causes "$name" nccl_net
done
try "lo leads to no other pod" nccl_socket_ifname warn "no other pod can be reached" container NCCL_SOCKET_IFNAME=lo

# ---- the first line ----
row "a warning is the cause: it stands behind the warnings, and not behind what is not checkable"
h100
in_container "$ALLOCATED" NCCL_SOCKET_IFNAME=lo
doctor
has "the first line" "0 fail, 1 warn (nccl_socket_ifname), " "$(head -1 "$T/out")"
lacks "the first line" "not checkable:" "$(head -1 "$T/out")"
row "a failure is the cause: it stands behind the failures"
in_container "$ALLOCATED" NCCL_NET=socket NCCL_SOCKET_IFNAME=lo
doctor
has "the first line" "1 fail (nccl_net), 1 warn, " "$(head -1 "$T/out")"
finish
