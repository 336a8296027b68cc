#!/bin/bash
# In which order the devices stand, from which evidence, and what the env may say about them. Each form of the env: unit explain/claims;
# of the order: unit core/plan
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case
node h100

# The kubelet walks a Go map for several resources, and allocates the devices of one as a set: the order of the env is nobody's choice.
plan "{$(allocate openshift.io/a=mlx5_10 openshift.io/z=mlx5_6)}"
gets "resources stand by PCI address, not in the order of the env" mlx5_6,mlx5_10
first=$(jq -cS "[.devices, .env]" "$T/out")
plan "{$(allocate openshift.io/z=mlx5_6 openshift.io/a=mlx5_10)}"
is "two containers of a pod with the same devices get the same" "$first" "$(jq -cS "[.devices, .env]" "$T/out")"
plan '{"devices":[["/dev/infiniband/uverbs10",231,202],["/dev/infiniband/uverbs2",231,194],["/dev/infiniband/uverbs1",231,193]]}'
gets "so does what no env names" mlx5_1,mlx5_2,mlx5_10
that "its source is the device" '[.devices[].source] | unique | join(",")' device
that "two of them are PFs" '[.devices[].kind] | join(",")' pf,pf,vf
that "mlx5_1 beside mlx5_10: the exact names" .env.NCCL_IB_HCA "=mlx5_1,mlx5_2,mlx5_10"

# What the env cannot say
plan "{$(allocate a/r=mlx5_6),\"env\":[\"PCIDEVICE_A_S=0000:5d:00.3\"]}"
gets "a device that the env names and nothing proves is dropped" mlx5_6
warns "with a warning" not_allocated
plan '{"devices":[["/dev/infiniband/uverbs6",231,198]],"env":["PCIDEVICE_A_R=0000:3b:02.6","PCIDEVICE_A_R_INFO={\"0000:3b:02.6\":{\"rdma\":{\"rdma_dev\":\"mlx5_0\",\"uverbs\":\"/dev/infiniband/uverbs0\"}}}"]}'
gets "an _INFO that names another RDMA device changes nothing" mlx5_6
warns "with a warning" env_disagrees

finish
