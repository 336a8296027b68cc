/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/known.h"

#include <errno.h>
#include <string.h>

/*
 * What proves the causes beside the threads that are named:
 * - p2p_blocked: mlx5 reports syndrome 0x04 with vendor error 0x51 where a DMA of the HCA was not
 *   carried out; NCCL's maintainers (NVIDIA/nccl issues 214, 523, 928, 1052) find ACS and the
 *   IOMMU behind it, and printIbWcStatusHint (src/transport/net_ib/common.h) says the same.
 *   Registration does not see it: the NVIDIA driver maps by dma_map_resource, which succeeds.
 * - memlock, memlock_zero: ib_umem_get in drivers/infiniband/core/umem.c, can_do_mlock in
 *   mm/mlock.c. NCCL before 2.11 says no reason for functions that return a pointer.
 * - open_device: ib_uverbs_open in drivers/infiniband/core/uverbs_main.c (rdma_dev_access_netns).
 * - gid, no_route: ib_resolve_unicast_gid_dmac in drivers/infiniband/core/verbs.c, by modify_qp;
 *   the time-out is that of addr.c, for a neighbour that does not answer.
 * - retry_exc: vendor error 129 is 0x81, "transport retry counter exceeded".
 * - gdr_off: "Disabled for GPU ... (distance 4 > 3)" is of each pair that is not used, and normal.
 * - plugin: a libnccl-net.so that is not in the image is normal.
 */

const struct known known_symptoms[] = {
	{
		.name = "p2p_blocked",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "IBV_WC_LOC_PROT_ERR with vendor error 81: the HCA could not reach GPU "
			 "memory, because the IOMMU translates or ACS redirects its peer-to-peer "
			 "transfers; the memlock limit is not the cause",
		.remedy = "boot the node with iommu=pt, and clear ACS redirect on the bridges "
			  "between GPU and HCA; this is the cause if the error goes away with "
			  "NCCL_NET_GDR_LEVEL=LOC",
		.confirm = "iommu_group, acs, iommu_arguments, kernel_log",
		.from = "NVIDIA/nccl#214",
		.completions = {{4, 0x51}},
		.turns = {{FACT_CHANNEL, FACT_GDR, "bad_buffer"}},
	},
	{
		.name = "loc_prot_err",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "IBV_WC_LOC_PROT_ERR: the HCA was not allowed to access a buffer of this "
			 "process. With GPUDirect RDMA, the IOMMU or ACS is the cause; without it, "
			 "the program used a buffer that was freed or never registered; the "
			 "memlock limit is not the cause",
		.remedy = "run once with NCCL_NET_GDR_LEVEL=LOC. If the error goes away, boot with "
			  "iommu=pt and clear ACS redirect; if it stays, report it to the authors "
			  "of the program or of its NCCL plugin",
		.confirm = "iommu_group, acs, kernel_log",
		.from = "NVIDIA/nccl#523",
		.completions = {{4, ANY}},
		.turns = {{FACT_CHANNEL, FACT_GDR, "bad_buffer"}},
	},
	{
		.name = "bad_buffer",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "IBV_WC_LOC_PROT_ERR, and no channel of this log uses GPUDirect RDMA: the "
			 "program used a buffer that was freed or never registered; not the IOMMU, "
			 "not ACS, not memlock",
		.remedy = "try another version of the program or of its NCCL plugin, and report it "
			  "to the authors",
		.confirm = "nccl_net_gdr_level",
	},
	{
		.name = "remote_err",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the peer's HCA could not reach the memory that it was asked to read or "
			 "write: on the peer's node, the IOMMU or ACS blocks peer-to-peer "
			 "transfers, or the peer's program freed the memory",
		.remedy = "run the doctor on the peer's node, and look for the first error in the "
			  "peer's log",
		.confirm = "iommu_group, acs, kernel_log",
		.from = "rdma-core libibverbs/verbs.h",
		.completions = {{10, ANY}, {11, ANY}},
	},
	{
		.name = "retry_exc",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "IBV_WC_RETRY_EXC_ERR: the peer's HCA did not answer. The peer's process "
			 "died, a port is down, the packets take a path that does not exist (GID, "
			 "route, VLAN, another rail), or the network loses them (PFC, MTU)",
		.remedy = "look whether the peer's process died first. If it did not, test the two "
			  "nodes with oci-rdma-doctor --listen and --connect, and compare GIDs and "
			  "MTU of both ends",
		.confirm = "port, gid, mtu, nccl_ib_gid_index, verbs_remote",
		.from = "NVIDIA/nccl#426",
		.messages = {{{"transport retry count exceeded"},
			      .unless = "(synd ",
			      .from = "openucx/ucx#6000"},
			     {{"nccl warn", "got completion error 12"}, .from = "NVIDIA/nccl#1170"},
			     {{"work item failed: status 12"}, .from = "microsoft/mscclpp#315"},
			     {{"cq state error: 12,"}, .from = "uccl-project/uccl#293"},
			     {{"status: (12): transport retry"}, .from = "spdk/spdk#2328"}},
		.completions = {{12, ANY}},
		.turns = {{FACT_GID_0, FACT_IB_LINK, "gid_forced"}},
	},
	{
		.name = "rnr_retry_exc",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause =
			"IBV_WC_RNR_RETRY_EXC_ERR: the peer's HCA answered, but the peer's process "
			"posted no receive buffer in time, because it hangs, is stopped or is slow",
		.remedy = "look at the peer's process and log; the network itself works",
		.confirm = "verbs_remote",
		.from = "rdma-core libibverbs/verbs.h",
		.completions = {{13, ANY}},
	},
	{
		.name = "mtu",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "one end refused what the other sent as too long or malformed: their "
			 "MTUs, message sizes or program versions differ",
		.remedy = "compare the active MTU of both ports (ibv_devinfo) and the versions of "
			  "both programs; for Mooncake, set MC_MTU=1024 on both ends",
		.confirm = "mtu, verbs_remote",
		.from = "kvcache-ai/Mooncake#3868",
		.messages = {{{"remote invalid request"}, .from = "kvcache-ai/Mooncake#3868"},
			     {{"local length error"}, .from = "kvcache-ai/Mooncake#3868"}},
		.completions = {{1, ANY}, {9, ANY}},
	},
	{
		.name = "memlock",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "memory could not be registered: the soft RLIMIT_MEMLOCK is too low, and "
			 "CAP_IPC_LOCK does not count here",
		.remedy = "raise RLIMIT_MEMLOCK, soft and hard (oci-rdma-hook does it). The limit "
			  "of the failing process counts, not that of the node or of an oc exec: "
			  "grep locked /proc/PID/limits",
		.confirm = "memlock, ipc_lock, verbs_register",
		.from = "NVIDIA/nccl-tests#206",
		.messages =
			{{{"please set max locked memory (ulimit -l)"}, .from = "openucx/ucx#8684"},
			 {{"failed to create ", " qp ", "cannot allocate memory"},
			  .from = "openucx/ucx#8336"},
			 {{"failed to register memory", "cannot allocate memory"},
			  .from = "kvcache-ai/Mooncake, rdma_context.cpp"},
			 {{"fio: ibv_reg_mr", "cannot allocate memory"},
			  .from = "fio engines/rdma.c"},
			 {{"failed to allocate memory region", "cannot allocate memory"},
			  .from = "qperf src/rdma.c"},
			 {{"fi_mr_reg", "-12"}, .from = "ofiwg/libfabric#6437"},
			 {{"libfabric error: (-12)"}, .from = "awslabs/awsome-distributed-ai#647"},
			 {{"rconnect: cannot allocate memory"},
			  .from = "rdma-core librdmacm/rsocket.c"},
			 {{"rdma_create_", "cannot allocate memory"},
			  .from = "rdma-core librdmacm/cma.c"},
			 {{"memlock limits are set too low"},
			  .from = "Open MPI help-mpi-btl-openib.txt"},
			 {{"while trying to allocate some locked memory"},
			  .from = "Open MPI help-mpi-btl-openib.txt"},
			 {{"unable to register mr", "cannot allocate memory"},
			  .from = "aws/aws-ofi-nccl#141"},
			 {{"couldn't enable endpoint", "rc: -12"}, .from = "aws/aws-ofi-nccl#44"},
			 {{"unable to create send cq", "cannot allocate memory"},
			  .from = "ofiwg/libfabric#7324"}},
		.calls = {{"reg_mr", ENOMEM},
			  {"reg_mr_iova", ENOMEM},
			  {"reg_mr_iova2", ENOMEM},
			  {"create_cq", ENOMEM},
			  {"create_cq_ex", ENOMEM},
			  {"create_qp", ENOMEM},
			  {"create_qp_ex", ENOMEM},
			  {"create_srq", ENOMEM},
			  {"reg_mr", NONE},
			  {"reg_mr_iova2", NONE},
			  {"create_cq", NONE},
			  {"create_qp", NONE}},
		.turns = {{FACT_GNI, 0, "reg_refused"},
			  {FACT_MKEY, 0, "mkeys"},
			  {FACT_UNLIMITED, 0, "hca_resources"},
			  {FACT_EFAULT, 0, "gpu_memory"}},
	},
	{
		.name = "memlock_cq",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "Open MPI could not create a completion queue and does not say why in "
			 "this line; in most reports the soft RLIMIT_MEMLOCK is too low",
		.remedy = "look for \"Cannot allocate memory\" in the lines behind it, which "
			  "confirms it; then raise RLIMIT_MEMLOCK, soft and hard (oci-rdma-hook "
			  "does it)",
		.confirm = "memlock, ipc_lock, verbs_register",
		.messages = {{{"failed to create a completion queue (cq)"},
			      .from = "open-mpi/ompi#6468"}},
		.turns = {{FACT_ENOMEM, 0, "memlock"}},
	},
	{
		.name = "memlock_zero",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "EPERM from registering memory: the soft RLIMIT_MEMLOCK is 0, and "
			 "CAP_IPC_LOCK does not count here",
		.remedy = "raise RLIMIT_MEMLOCK, soft and hard (oci-rdma-hook does it)",
		.confirm = "memlock, ipc_lock, verbs_register",
		.from = "Linux drivers/infiniband/core/umem.c",
		.calls = {{"reg_mr", EPERM},
			  {"reg_mr_iova", EPERM},
			  {"reg_mr_iova2", EPERM},
			  {"create_cq", EPERM},
			  {"create_qp", EPERM},
			  {"create_srq", EPERM}},
	},
	{
		.name = "mkeys",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the HCA's firmware made no memory key for ibv_reg_mr: the HCA has no "
			 "memory keys left, also because of processes that were killed, or it is "
			 "sick; memlock is not the cause",
		.remedy = "count the registrations (rdma resource show) and look for mlx5_cmd "
			  "errors in the node's dmesg; update the firmware, or reset the HCA",
		.confirm = "kernel_log",
		.messages = {{{"async reg mr failed. status -12"}, .from = "openucx/ucx#6264"},
			     {{"failed to register memory", "resource temporarily unavailable"},
			      .from = "kvcache-ai/Mooncake#1765"}},
	},
	{
		.name = "vf_no_driver",
		.status = FINDING_WARN,
		.sureness = LIKELY,
		.cause = "a PCI function has no driver, so that the device plugin leaves it out",
		.remedy = "bind the function to its driver (mlx5_core for RDMA), or let the SR-IOV "
			  "operator do it; then restart the device plugin",
		.confirm = "rdma_devices",
		.messages = {{{"error getting driver info for device"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#189"}},
	},
	{
		.name = "cni_missing",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the node has no CNI program of this name, so that the pod gets no "
			 "network and does not start; RDMA is not the cause",
		.remedy = "install the program on every node of the pool, in the directory that "
			  "the message names (the SR-IOV operator or the sriov-cni DaemonSet does "
			  "it); ls of that directory on the node confirms it",
		.confirm = "",
		.messages = {{{"failed to find plugin", "in path"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#446"}},
	},
	{
		.name = "hca_resources",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "ENOMEM, although the log says that locked memory is unlimited: the HCA "
			 "or its driver has no queue pairs, completion queues or memory keys left",
		.remedy = "compare rdma resource show with the limits in ibv_devinfo -v; ask for "
			  "fewer or smaller queues",
		.confirm = "memlock, kernel_log",
		.from = "ofiwg/libfabric#8256",
	},
	{
		.name = "reg_refused",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "memory could not be registered, and memlock is not the cause: the HCA's "
			 "driver cannot pin this kind of memory (of a GPU, a file, another device) "
			 "or this length, or it lacks resources",
		.remedy = "try host memory and GPU memory apart: ib_write_bw, then ib_write_bw "
			  "--use_cuda=0; oci-rdma-doctor --verbs does both and names the errno",
		.confirm = "verbs_register, verbs_peermem, gpudirect",
		.from = "openucx/ucx#5291",
		.messages = {{{"failed to register memory", "invalid argument"},
			      .from = "sgl-project/sglang#6894"},
			     {{"failed to register memory", "out of range"},
			      .from = "kvcache-ai/Mooncake#454"},
			     {{"failed to register memory: addr"},
			      .from = "kvcache-ai/Mooncake#1592"},
			     {{"mooncake memory registration failed"},
			      .from = "sgl-project/sglang#6894"},
			     {{"couldn't allocate mr with error=22"},
			      .from = "linux-rdma/perftest, src/perftest_resources.c"},
			     {{"ib_umem_get: failed to get user pages"},
			      .from = "gpudirect/libgdsync#44"},
			     {{"register mr failed", "operation not supported"},
			      .from = "SJTU-IPADS/librdpma#2"}},
		.calls = {{"reg_mr", EAGAIN},
			  {"reg_mr", EINVAL},
			  {"reg_mr", EOPNOTSUPP},
			  {"reg_mr_iova", EAGAIN},
			  {"reg_mr_iova", EINVAL},
			  {"reg_mr_iova", EOPNOTSUPP},
			  {"reg_mr_iova2", EAGAIN},
			  {"reg_mr_iova2", EINVAL},
			  {"reg_mr_iova2", EOPNOTSUPP}},
		.turns = {{FACT_EFAULT, 0, ""}},
	},
	{
		.name = "gpu_memory",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "EFAULT: the HCA's driver could not pin this memory. In most reports it "
			 "is GPU memory, and the node has not loaded nvidia_peermem, or the GPU "
			 "does not support GPUDirect RDMA; host memory gives it where nothing is "
			 "mapped at the address",
		.remedy = "for GPU memory load nvidia_peermem on the node, or use dma-buf (open "
			  "NVIDIA kernel modules, Linux 5.12 and rdma-core 34 or later)",
		.confirm = "gpudirect, cuda_gpudirect_rdma, verbs_peermem",
		.from = "openucx/ucx#8999",
		.messages = {{{"couldn't allocate mr with error=14"},
			      .from = "linux-rdma/perftest#346"},
			     {{"failed to register memory", "bad address"},
			      .from = "kvcache-ai/Mooncake#281"},
			     {{"neither nv_peer_mem, or nvidia_peermem detected"},
			      .from = "sgl-project/sglang#6017"},
			     {{"required for gpu rdma without nvidia-peermem"},
			      .from = "kvcache-ai/Mooncake#3538"},
			     {{"mlx5_ib_reg_user_mr", "umem get failed (-14)"},
			      .from = "NVIDIA/gdrcopy#1"},
			     {{"couldn't register gpu mr"},
			      .from = "Mellanox/gpu_direct_rdma_access#5"}},
		.calls = {{"reg_mr", EFAULT}, {"reg_mr_iova", EFAULT}, {"reg_mr_iova2", EFAULT}},
	},
	{
		.name = "perftest_mr",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "perftest could not register its buffer and does not say why; for host "
			 "memory the soft RLIMIT_MEMLOCK is the cause",
		.remedy = "raise RLIMIT_MEMLOCK, soft and hard (oci-rdma-hook does it); a later "
			  "perftest prints the errno",
		.confirm = "memlock, ipc_lock, verbs_register",
		.messages = {{{"couldn't allocate mr"},
			      .unless = "mr with error=",
			      .from = "zrlio/softiwarp#23"},
			     {{"couldn't register mr"},
			      .from = "rdma-core libibverbs/examples/rc_pingpong.c"}},
		.turns = {{FACT_EFAULT, 0, "gpu_memory"},
			  {FACT_GPU, 0, "gpu_memory"},
			  {0, 0, "memlock"}},
	},
	{
		.name = "perftest_mr_12",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "perftest could not register its buffer, because locked memory is limited",
		.remedy = "raise RLIMIT_MEMLOCK, soft and hard (oci-rdma-hook does it)",
		.confirm = "memlock",
		.messages = {{{"couldn't allocate mr with error=12"},
			      .from = "linux-rdma/perftest, src/perftest_resources.c"}},
		.turns = {{0, 0, "memlock"}},
	},
	{
		.name = "dmabuf",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "GPU memory could not be registered by dma-buf, which the memlock limit "
			 "does not concern",
		.remedy = "set NCCL_DMABUF_ENABLE=0, so that NCCL uses nvidia_peermem; or give "
			  "dma-buf what it needs: the open NVIDIA kernel modules, Linux 5.12 and "
			  "an HCA driver with dma-buf",
		.confirm = "gpudirect, cuda_dmabuf, verbs_dmabuf",
		.from = "NCCL src/misc/ibvwrap.cc",
		.messages = {{{"couldn't allocate mr with error=93"},
			      .from = "linux-rdma/perftest#280"},
			     {{"couldn't allocate mr with error=95"},
			      .from = "linux-rdma/perftest#280"}},
		.calls = {{"reg_dmabuf_mr", ANY}},
	},
	{
		.name = "open_device",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "an RDMA device is listed but cannot be opened: the container's device "
			 "cgroup does not allow its uverbs device, or the device belongs to "
			 "another RDMA network namespace",
		.remedy = "let the pod request the device as a resource, so that the device plugin "
			  "allows it (docker, podman: --device /dev/infiniband); in exclusive RDMA "
			  "namespace mode, rdma-cni has to move it into the pod",
		.confirm = "uverbs, rdma_netns, verbs_open",
		.from = "hustcat/k8s-rdma-device-plugin#8",
		.messages = {{{"net/ib : unable to open device"},
			      .from = "NCCL src/transport/net_ib"},
			     {{"failed to open device"},
			      .unless = "failed to open device ",
			      .from = "hustcat/k8s-rdma-device-plugin#8"}},
		.calls = {{"open_device", ANY}},
	},
	{
		.name = "gid",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause =
			"the chosen GID does not exist or does not fit the peer's GID: one is RoCE "
			"v1 and the other v2, one IPv4 and the other IPv6, or its slot is empty",
		.remedy = "unset NCCL_IB_GID_INDEX (NCCL 2.21.5 and later finds it for each "
			  "device), NVSHMEM_IB_GID_INDEX and MC_GID_INDEX; older versions need the "
			  "index of a RoCE v2 entry with an IPv4 address (show_gids)",
		.confirm = "gid, nccl_ib_gid_index, verbs_gid",
		.from = "cc-hpc-itwm/GPI-2#47",
		.messages = {{{"non-zero status: 22", "ibv_modify_qp failed"},
			      .from = "NVIDIA/nvshmem#42"},
			     {{"failed to modify qp", "invalid argument"},
			      .unless = " to init",
			      .from = "kvcache-ai/Mooncake#53"},
			     {{"invalid argument", "failed to modify qp"},
			      .from = "cc-hpc-itwm/GPI-2#47"},
			     {{"failed to query gid "}, .from = "kvcache-ai/Mooncake#879"},
			     {{"no suitable gid found on"}, .from = "kvcache-ai/Mooncake#1593"},
			     {{"gid index ", "has no associated network device"},
			      .from = "kvcache-ai/Mooncake#1384"},
			     {{" gid ", "not available: invalid argument"},
			      .from = "kvcache-ai/Mooncake#53"}},
		.calls = {{"query_gid", ANY},
			  {"modify_qp", EINVAL},
			  {"modify_qp", ENODATA},
			  {"modify_qp", NONE}},
		.turns = {{FACT_GID_0, FACT_IB_LINK, "gid_forced"},
			  {FACT_IB_LINK | FACT_ROCE_LINK, 0, "mixed_links"}},
	},
	{
		.name = "perftest_rtr",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "perftest could not connect its queue pair and does not say why; in most "
			 "reports the GIDs of the two ends do not fit each other (RoCE v1 and v2, "
			 "IPv4 and IPv6), or one is empty",
		.remedy = "choose the GID on both ends with -x: a RoCE v2 entry with an IPv4 "
			  "address from show_gids",
		.confirm = "gid, verbs_gid, verbs_remote",
		.messages = {{{"failed to modify qp ", " to rt"},
			      .unless = ":",
			      .from = "Mellanox/k8s-rdma-shared-dev-plugin#112"}},
		.turns = {{FACT_EMPTY_GID, 0, "gid_empty"}, {0, 0, "gid"}},
	},
	{
		.name = "gid_empty",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the GID is all zero: the device's GID table has no entry there, because "
			 "the device's network interface is not in this pod. The device plugin "
			 "gives the device alone; the interface comes with macvlan, ipvlan, "
			 "host-device or sriov-cni",
		.remedy = "add a secondary network on this device's interface to the pod; then "
			  "choose the index of the pod's own address (-x, NCCL_IB_GID_INDEX)",
		.confirm = "gid, rdma_netns",
		.messages = {{{"gid: 00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00"},
			      .from = "Mellanox/k8s-rdma-shared-dev-plugin#72"}},
	},
	{
		.name = "gid_hole",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "NCCL or NVSHMEM reads the GID table from its beginning and stops at an "
			 "empty slot; a pod's table has empty slots where other pods have their "
			 "entries",
		.remedy = "set NCCL_IB_GID_INDEX (NVSHMEM_IB_GID_INDEX) to the pod's own entry in "
			  "show_gids, or use an NCCL later than 2.24",
		.confirm = "gid, nccl_ib_gid_index",
		.messages = {{{"read failed in ncclibrocegetversionnum"},
			      .from = "NVIDIA/nccl#1573"},
			     {{"read failed in ib_roce_get_version_num"},
			      .from = "NVIDIA/multi-gpu-programming-models#17"}},
	},
	{
		.name = "gid_forced",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause =
			"NCCL_IB_GID_INDEX=0 forces the first entry of the GID table, a link-local "
			"RoCE v1 one, which routers do not forward and the peer may not share",
		.remedy = "unset NCCL_IB_GID_INDEX (NCCL 2.21.5 and later finds it for each "
			  "device), or set the index of a RoCE v2 entry with an IPv4 address; this "
			  "is the cause if the error then goes away",
		.confirm = "gid, nccl_ib_gid_index",
		.from = "NVIDIA/nccl#1657",
	},
	{
		.name = "gid_netdev",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the network interface of the chosen GID is gone, or is in another "
			 "network namespace",
		.remedy = "use an RDMA device whose interface is in this pod: NCCL_IB_HCA has to "
			  "name the allocated devices alone, with = in front (for UCX: "
			  "UCX_NET_DEVICES)",
		.confirm = "gid, rdma_netns, nccl_ib_hca",
		.from = "NVIDIA/nccl#925",
		.messages = {{{"failed to modify qp", "no such device"},
			      .from = "Mellanox/k8s-rdma-shared-dev-plugin#86"},
			     {{"non-zero status: 19", "ibv_modify_qp failed"},
			      .from = "NVIDIA/nvshmem#42"},
			     {{"ibv_create_ah(", "failed: no such device"},
			      .from = "NVIDIA/TensorRT-LLM#3112"}},
		.calls = {{"modify_qp", ENODEV}},
		.turns = {{FACT_GID_0, FACT_IB_LINK, "gid_forced"}},
	},
	{
		.name = "gid_changed",
		.status = FINDING_WARN,
		.sureness = SURE,
		.cause = "the GID table changed while the program ran: an address of the interface "
			 "was added or removed",
		.remedy = "find what changes addresses (DHCP, IPv6 autoconfiguration, a second "
			  "CNI); connections break when their GID is removed",
		.confirm = "gid",
		.messages = {{{"net/ib : ", "gid table change"},
			      .from = "NCCL src/transport/net_ib"},
			     {{"ib async event on", "gid table change"},
			      .from = "openucx/ucx#7613"}},
	},
	{
		.name = "qp_init",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the device's driver refuses what the program asks of a new queue pair: "
			 "access flags such as atomics, or a second change to the same state",
		.remedy = "run ib_write_bw on this device: if it works, use a version of the "
			  "program that supports this driver (irdma, erdma and others support less "
			  "than mlx5)",
		.confirm = "verbs_open",
		.messages = {{{"failed to modify qp", " to init"},
			      .from = "kvcache-ai/Mooncake#1143"},
			     {{"failed to modify ", " qp to init"}, .from = "openucx/ucx#9468"}},
	},
	{
		.name = "address_handle",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the HCA made no address handle for the peer: the peer's GID is empty or "
			 "cannot be reached from the chosen GID, or this NVSHMEM does not support "
			 "this HCA",
		.remedy = "run ib_write_bw between the two nodes with the same GID index; if it "
			  "works, try a later NVSHMEM, else set NVSHMEM_IB_GID_INDEX",
		.confirm = "gid, verbs_remote",
		.from = "NVIDIA/nvshmem#33",
		.messages = {{{"unable to create ah"}, .from = "NVIDIA-NeMo/Megatron-Bridge#5050"}},
		.calls = {{"create_ah", ANY}},
	},
	{
		.name = "no_route",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the peer's address cannot be reached from the interface of the chosen "
			 "GID: there is no route, or nothing answers there (another rail's subnet, "
			 "VLAN, or filtered ARP)",
		.remedy = "ping the peer's RDMA address from this interface (ping -I net1). Set "
			  "NCCL_CROSS_NIC=0 if the rails are not connected, or add routes between "
			  "their subnets",
		.confirm = "gid, nccl_ib_hca, verbs_remote",
		.from = "NVIDIA/nccl-tests#185",
		.messages = {{{"failed to modify qp", "connection timed out"},
			      .from = "kvcache-ai/Mooncake#204"},
			     {{"non-zero status: 110"}, .from = "deepseek-ai/DeepEP#289"},
			     {{" connect on ", "failed: connection timed out"},
			      .from = "openucx/ucx#9971"},
			     {{"failed to modify qp", "network is unreachable"},
			      .from = "NVIDIA/nccl-tests#185"}},
		.calls = {{"modify_qp", ETIMEDOUT},
			  {"modify_qp", ENETUNREACH},
			  {"modify_qp", EHOSTUNREACH}},
	},
	{
		.name = "cm_address",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "rdma_cm found no RDMA device for this address: its interface is no RDMA "
			 "interface, or the device has no GID in this network namespace",
		.remedy = "use the address of the pod's RDMA interface (net1), not eth0; the "
			  "device's interface has to be in the pod, and in exclusive mode the "
			  "device itself, too (rdma-cni)",
		.confirm = "gid, rdma_netns",
		.messages = {{{"rdma_create_ep: no such device"},
			      .from = "Mellanox/k8s-rdma-sriov-dev-plugin#33"},
			     {{"rdma_cm_event_addr_error"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#342"},
			     {{"rdma_bind_addr() failed"}, .from = "spdk/spdk#3708"},
			     {{"rdma_resolve_addr", "no such device"},
			      .from = "rdma-core librdmacm/cma.c"}},
	},
	{
		.name = "cm_route",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "rdma_cm did not reach the peer: there is no route between the two RDMA "
			 "addresses, or no server listens there",
		.remedy = "start the server first, on its RDMA address; then ping that address "
			  "from the pod's RDMA interface",
		.confirm = "gid, verbs_remote",
		.messages = {{{"rdma_resolve_route"},
			      .from = "Mellanox/k8s-rdma-sriov-dev-plugin#22"},
			     {{"rdma_cm_event_unreachable"}, .from = "rdma-core librdmacm"},
			     {{"rdma_cm_event_rejected"}, .from = "rdma-core librdmacm"},
			     {{"rdma_cm_event_route_error"}, .from = "rdma-core librdmacm"}},
	},
	{
		.name = "no_device",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "no RDMA device with an active port was found: the container has none, "
			 "NCCL_IB_HCA names none of those it has, or libibverbs has no driver for "
			 "it",
		.remedy = "compare NCCL_IB_HCA with ibv_devinfo in the container; let the pod "
			  "request the RDMA resource; install rdma-core's providers in the image "
			  "(ibverbs-providers, libmlx5)",
		.confirm = "rdma_devices, uverbs, port, nccl_ib_hca, verbs_library",
		.messages = {{{"no ib devices found"}, .from = "kvcache-ai/Mooncake#75"},
			     {{"ibv_get_device_list failed"}, .from = "kvcache-ai/Mooncake#75"},
			     {{"unable to find the infiniband/roce device"},
			      .from = "k8snetworkplumbingwg/sriov-cni#348"},
			     {{" 0 hcas found"}, .from = "NVIDIA/k8s-test-infra#558"},
			     {{"rdma_get_devices() failed: no such device"},
			      .from = "spdk/spdk#2985"},
			     {{"librdmacm: fatal: no rdma devices found"},
			      .from = "ofiwg/libfabric#975"},
			     {{"librdmacm: fatal: unable to get rdma device list"},
			      .from = "kubevirt/kubevirt#188"}},
		.turns = {{FACT_ABI, 0, ""}},
	},
	{
		.name = "no_rdma",
		.status = FINDING_WARN,
		.sureness = MAYBE,
		.alone = true,
		.cause = "NCCL found no RDMA device with an active port and uses TCP sockets; that "
			 "is normal where no RDMA is wanted",
		.remedy = "if RDMA is wanted: let the pod request the RDMA resource, let "
			  "NCCL_IB_HCA name a device that is there, and install rdma-core's "
			  "providers in the image (ibverbs-providers, libmlx5)",
		.confirm = "rdma_devices, uverbs, port, nccl_ib_hca, verbs_library",
		.messages = {{{"net/ib : no device found"}, .from = "NVIDIA/nccl#952"}},
		.turns = {{FACT_IB_WANTED, 0, "no_device"}},
	},
	{
		.name = "kernel_abi",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the image's libibverbs is too old or too new for the node's kernel "
			 "driver, and ignores the device",
		.remedy = "install the node's version of rdma-core (or of the vendor's driver "
			  "package) in the image",
		.confirm = "verbs_library, rdma_devices",
		.messages = {{{"does not support the kernel abi"},
			      .from = "k8snetworkplumbingwg/sriov-cni#348"}},
	},
	{
		.name = "no_provider",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "libibverbs has no driver for the device: the image lacks its provider",
		.remedy = "install ibverbs-providers (Debian), rdma-core (RHEL) or the vendor's "
			  "package in the image; /etc/libibverbs.d names the providers that are "
			  "there",
		.confirm = "verbs_library",
		.messages = {{{"no userspace device-specific driver found"},
			      .from = "NVIDIA/k8s-test-infra#558"},
			     {{"couldn't load driver", "cannot open shared object"},
			      .from = "rdma-core libibverbs/init.c"},
			     {{"couldn't open config directory"},
			      .from = "rdma-core libibverbs/init.c"}},
	},
	{
		.name = "port_event",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the HCA reported that its port went down, or that the HCA itself failed",
		.remedy =
			"check the cable, the switch port and the node's kernel log; the counters "
			"of rdma statistic show or ibqueryerrors tell of a link that flaps",
		.confirm = "port, kernel_log",
		.messages = {{{"async ", "event", ": port error"},
			      .from = "NCCL src/transport/net_ib"},
			     {{"async ", "event", ": local catastrophic error"},
			      .from = "NCCL src/transport/net_ib"}},
	},
	{
		.name = "libibverbs",
		.status = FINDING_WARN,
		.sureness = MAYBE,
		.alone = true,
		.cause = "the image has no libibverbs, so that NCCL uses TCP sockets; that is "
			 "normal where no RDMA is wanted",
		.remedy = "if RDMA is wanted, install libibverbs1 and ibverbs-providers (Debian) "
			  "or libibverbs and rdma-core (RHEL) in the image",
		.confirm = "verbs_library",
		.messages = {{{"failed to open libibverbs.so"}, .from = "horovod/horovod#789"}},
	},
	{
		.name = "gdr_off",
		.status = FINDING_WARN,
		.sureness = SURE,
		.cause = "NCCL does not use GPUDirect RDMA with this HCA: data goes through host "
			 "memory, which works but is slower",
		.remedy = "load nvidia_peermem on the node, or use the open NVIDIA kernel modules "
			  "for dma-buf",
		.confirm = "gpudirect, cuda_gpudirect_rdma, cuda_dmabuf",
		.messages = {{{"gpu direct rdma disabled for hca"}, .from = "NVIDIA/nccl#1537"},
			     {{"gpu direct rdma disabled for gpu", "(no module"},
			      .from = "NCCL 2.4 src/transport/net_ib.cu"},
			     {{"no module present for gpu direct rdma"},
			      .from = "horovod/horovod#385"}},
	},
	{
		.name = "gdr_unused",
		.status = FINDING_WARN,
		.sureness = MAYBE,
		.alone = true,
		.cause = "no channel of this log uses GPUDirect RDMA: data goes through host "
			 "memory, which works but is slower",
		.remedy = "load nvidia_peermem on the node, or use the open NVIDIA kernel modules "
			  "for dma-buf; where NCCL_DEBUG=INFO says \"GPU Direct RDMA Disabled\", "
			  "it says why",
		.confirm = "gpudirect, cuda_gpudirect_rdma, iommu_group",
		.messages = {{{" via net/ib"}, .unless = "/gdrdma", .from = "NVIDIA/nccl#1412"}},
		.turns = {{FACT_GDR, 0, ""}, {FACT_GDR_TOLD, 0, ""}},
	},
	{
		.name = "socket_used",
		.status = FINDING_WARN,
		.sureness = SURE,
		.cause = "NCCL was told to use InfiniBand or RoCE, but uses TCP sockets, which is "
			 "many times slower",
		.remedy = "read what NCCL says about NET/IB before this line; compare NCCL_IB_HCA "
			  "with the devices in the container",
		.confirm = "rdma_devices, uverbs, port, nccl_ib_hca, verbs_library",
		.messages = {{{"using network socket"}, .from = "NVIDIA/nccl#207"},
			     {{"using internal network socket"}, .from = "NVIDIA/nccl#207"}},
		.turns = {{FACT_IB_DISABLED, 0, "ib_disabled"}, {0, FACT_IB_WANTED, ""}},
	},
	{
		.name = "ib_disabled",
		.status = FINDING_WARN,
		.sureness = SURE,
		.cause = "NCCL_IB_DISABLE is set, so that NCCL uses TCP sockets",
		.remedy = "unset NCCL_IB_DISABLE if InfiniBand or RoCE is wanted",
		.confirm = "nccl_net",
		.from = "NVIDIA/nccl-tests#188",
	},
	{
		.name = "socket_ifname",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "NCCL found no network interface for its bootstrap: NCCL_SOCKET_IFNAME "
			 "matches none here, or none has an address of NCCL_SOCKET_FAMILY",
		.remedy = "unset NCCL_SOCKET_IFNAME, or set it to an interface of the pod (=eth0)",
		.confirm = "nccl_socket_ifname",
		.messages = {{{"no socket interface found"}, .from = "NCCL src/bootstrap.cc"},
			     {{"net/socket : no interface found"},
			      .from = "NCCL src/transport/net_socket.cc"},
			     {{"net/ib : no ip interface found"},
			      .from = "NCCL src/transport/net_ib"},
			     {{"is neither af_inet(", "nor af_inet6("},
			      .from = "NVIDIA/nccl#1837"}},
	},
	{
		.name = "oob_ifname",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "no interface of this pod fits NCCL_OOB_NET_IFNAME or NCCL_COMM_ID",
		.remedy = "unset NCCL_OOB_NET_IFNAME; let NCCL_COMM_ID name an address that this "
			  "pod's interfaces reach",
		.confirm = "nccl_socket_ifname",
		.messages = {{{"no device found matching", "nccl_oob_net_ifname"},
			      .from = "NCCL src/bootstrap.cc"},
			     {{"no interface found in the same subnet"},
			      .from = "NCCL src/bootstrap.cc"},
			     {{"no usable listening interface found"},
			      .from = "NCCL src/bootstrap.cc"}},
	},
	{
		.name = "bootstrap",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "NCCL's bootstrap, which uses plain TCP, did not reach a peer; no RDMA "
			 "was used yet",
		.remedy = "set NCCL_SOCKET_IFNAME to the pod network's interface (=eth0) on all "
			  "ranks; check network policies, and whether the peer still runs",
		.confirm = "nccl_socket_ifname",
		.messages = {{{"socketstartconnect: connect to ", " failed"},
			      .from = "hkproj/pytorch-transformer-distributed#1"},
			     {{"socketpollconnect: connect to ", " returned"},
			      .unless = ", retrying",
			      .from = "sgl-project/sglang#3820"},
			     {{"socketpollconnect to ", " failed with error"},
			      .from = "NCCL src/misc/socket.cc"},
			     {{"nccl warn", "onnect to ", "exceeded error retry count"},
			      .from = "NCCL src/misc/socket.cc"},
			     {{" warn call to connect failed"}, .from = "NVIDIA/nccl-tests#15"},
			     {{"nccl warn", "connect: exceeded "},
			      .from = "NCCL src/misc/socket.cc"},
			     {{"nccl warn", "onnect to ", " failed : "},
			      .from = "NCCL 2.4 src/include/socket.h"}},
	},
	{
		.name = "gloo",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "gloo, PyTorch's TCP library, did not reach a peer; no RDMA was used yet. "
			 "gloo uses the address of the host's name, which may be 127.0.1.1 or "
			 "belong to another network",
		.remedy = "set GLOO_SOCKET_IFNAME to the pod network's interface (eth0) on all "
			  "ranks, like NCCL_SOCKET_IFNAME; check whether the peer still runs, and "
			  "what getent hosts says of the host's name",
		.confirm = "",
		.messages = {{{"gloo/transport/tcp/pair.cc", "] connect ["},
			      .from = "pytorch/pytorch#15592"},
			     {{"gloo connectfullmesh failed"}, .from = "sgl-project/sglang#3226"}},
	},
	{
		.name = "mixed_ranks",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the two ends of a connection speak different protocols: the ranks run "
			 "different versions of NCCL or of its plugin, one uses InfiniBand and the "
			 "other sockets, or another program connected to the port",
		.remedy = "compare \"NCCL version\" and \"Using network\" of all ranks; give all "
			  "of them the same NCCL_IB_HCA, NCCL_NET and NCCL_SOCKET_IFNAME",
		.confirm = "nccl_net, nccl_ib_hca",
		.messages = {{{"socketfinalizeaccept: wrong "}, .from = "NVIDIA/nccl-tests#188"}},
	},
	{
		.name = "no_network",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "NCCL_NET or NCCL_NET_PLUGIN asks for a network that NCCL cannot use here",
		.remedy = "unset NCCL_NET and NCCL_NET_PLUGIN; if NCCL then says why it finds no "
			  "device, follow that message",
		.confirm = "nccl_net, rdma_devices",
		.messages = {{{"nccl warn", "error: network ", " not found"},
			      .from = "NCCL src/plugin/net.cc"},
			     {{"failed to initialize any net plugin"},
			      .from = "NCCL src/plugin/net.cc"}},
	},
	{
		.name = "plugin",
		.status = FINDING_WARN,
		.sureness = SURE,
		.cause = "NCCL found its network plugin but could not use it: a library that the "
			 "plugin needs is missing, or the plugin is built for another NCCL",
		.remedy = "use the plugin that belongs to the image's NCCL, or "
			  "NCCL_NET_PLUGIN=none for NCCL's own network",
		.confirm = "nccl_net, verbs_library",
		.messages = {{{"net/plugin", "undefined symbol"},
			      .from = "NCCL src/plugin/plugin_open.cc"},
			     {{"net/plugin", "cannot open shared object file"},
			      .unless = "libnccl-net.so: cannot open",
			      .from = "NCCL src/plugin/plugin_open.cc"},
			     {{"external network plugin ", " is unsupported"},
			      .from = "NCCL src/net.cc"}},
	},
	{
		.name = "iommu_fault",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the IOMMU refused a transfer of a PCI device; with GPUDirect RDMA that "
			 "is the HCA's transfer to GPU memory",
		.remedy = "boot the node with iommu=pt (x86) or iommu.passthrough=1 (Arm)",
		.confirm = "iommu_group, iommu_arguments, kernel_log",
		.messages = {{{"dmar: [dma ", "fault addr"},
			      .from = "Linux drivers/iommu/intel/dmar.c"},
			     {{"amd-vi: event logged [io_page_fault"},
			      .from = "Linux drivers/iommu/amd/iommu.c"},
			     {{"arm-smmu-v3", "event", "received"},
			      .from = "Linux drivers/iommu/arm/arm-smmu-v3"}},
	},
	{
		.name = "cuda",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the CUDA driver did not start, so that NCCL has not used RDMA yet",
		.remedy = "make the GPU work first: kernel and container need the same driver "
			  "version, NVSwitch systems a running fabric manager; nvidia-smi in the "
			  "container shows it",
		.confirm = "cuda_library, cuda_init, cuda_gpu",
		.messages = {{{"cuda failure", "no cuda-capable device is detected"},
			      .from = "NCCL src/include/checks.h"},
			     {{"cuda failure", "system not yet initialized"},
			      .from = "NCCL src/include/checks.h"},
			     {{"cuda failure", "unsupported display driver / cuda driver"},
			      .from = "NCCL src/include/checks.h"},
			     {{"cuda failure", "forward compatibility was attempted"},
			      .from = "NCCL src/include/checks.h"},
			     {{"cuda failure", "'unknown error'"},
			      .from = "NCCL src/include/checks.h"},
			     {{"cuda failure", "cuda driver version is insufficient"},
			      .from = "NCCL src/include/checks.h"}},
	},
	{
		.name = "shm_full",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "/dev/shm is full or too small (a container has 64 MiB by default), so "
			 "that NCCL's shared memory does not fit; RDMA is not the cause",
		.remedy = "mount an emptyDir with medium: Memory at /dev/shm (podman: --shm-size), "
			  "and remove what killed processes left there; df /dev/shm confirms it, "
			  "and so does a run with NCCL_SHM_DISABLE=1 that works",
		.confirm = "",
		.messages = {{{"posix_fallocate failed", "no space left on device"},
			      .from = "NVIDIA/nccl#525"},
			     {{"/dev/shm/", "no space left on device"},
			      .from = "pytorch/ci-infra#490"},
			     {{"failed to extend /dev/shm/nccl"}, .from = "NVIDIA/nccl-tests#166"}},
	},
	{
		.name = "shm_cuda",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "NCCL made a shared memory segment, but CUDA could not register it; "
			 "/dev/shm is not full",
		.remedy = "use the same driver version in kernel and container, or another NCCL; "
			  "NCCL_SHM_DISABLE=1 avoids the problem",
		.confirm = "cuda_init",
		.messages = {{{"error while creating shared memory segment"},
			      .from = "NVIDIA/nccl#1518"},
			     {{"include/shm.h:", "cuda failure"}, .from = "horovod/horovod#893"}},
		.turns = {{FACT_CUDA_FAILED, 0, "shm_cuda"}, {0, 0, "shm_failed"}},
	},
	{
		.name = "shm_gone",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "a segment in /dev/shm that another rank of this node made is not there: "
			 "that rank has ended, the ranks have different /dev/shm, or this NCCL has "
			 "the bug of NVIDIA/nccl#1589",
		.remedy = "look for the first error of the other ranks; give the containers of a "
			  "node the same /dev/shm; if it stays, try another NCCL or "
			  "NCCL_SHM_DISABLE=1, which confirms it by working",
		.confirm = "",
		.messages = {{{"error while attaching to shared memory segment"},
			      .from = "NVIDIA/nccl#1589"}},
	},
	{
		.name = "shm_removed",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "something removed NCCL's shared memory from /dev/shm while NCCL used it: "
			 "systemd does so when the user's last session ends (RemoveIPC)",
		.remedy =
			"set RemoveIPC=no in /etc/systemd/logind.conf of the node, or let the user "
			"linger (loginctl enable-linger); this is the cause if root's jobs work",
		.confirm = "",
		.messages = {{{"unlink shared memory /dev/shm/nccl", "no such file"},
			      .from = "NCCL's user guide, Runtime and MPI issues"}},
	},
	{
		.name = "devx",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the HCA's DEVX interface cannot be used: this container may not use it, "
			 "or the kernel's mlx5 driver or the firmware lacks it",
		.remedy =
			"compare with a privileged container: if that works, this container lacks "
			"a device or a capability. Otherwise turn DEVX off "
			"(NVSHMEM_IB_ENABLE_IBGDA=0 with NVSHMEM_REMOTE_TRANSPORT=ibrc, "
			"UCX_IB_MLX5_DEVX=n), or load the NVIDIA driver with PeerMappingOverride=1",
		.confirm = "uverbs, verbs_open",
		.from = "openucx/ucx#8440",
		.messages = {{{"cannot allocate mlx5dv_devx_uar"},
			      .from = "sgl-project/sglang#12533"}},
		.calls = {{"devx_create_event_channel", ANY},
			  {"devx_alloc_uar", ANY},
			  {"devx_obj_create", ANY}},
	},
	{
		.name = "ibgda_connect",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the HCA refused to connect NVSHMEM's queue pair (IBGDA): on RoCE the GID "
			 "index does not fit, or the firmware refuses another setting",
		.remedy = "set NVSHMEM_IB_GID_INDEX to a RoCE v2 entry with an IPv4 address; if "
			  "that changes nothing, use NVSHMEM_REMOTE_TRANSPORT=ibrc",
		.confirm = "gid, verbs_gid",
		.messages = {{{"mlx5dv_devx_obj_modify for init2rtr"},
			      .from = "deepseek-ai/DeepEP#17"}},
	},
	{
		.name = "not_mlx5",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "NVSHMEM's IBGDA works with mlx5 HCAs alone, and this device is another",
		.remedy = "use NVSHMEM_REMOTE_TRANSPORT=ibrc or libfabric, or name mlx5 devices in "
			  "NVSHMEM_HCA_LIST",
		.confirm = "rdma_devices",
		.messages = {{{"is not enumerated as an mlx5 device"},
			      .from = "deepseek-ai/DeepEP#202"}},
	},
	{
		.name = "ucx_device",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "UCX_NET_DEVICES names a device that UCX does not see here: the container "
			 "has none of that name, its port is down, or UCX has no transport for it",
		.remedy = "run ucx_info -d in the container; if it lists no mlx5 device but "
			  "ibv_devinfo does, this UCX is built without verbs or lacks libuct_ib.so",
		.confirm = "rdma_devices, uverbs, port, verbs_library",
		.messages = {{{"network device", " not available, please use one or more of"},
			      .from = "ai-dynamo/dynamo#1209"}},
	},
	{
		.name = "ucx_unreachable",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the two ends have no UCX transport in common: UCX_TLS leaves it out, the "
			 "devices are in different networks or subnets, a port is down, or the "
			 "versions differ",
		.remedy = "run ucx_info -d on both ends, and again without UCX_TLS and "
			  "UCX_NET_DEVICES; UCX_LOG_LEVEL=info says which transports were tried",
		.confirm = "port, gid, rdma_devices",
		.messages = {{{"no active messages transport to"}, .from = "openucx/ucx#4742"},
			     {{"no remote registered memory access transport"},
			      .from = "openucx/ucx#6120"},
			     {{"no supported sockaddr auxiliary transports"},
			      .from = "openucx/ucx#3463"},
			     {{"status -6", "destination is unreachable"},
			      .from = "openucx/ucx#7991"},
			     {{"failed: destination is unreachable"}, .from = "openucx/ucx#3027"}},
	},
	{
		.name = "fi_no_provider",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "no libfabric provider fits what the program asks for: the device is "
			 "missing, or the program's hints ask for more than the provider has",
		.remedy = "run fi_info -p efa (or verbs) in the container: if it lists nothing, "
			  "the device "
			  "is missing, or a memlock limit of 64 KiB hides the verbs provider",
		.confirm = "rdma_devices, memlock",
		.messages = {{{"fi_getinfo", "no data available"}, .from = "ofiwg/libfabric#11091"},
			     {{"ofi fi_getinfo() failure"}, .from = "pmodels/mpich#6612"},
			     {{"find any optimal provider"}, .from = "NVIDIA/nccl#229"},
			     {{"net/ofi no eligible providers"},
			      .from = "aws-samples/aws-do-eks#54"}},
	},
	{
		.name = "insufficient",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the pod does not start, because no node has as many free devices of this "
			 "resource as it requests",
		.remedy = "run oc describe node: it shows what the node has and what is allocated. "
			  "If it shows 0, the device plugin found none: read its log, and compare "
			  "the resource's name",
		.confirm = "",
		.messages = {{{" nodes are available", "insufficent ", "/"},
			      .one_word = true,
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#189"},
			     {{" nodes are available", "insufficient ", "/"},
			      .one_word = true,
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#424"}},
	},
	{
		.name = "scc",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "OpenShift refuses the pod: none of the SecurityContextConstraints that "
			 "its service account may use allows what it asks for (IPC_LOCK, "
			 "privileged, another user)",
		.remedy = "remove what the pod does not need: with oci-rdma-hook it needs no "
			  "capability for RDMA. Otherwise bind an SCC with this right to the "
			  "service account; oc adm policy who-can use scc NAME shows who may",
		.confirm = "",
		.messages = {{{"unable to validate against any security context constraint"},
			      .from = "bank-vaults/bank-vaults#706"},
			     {{"capability may not be added"},
			      .unless = "unable to validate",
			      .from = "bank-vaults/bank-vaults#706"}},
	},
	{
		.name = "ulimit",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "a process tried to raise its own limit and may not: a container has no "
			 "CAP_SYS_RESOURCE, so that ulimit cannot do it from inside",
		.remedy = "let the limit be set from outside (oci-rdma-hook does it), and remove "
			  "the ulimit line from the script",
		.confirm = "memlock",
		.messages = {{{"memlock rlimit: operation not permitted"},
			      .from = "lima-vm/lima#5139"},
			     {{"ulimit: ", "cannot modify limit", "operation not permitted"},
			      .from = "bash builtins/ulimit.def"},
			     {{"ulimit: ", "error setting limit"}, .from = "dash src/miscbltin.c"},
			     {{"not allowed to raise maximum limit"},
			      .from = "Linux-PAM modules/pam_limits"},
			     {{"resource limit: operation not permitted"},
			      .from = "util-linux sys-utils/prlimit.c"},
			     {{"ulimit: ", "operation not permitted"},
			      .from = "bash builtins/ulimit.def"},
			     {{"setrlimit(", "operation not permitted"},
			      .from = "setrlimit(2), as programs print it"}},
	},
	{
		.name = "device_allocate",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause =
			"the kubelet could not give the pod the devices that it was scheduled for: "
			"none of them is healthy or free on this node, or the device plugin failed",
		.remedy = "read the device plugin's log on this node; it may have been starting, "
			  "as after a reboot. Delete the pod when oc describe node shows the "
			  "devices as allocatable: the kubelet does not try again",
		.confirm = "",
		.messages = {{{"allocate failed due to ", ", which is unexpected"},
			      .from = "Project-HAMi/HAMi#596"}},
	},
	{
		.name = "rlimit_refused",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the container is not created: its configuration asks for a resource "
			 "limit that the runtime may not give, because it is rootless or runs in a "
			 "container without CAP_SYS_RESOURCE",
		.remedy = "ask for no more than the hard limit that the engine has itself (ulimit "
			  "-H -l where it was started), raise that one (LimitMEMLOCK= of its unit "
			  "or of the user's session), or run the container as root",
		.confirm = "memlock",
		.messages = {{{"error setting rlimit", "operation not permitted"},
			      .from = "containerd/nerdctl#1937"},
			     {{"setrlimit `rlimit_", "operation not permitted"},
			      .from = "podman-container-tools/podman#19319"},
			     {{"setrlimit (rlim_", "operation not permitted"},
			      .from = "containers/crun#1388"}},
	},
	{
		.name = "cni_nad",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "Multus finds no definition of a network that the pod's annotation asks "
			 "for, so that the pod does not start",
		.remedy = "compare k8s.v1.cni.cncf.io/networks of the pod with oc get "
			  "network-attachment-definitions in the pod's namespace; one of another "
			  "namespace is named NAMESPACE/NAME",
		.confirm = "",
		.messages = {{{"failed getting the delegate"},
			      .from = "Mellanox/ib-kubernetes#65"}},
	},
	{
		.name = "cni_guid",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "ib-sriov-cni does not put the InfiniBand virtual function into the pod, "
			 "because it has no GUID",
		.remedy = "set linkType: ib in the SriovNetworkNodePolicy, so that the SR-IOV "
			  "operator sets the GUIDs; or set them by hand (ip link set PF vf N "
			  "node_guid GUID, then port_guid), and bind the function to its driver "
			  "again",
		.confirm = "",
		.messages = {{{"failed to configure vf", "guid is not valid"},
			      .from = "Mellanox/network-operator#1825"}},
	},
	{
		.name = "cni_master",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the node has no interface of the name that the network's definition "
			 "gives as master",
		.remedy = "compare master in the network attachment definition with ip link on "
			  "this node; an interface that was moved into a pod is missing, too",
		.confirm = "",
		.messages = {{{"failed to lookup master"}, .from = "containerd/nerdctl#4276"}},
	},
	{
		.name = "cni_macvlan",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the network's master is an InfiniBand interface (IPoIB), and macvlan "
			 "works on Ethernet alone",
		.remedy = "use ipoib-cni on an InfiniBand port, or ib-sriov-cni for a virtual "
			  "function; ip -d link show master names its type",
		.confirm = "",
		.messages = {{{"failed to create macvlan: invalid argument"},
			      .from = "Mellanox/network-operator#1017"}},
	},
	{
		.name = "cni_busy",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the master interface is in use in a way that excludes this one: it is a "
			 "port of a bridge, bond or Open vSwitch, or has ipvlan interfaces where "
			 "this network is macvlan (or the reverse)",
		.remedy = "ip -d link show master on the node shows who uses it; use one kind of "
			  "network for each master",
		.confirm = "",
		.messages = {{{"error adding container to network ", "\": device or resource busy"},
			      .from = "k8snetworkplumbingwg/multus-cni#715"},
			     {{"failed to create macvlan: device or resource busy"},
			      .from = "k8snetworkplumbingwg/multus-cni#1339"},
			     {{"failed to create ipvlan: device or resource busy"},
			      .from = "CNI plugins ipvlan"}},
	},
	{
		.name = "sriov_ib",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the physical function takes no MAC address for a virtual function: its "
			 "port is InfiniBand, where GUIDs are set instead",
		.remedy = "set linkType: ib in the SriovNetworkNodePolicy of this port; ibstat "
			  "shows the link layer",
		.confirm = "port",
		.messages = {{{"vf admin mac address", "operation not supported"},
			      .from = "k8snetworkplumbingwg/sriov-network-operator#274"}},
	},
	{
		.name = "sriov_drain",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the SR-IOV operator waits for the node to be drained before it "
			 "configures it, and a pod does not go",
		.remedy = "look at the pod that the message names: a PodDisruptionBudget, a "
			  "finalizer, or no other node that could take it; oc adm drain shows the "
			  "same error",
		.confirm = "",
		.messages = {{{"draining failed with: [error when"},
			      .from = "k8snetworkplumbingwg/sriov-network-operator#306"}},
	},
	{
		.name = "cm_device",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "rdma_cm cannot be used here: /dev/infiniband/rdma_cm is not in the "
			 "container or may not be opened, or the node has not loaded rdma_ucm",
		.remedy = "ls -l /dev/infiniband in the container; the device plugin has to give "
			  "rdma_cm beside uverbs; load rdma_ucm on the node",
		.confirm = "uverbs",
		.messages = {{{"rdma_create_event_channel failed."}, .from = "ovis-hpc/ldms#124"},
			     {{"rdma_create_event_channel: no such"},
			      .from = "rdma-core librdmacm/examples"},
			     {{"ucx  error", "rdma_create_event_channel"},
			      .from = "UCX src/uct/ib/rdmacm/rdmacm_cm.c"}},
	},
	{
		.name = "ofed_load",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the node cannot load the RDMA driver's modules: they are built for "
			 "another kernel or ib_core, are not signed while secure boot is on, or "
			 "modules that are loaded hold the old ones",
		.remedy = "read the node's dmesg for the module and symbol; unload storage modules "
			  "that use RDMA, rebuild the driver for the running kernel",
		.confirm = "kernel_log, rdma_devices",
		.messages = {{{"failed loading kernel module mlx5_ib"},
			      .from = "Mellanox/doca-driver-build#52"},
			     {{"loading mellanox mlx5_ib hca driver:", "failed"},
			      .from = "Mellanox/doca-driver-build#52"}},
	},
	{
		.name = "loc_qp_op",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "IBV_WC_LOC_QP_OP_ERR: the HCA refused a work request of this process as "
			 "malformed; driver, firmware and library do not fit each other, or the "
			 "program asks for what this HCA cannot do; neither the network nor "
			 "memlock is the cause",
		.remedy = "update the firmware and rdma-core, and use the UCX or NCCL of the same "
			  "time; UCX_TLS=ud shows whether another transport works",
		.confirm = "kernel_log",
		.from = "openucx/ucx#5318",
		.completions = {{2, ANY}},
	},
	{
		.name = "peermem_context",
		.status = FINDING_WARN,
		.sureness = MAYBE,
		.cause = "nvidia_peermem was called for GPU memory that it does not know any more: "
			 "a process ended, or freed memory that was still registered; some driver "
			 "versions do it by themselves",
		.remedy = "look whether a process failed at this time; if none did, update the "
			  "NVIDIA driver, or use dma-buf instead of nvidia_peermem (the open "
			  "kernel modules)",
		.confirm = "gpudirect",
		.messages = {{{"nv_get_p2p_free_callback", "detected invalid context"},
			      .from = "NVIDIA/nccl#1474"}},
	},
	{
		.name = "sriov_lockdown",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the kernel is locked down by secure boot, so that the SR-IOV operator "
			 "may not change the HCA's firmware settings",
		.remedy = "set SRIOV_EN and NUM_OF_VFS in the firmware while secure boot is off "
			  "(mlxconfig), or keep it off",
		.confirm = "",
		.messages = {{{"device detected when in lockdown mode"},
			      .from = "k8snetworkplumbingwg/sriov-network-operator#103"}},
	},
	{
		.name = "rdma_symbols",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "a kernel module that uses RDMA does not fit the ib_core that is loaded: "
			 "one of the two is the kernel's own and the other MLNX_OFED's or DOCA's",
		.remedy = "install the module that belongs to the loaded driver (for MLNX_OFED its "
			  "--with-nvmf and the like), or remove that driver; modinfo ib_core shows "
			  "where it comes from",
		.confirm = "kernel_log",
		.messages = {{{"unknown symbol ib_"},
			      .unless = "ib_register_peer",
			      .from = "spdk/spdk#684"},
			     {{"unknown symbol rdma_"}, .from = "spdk/spdk#684"}},
	},
	{
		.name = "hca_command",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the HCA's firmware refused a command of its driver or did not answer it: "
			 "driver and firmware do not fit each other, or the HCA is sick",
		.remedy = "update firmware and driver together; look for the first such line in "
			  "the node's dmesg, and reset the HCA if commands time out",
		.confirm = "kernel_log",
		.messages = {{{"create_", " failed, status ", "syndrome"},
			      .from = "openucx/ucx#9488"},
			     {{"timeout. will cause a leak of a command resource"},
			      .from = "openucx/ucx#7738"}},
	},
	{
		.name = "mixed_links",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "NCCL uses InfiniBand and RoCE ports together, and one end's InfiniBand "
			 "port cannot connect to another end's RoCE port",
		.remedy = "name in NCCL_IB_HCA only ports of one kind, the same on all nodes: "
			  "NCCL_IB_HCA==mlx5_0,mlx5_1",
		.confirm = "nccl_ib_hca, port",
		.from = "NVIDIA/nccl#302",
	},
	{
		.name = "duplicate_gpu",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "two ranks use the same GPU, which NCCL refuses",
		.remedy = "give each rank its own GPU: torch.cuda.set_device(LOCAL_RANK), or one "
			  "process for each GPU that the pod has",
		.confirm = "cuda_gpu",
		.messages = {{{"duplicate gpu detected"}, .from = "NCCL src/init.cc"}},
	},
	{
		.name = "gpu_pages",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the NVIDIA driver did not pin GPU memory for another device: this GPU "
			 "cannot do it (GeForce), the range is not its memory any more, or its "
			 "BAR1 is full",
		.remedy = "nvidia-smi -q -d MEMORY shows BAR1; use a data centre or professional "
			  "GPU; memory from cuMemCreate needs gpuDirectRDMACapable",
		.confirm = "gpudirect, cuda_gpudirect_rdma",
		.messages = {{{"nvidia_p2p_get_pages", "failed [ret"}, .from = "NVIDIA/gdrcopy#1"},
			     {{"error ret", "invoking nvidia_p2p_get_pages"},
			      .from = "NVIDIA/gds-nvidia-fs#14"}},
	},
	{
		.name = "nvshmem_bootstrap",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "NVSHMEM's bootstrap, plain TCP, did not reach another rank: no RDMA was "
			 "used yet",
		.remedy = "set NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME to the pod network's interface "
			  "(eth0) on all ranks; look whether the other ranks still run",
		.confirm = "",
		.messages = {{{"nvshmemx_api.h", "connection timed out"},
			      .from = "deepseek-ai/DeepEP#150"}},
	},
	{
		.name = "cni_no_vf",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the pod has a network of sriov-cni but no virtual function for it",
		.remedy = "give the network attachment definition the annotation "
			  "k8s.v1.cni.cncf.io/resourceName, and let the pod request that resource; "
			  "oc describe node shows whether the device plugin offers it",
		.confirm = "",
		.messages = {{{"vf pci addr is required"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#310"}},
	},
	{
		.name = "cni_no_pf",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "sriov-cni finds no interface of the physical function behind the device: "
			 "the device is no virtual function, or its physical function has another "
			 "driver or is in another network namespace",
		.remedy = "use the host-device plugin for a whole device or in a virtual machine; "
			  "otherwise ls /sys/bus/pci/devices/ADDRESS/physfn/net on the node shows "
			  "what is missing",
		.confirm = "",
		.messages = {{{"failed to get vf information", "physfn/net"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#251"}},
	},
	{
		.name = "cni_vf",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the physical function's driver refuses a setting that the network asks "
			 "for (VLAN, link state, trust, rate); an InfiniBand port has no VLAN at "
			 "all",
		.remedy = "remove that setting from the network attachment definition; on "
			  "InfiniBand use ib-sriov-cni (SriovIBNetwork). The same ip link set PF "
			  "vf N by hand confirms it",
		.confirm = "",
		.messages = {{{"sriov-cni failed to configure vf"},
			      .from = "k8snetworkplumbingwg/sriov-cni#119"}},
	},
	{
		.name = "rdma_modules",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the device plugin found no RDMA device behind the network device: the "
			 "node has not loaded its RDMA modules, some device files are missing, or "
			 "the device has no RDMA",
		.remedy =
			"load ib_uverbs, rdma_ucm, ib_umad and mlx5_ib on the node (rdma-core does "
			"it), then restart the plugin; rdma link lists the devices that have RDMA",
		.confirm = "rdma_devices, uverbs",
		.messages = {{{"are rdma modules loaded"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#424"},
			     {{"missing rdma device spec for device"},
			      .from = "Mellanox/k8s-rdma-shared-dev-plugin#108"}},
	},
	{
		.name = "plugin_pool",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the device plugin offers nothing for this resource, because none of the "
			 "node's devices fits its selectors",
		.remedy = "compare the selectors (vendor, device, driver, interface names, isRdma) "
			  "with lspci -nnk on the node; virtual functions have to exist before the "
			  "plugin starts",
		.confirm = "",
		.messages = {{{"no devices in device pool"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#386"}},
	},
	{
		.name = "peermem_load",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "nv_peer_mem or nvidia_peermem does not fit the RDMA modules that are "
			 "loaded: it was built for another ib_core or kernel, or this ib_core has "
			 "no peer memory",
		.remedy = "on the node, install the RDMA drivers first (MLNX_OFED or DOCA), then "
			  "build the NVIDIA driver again; with the kernel's own ib_core use "
			  "dma-buf instead",
		.confirm = "gpudirect",
		.messages = {{{"could not insert 'nv", "invalid argument"},
			      .from = "Mellanox/nv_peer_memory#116"},
			     {{"could not insert module nv_peer_mem"},
			      .from = "Mellanox/nv_peer_memory#59"},
			     {{"peermem: disagrees about version of symbol"},
			      .from = "NVIDIA/gpu-operator#2868"},
			     {{"unknown symbol ib_register_peer_memory_client"},
			      .from = "NVIDIA/gpu-operator#2868"}},
	},
	{
		.name = "sriov_config",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "virtual functions could not be made: the interface is missing, SR-IOV is "
			 "off in firmware or BIOS, or the physical function does not take this "
			 "number now",
		.remedy = "on the node, read dmesg and sriov_totalvfs (0: SR-IOV is off); while "
			  "virtual functions are in use their number cannot change: set 0 first",
		.confirm = "",
		.messages = {{{"fail to configure sriov"},
			      .from = "Mellanox/k8s-rdma-sriov-dev-plugin#27"},
			     {{"sriov_numvfs: device or resource busy"},
			      .from = "Mellanox/k8s-rdma-sriov-dev-plugin#12"},
			     {{"write /sys/", "/sriov_numvfs: "},
			      .from = "openshift/openshift-docs#32619"},
			     {{"fail to enable sriov: write"},
			      .from = "Mellanox/docker-sriov-plugin#28"},
			     {{"cannot configure sriov interface"},
			      .from = "k8snetworkplumbingwg/sriov-network-operator#672"}},
	},
	{
		.name = "rdma_mode",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the node's RDMA network namespace mode is not what the plugin needs: "
			 "shared for the shared device plugin, exclusive for rdma-cni",
		.remedy = "rdma system shows the mode; rdma system set netns shared changes it, "
			  "and the kernel argument ib_core.netns_mode=1 (shared) or 0 keeps it",
		.confirm = "rdma_netns",
		.messages = {{{"incorrect rdma subsystem network namespace"},
			      .from = "Mellanox/k8s-rdma-shared-dev-plugin#84"}},
	},
	{
		.name = "cni_crash",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the CNI program ended without a message: it crashed, is built for "
			 "another architecture, or does not know the definition's version",
		.remedy = "run it by hand on the node; compare its version with cniVersion and the "
			  "keys of the network's definition",
		.confirm = "",
		.messages = {{{"netplugin failed but error parsing its diagnostic message"},
			      .from = "k8snetworkplumbingwg/sriov-cni#110"}},
	},
	{
		.name = "ucx_docker0",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "UCX uses docker0, an interface with the same address on every node, so "
			 "that a node connects to itself",
		.remedy = "name the interfaces in UCX_NET_DEVICES (mlx5_0:1 or ib0), without "
			  "docker0; this is the cause if it then works",
		.confirm = "",
		.messages = {{{"tcp/docker0"}, .from = "openucx/ucx#9908"}},
	},
	{
		.name = "hca_probe",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the node's kernel driver could not start the HCA: driver and firmware do "
			 "not fit each other, or the HCA is sick",
		.remedy = "read the node's dmesg from boot on; update the firmware, or use a "
			  "driver of the same age",
		.confirm = "kernel_log, rdma_devices",
		.messages = {{{"mlx5_core", "failed with error code"},
			      .from = "pocopico/rp-ext#129"},
			     {{"mlx5_core", "probe of", "failed with error"},
			      .from = "pocopico/rp-ext#129"}},
	},
	{
		.name = "gpu_initiated",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "NVSHMEM found no HCA that a GPU may drive by itself (IBGDA)",
		.remedy = "load the NVIDIA driver with "
			  "NVreg_RegistryDwords=\"PeerMappingOverride=1;\" and "
			  "NVreg_EnableStreamMemOPs=1; or set NVSHMEM_IBGDA_NIC_HANDLER=cpu or "
			  "NVSHMEM_REMOTE_TRANSPORT=ibrc",
		.confirm = "rdma_devices, gpudirect",
		.messages = {{{"no active ib device that supports gpu-initiated communication"},
			      .from = "NVIDIA/nvshmem#51"}},
	},
	{
		.name = "vm_unmap",
		.status = FINDING_WARN,
		.sureness = SURE,
		.cause = "UCX does not notice when memory is given back to the kernel, so that a "
			 "registration may outlive its memory: wrong data, or a slower run",
		.remedy = "add --mca opal_common_ucx_opal_mem_hooks 1 to mpirun, as the message "
			  "says; it is confirmed if the warning is gone",
		.confirm = "",
		.messages = {{{"ucx is unable to handle vm_unmap"}, .from = "open-mpi/ompi#9859"}},
	},
	{
		.name = "shm_failed",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "NCCL could not make its shared memory, and this line does not say why; "
			 "in most reports /dev/shm is too small (a container has 64 MiB by "
			 "default)",
		.remedy = "df /dev/shm in the container; mount an emptyDir with medium: Memory "
			  "there (podman: --shm-size). A run with NCCL_SHM_DISABLE=1 that works "
			  "confirms it; NCCL_DEBUG=INFO shows the reason",
		.confirm = "",
		.from = "NVIDIA/DeepLearningExamples#1386",
	},
	{
		.name = "psm_open",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "PSM, libfabric's provider for Omni-Path and for Ethernet HCAs, could not "
			 "open one: the device is not in the container, it is not one that PSM "
			 "drives, all its contexts are in use, or the memlock limit is too low",
		.remedy = "if another provider is meant, leave PSM out: FI_PROVIDER=^psm3 (^psm2), "
			  "or FI_PROVIDER=verbs or tcp. Else look at /dev/hfi1_0 or "
			  "/dev/infiniband in the container, and at ulimit -l of the process",
		.confirm = "rdma_devices, uverbs, memlock",
		.messages = {{{"can't open hfi unit"}, .from = "intel/MLSL#25"},
			     {{"can't open nic unit"}, .from = "llnl/sundials#316"}},
	},
	{
		.name = "mpi_unreachable",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "Open MPI found no transport that two processes share: the HCA is missing "
			 "on one side, the transports that were allowed do not reach another node, "
			 "or this Open MPI is built without UCX",
		.remedy = "read the list of BTLs in the message: self and vader alone never leave "
			  "a node. Try mpirun --mca pml ucx, then --mca pml_base_verbose 10, which "
			  "says why UCX is left out; ompi_info lists what is built in",
		.confirm = "rdma_devices, uverbs, port",
		.messages = {{{"pair of mpi processes are unable to reach each other"},
			      .from = "open-mpi/ompi#3573"}},
	},
	{
		.name = "openib_failed",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "Open MPI's old transport openib could not make a queue on this HCA; the "
			 "lines behind it name the function and the errno",
		.remedy = "mpirun --mca pml ucx --mca btl ^openib leaves openib out; if UCX fails, "
			  "too, oci-rdma-doctor --verbs in the container says which call does",
		.confirm = "verbs_open, memlock",
		.messages = {{{"(openib) btl failed to initialize"}, .from = "open-mpi/ompi#166"}},
	},
	{
		.name = "rendezvous",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.alone = true,
		.cause = "PyTorch's processes did not meet: the first rank's address cannot be "
			 "resolved or reached over TCP, or too few processes came in time; this is "
			 "before NCCL and RDMA are used",
		.remedy = "look whether the first rank's pod runs and whether its own log has an "
			  "error; then, from another pod, getent hosts MASTER_ADDR and a TCP "
			  "connection to MASTER_PORT (Service, NetworkPolicy, firewall, proxy)",
		.confirm = "",
		.messages = {{{"client socket has timed out"}, .from = "pytorch/pytorch#107021"},
			     {{"connection to the c10d store has failed"},
			      .from = "pytorch/pytorch#107021"},
			     {{"rendezvoustimeouterror"}, .from = "pytorch/pytorch#80772"},
			     {{"valueerror: host not found: name or service"},
			      .from = "pytorch/pytorch#73682"}},
	},
	{
		.name = "package_source",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "packages could not be fetched, so that a driver or an image is not "
			 "built: the source's name does not resolve, there is no way to it, or the "
			 "node has no entitlement",
		.remedy = "from a pod on this node, getent hosts and curl the address in the "
			  "message; set the proxy or a mirror for the driver container (RHEL and "
			  "OpenShift: entitlements), or use an image with precompiled drivers",
		.confirm = "",
		.messages = {{{"failed to download metadata for repo"},
			      .from = "Mellanox/network-operator#830"}},
	},
	{
		.name = "perftest_tcp",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "perftest's client did not reach its server over TCP (port 18515), by "
			 "which the two exchange their addresses; RDMA was not tried yet",
		.remedy = "start the server first, with the same options; give the client an "
			  "address at which it listens (ss -ltn there), and look at NetworkPolicy "
			  "and firewall; -p chooses another port",
		.confirm = "",
		.messages = {{{"couldn't connect to ", ":18515"},
			      .from = "linux-rdma/perftest#228"},
			     {{"unable to open file descriptor for socket connection"},
			      .from = "linux-rdma/perftest#228"}},
	},
	{
		.name = "cdi",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the engine knows no CDI device of this name: no file in /etc/cdi or "
			 "/var/run/cdi on this node names it, or the engine reads none of them",
		.remedy = "look for the kind and the name in these files on the pod's node, and "
			  "whether the device plugin or DRA driver that writes them runs; the "
			  "engine has to have CDI switched on (containerd: enable_cdi, docker: "
			  "features.cdi)",
		.confirm = "",
		.messages = {{{"unresolvable cdi devices"}, .from = "moby/moby#47633"}},
	},
	{
		.name = "iommu_missing",
		.status = FINDING_WARN,
		.sureness = SURE,
		.cause = "RCCL finds that the node's kernel was started without an argument that "
			 "AMD asks for; peer-to-peer transfers may be slow or hang",
		.remedy = "add iommu=pt (and amd_iommu=on) to the kernel's command line and "
			  "restart the node; cat /proc/cmdline confirms it",
		.confirm = "iommu_arguments",
		.messages = {{{"nccl warn missing \"", "from kernel command line"},
			      .from = "ROCm/rccl#1026"}},
	},
	{
		.name = "openib",
		.status = FINDING_WARN,
		.sureness = MAYBE,
		.alone = true,
		.cause = "Open MPI's old transport openib does not know this HCA or cannot use its "
			 "port; that is normal where UCX or NCCL carries the data",
		.remedy = "mpirun --mca pml ucx --mca btl ^openib leaves it out; if the program "
			  "fails, look for another error",
		.confirm = "port",
		.messages = {{{"initializing an openfabrics device"}, .from = "open-mpi/ompi#7188"},
			     {{"no preset parameters were found for the device"},
			      .from = "open-mpi/ompi#11789"},
			     {{"no openfabrics connection schemes reported"},
			      .from = "huggingface/transformers-bloom-inference#8"},
			     {{"help message help-mpi-btl-openib", " / no "},
			      .from = "open-mpi/ompi#6881"}},
	},
	{
		.name = "ucx_transport",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "UCX finds no HCA that it can use: none is in the container, its port is "
			 "down, UCX_TLS or UCX_NET_DEVICES leaves it out, or this UCX is built "
			 "without verbs",
		.remedy =
			"run ucx_info -d in the container, with UCX_TLS and UCX_NET_DEVICES unset; "
			"if it lists no mlx5 device but ibv_devinfo does, libuct_ib.so is missing",
		.confirm = "rdma_devices, uverbs, port, verbs_library",
		.messages = {{{"transport '", "' is not available, please use"},
			      .from = "openucx/ucx#8808"},
			     {{"no usable transports/devices"}, .from = "openucx/ucx#9610"},
			     {{"pml ucx cannot be selected"}, .from = "openucx/ucx#8952"}},
	},
	{
		.name = "sys_stat",
		.status = FINDING_WARN,
		.sureness = LIKELY,
		.alone = true,
		.cause = "libibverbs passes over HCAs that belong to other network namespaces; "
			 "that is normal in a container",
		.remedy = "look for another error; ibv_devinfo lists the HCAs that are this "
			  "container's",
		.confirm = "rdma_devices, rdma_netns",
		.messages = {{{"libibverbs: warning: couldn't stat"},
			      .from = "horovod/horovod#3333"}},
	},
	{
		.name = "hook_failed",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.alone = true,
		.cause = "an OCI hook ended with an error, so that the container was not created; "
			 "the text behind it is what the hook said",
		.remedy =
			"read the hook's own message and its log (journalctl -t oci-rdma-hook for "
			"this project's); the hook's name stands in config.json of the container",
		.confirm = "",
		.messages = {{{"error running hook", "exit status"},
			      .from = "NVIDIA/nvidia-container-toolkit#14"},
			     {{"error running ", " hook #", "exit status"},
			      .from = "containerd/nerdctl#4276"},
			     {{"error executing hook"}, .from = "ublue-os/bluefin#3454"}},
	},
	{
		.name = "cni_status",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "Multus could not attach a network to the pod; its reason is at the end "
			 "of this message, behind the configuration",
		.remedy = "read the message to its end (oc describe pod, oc get events), or "
			  "multus' log on the pod's node",
		.confirm = "",
		.messages = {{{"cni request failed with status 400"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#555"}},
	},
	{
		.name = "deepep_check",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.alone = true,
		.cause = "a check of DeepEP's own failed: the condition in quotes does not hold "
			 "for this number of ranks, this hardware or this buffer size",
		.remedy = "compare ranks per node and buffer sizes (Config, num_sms) with what "
			  "DeepEP's README asks for; the network is not the cause",
		.confirm = "",
		.messages = {{{"failed: assertion error", "/csrc/kernels/"},
			      .from = "deepseek-ai/DeepEP#114"},
			     {{"failed: assertion error", "deep_ep.cpp:"},
			      .from = "deepseek-ai/DeepEP#477"}},
	},
	{
		.name = "reg_failed",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "a registration failed, and this line does not say why: the reason is in "
			 "a line before it, or UCX did not log it",
		.remedy = "run with UCX_LOG_LEVEL=diag, which logs the errno; oci-rdma-doctor "
			  "--verbs in the container registers memory by itself",
		.confirm = "verbs_register, memlock",
		.messages = {{{"failed to register address", ": input/output error"},
			      .from = "openucx/ucx#10085"},
			     {{"failed to register region", ": input/output error"},
			      .from = "openucx/ucx#2702"},
			     {{"unable to register msg mr"}, .from = "ofiwg/libfabric#6589"}},
	},
	{
		.name = "deepep_timeout",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "DeepEP got no data from another rank in time: that rank failed or is "
			 "slow, or its packets do not arrive",
		.remedy = "look for the first error of the other ranks; test the two nodes with "
			  "ib_write_bw over each HCA; on RoCE compare GID index, traffic class and "
			  "PFC",
		.confirm = "port, gid, verbs_remote",
		.messages = {{{"deepep ", " timeout"}, .from = "deepseek-ai/DeepEP#137"},
			     {{"deepep error: timeout"}, .from = "deepseek-ai/DeepEP#163"}},
	},
	{
		.name = "watchdog",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "PyTorch's watchdog saw a collective that did not end, which does not say "
			 "why: a rank died, ranks called different collectives, or the network "
			 "hangs",
		.remedy = "look at the rank that logged no such line, and at the first error of "
			  "any rank. TORCH_NCCL_TRACE_BUFFER_SIZE=2000 with "
			  "TORCH_NCCL_DUMP_ON_TIMEOUT=1 shows which rank is behind, "
			  "NCCL_DEBUG=INFO whether the network is the cause",
		.confirm = "port, verbs_remote",
		.messages = {{{"detected by watchdog at work"}, .from = "sgl-project/sglang#3932"},
			     {{"watchdog caught collective operation timeout"},
			      .from = "hiyouga/LlamaFactory#7396"}},
	},
	{
		.name = "nvshmem_peer",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "NVSHMEM has no transport to a GPU of another node: no remote transport "
			 "(IBGDA, ibrc) could be used, for a reason in a line before this one",
		.remedy = "run with NVSHMEM_DEBUG=INFO and NVSHMEM_DEBUG_SUBSYS=TRANSPORT, which "
			  "names each transport that was left out, and why; ibv_devinfo in the "
			  "container shows its HCAs",
		.confirm = "rdma_devices, gpudirect",
		.messages = {{{"topo.cpp", "peer gpu ", " is not accessible"},
			      .from = "pytorch/pytorch#170479"}},
	},
	{
		.name = "nvshmem",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "NVSHMEM gave up, and this line does not say why: the reason is in a line "
			 "before it",
		.remedy = "run with NVSHMEM_DEBUG=INFO and NVSHMEM_DEBUG_SUBSYS=TRANSPORT; the "
			  "first line with \"init failed\" or \"skipping\" has the reason",
		.confirm = "rdma_devices, gpudirect",
		.messages = {{{"init failed for "}, .from = "deepseek-ai/DeepEP#128"},
			     {{"unable to initialize any transports"},
			      .from = "deepseek-ai/DeepEP#55"},
			     {{"nvshmem api called before nvshmem initialization"},
			      .from = "deepseek-ai/DeepEP#289"},
			     {{"nvshmem setup connections failed"},
			      .from = "deepseek-ai/DeepEP#38"},
			     {{"nvshmem initialization failed"},
			      .from = "NVSHMEM src/host/init/init.cu"},
			     {{"nvshmem detect topo failed"}, .from = "deepseek-ai/DeepEP#355"}},
	},
	{
		.name = "mooncake_device",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "Mooncake could not use any RDMA device, and this line does not say why: "
			 "the reason is in a line before it",
		.remedy = "look for the first line that begins with E or W; ibv_devinfo -v shows "
			  "the devices and their GIDs, MC_GID_INDEX chooses one",
		.confirm = "rdma_devices, uverbs, gid",
		.messages = {{{"failed to open device ", " with gid "},
			      .from = "kvcache-ai/Mooncake#3538"},
			     {{"rdmatransport: no available rnic"},
			      .from = "kvcache-ai/Mooncake#1384"},
			     {{"cannot initialize rdma resources"},
			      .from = "kvcache-ai/Mooncake#75"}},
	},
	{
		.name = "flushed",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.alone = true,
		.cause = "IBV_WC_WR_FLUSH_ERR: the connection had failed before; this work request "
			 "was still queued",
		.remedy = "look for the first error, which may be in another rank's log",
		.confirm = "",
		.from = "NVIDIA/nccl#1405",
		.completions = {{5, ANY}},
	},
	{
		.name = "unhandled",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.alone = true,
		.cause = "NCCL gave up, and this line does not say why: the reason was logged "
			 "before it, possibly by another rank",
		.remedy = "run with NCCL_DEBUG=INFO, and give the logs of all ranks to "
			  "oci-rdma-doctor --symptom",
		.confirm = "",
		.messages = {{{"unhandled system error"}, .from = "NCCL src/init.cc"},
			     {{"remote process exited or there was a network error"},
			      .from = "NCCL src/init.cc"},
			     {{"connection closed by remote peer"},
			      .from = "NCCL src/misc/socket.cc"},
			     {{"nccl warn", "connection reset by peer"},
			      .from = "NVIDIA/nccl-tests#185"},
			     {{"error encountered progressing operation="},
			      .from = "NVIDIA/Megatron-LM#450"}},
		.turns = {{FACT_GID_0, FACT_IB_LINK, "gid_forced"}},
	},
};

const size_t n_known_symptoms = sizeof(known_symptoms) / sizeof(*known_symptoms);
_Static_assert(sizeof(known_symptoms) / sizeof(*known_symptoms) <= SYMPTOMS_MAX, "SYMPTOMS_MAX");

const struct known *known_find(const char *name)
{
	for (size_t i = 0; i < n_known_symptoms; i++) {
		if (strcmp(known_symptoms[i].name, name) == 0)
			return &known_symptoms[i];
	}
	return NULL;
}
