/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that could not be registered: limits, GPU memory, resources of the HCA. What proves the
 * causes beside the threads that are named:
 * - memlock, memlock_zero: ib_umem_get in drivers/infiniband/core/umem.c, can_do_mlock in
 *   mm/mlock.c. NCCL before 2.11 says no reason for functions that return a pointer.
 */
#include "doctor/symptom/known.h"

#include <errno.h>

const struct known known_memory[] = {
	{
		.name = "memlock",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "memory could not be registered: the soft RLIMIT_MEMLOCK is too low, and "
			 "CAP_IPC_LOCK does not count here",
		.remedy = "raise RLIMIT_MEMLOCK, soft and hard (oci-rdma-hook does it). The limit "
			  "of the failing process counts, not that of the node or of an oc exec: "
			  "grep locked /proc/PID/limits; if that says unlimited, look at the "
			  "program's version and the node's dmesg instead",
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
		.cause = "MPI could not create a completion queue and does not say why in this "
			 "line; in most reports the soft RLIMIT_MEMLOCK is too low",
		.remedy = "look for \"Cannot allocate memory\" in the lines behind it, which "
			  "confirms it; then raise RLIMIT_MEMLOCK, soft and hard (oci-rdma-hook "
			  "does it)",
		.confirm = "memlock, ipc_lock, verbs_register",
		.messages = {{{"rdma_iba_hca_init", ": cannot create cq"},
			      .from = "flux-framework/flux-core#4451"},
			     {{"failed to create a completion queue (cq)"},
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
			  "--use_cuda=0; oci-rdma-doctor --verbs does both and names the errno. "
			  "GPU memory needs nvidia_peermem (AMD: peer memory in amdgpu and "
			  "ib_core), or a program that uses dma-buf",
		.confirm = "verbs_register, verbs_peermem, gpudirect",
		.from = "openucx/ucx#5291",
		.messages = {{{"registerrdmamemoryregion failed", "invalid argument"},
			      .from = "ROCm/mori#481"},
			     {{"failed to register memory", "invalid argument"},
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
		.name = "peermem_missing",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the node has not loaded nvidia_peermem, so that RDMA to GPU memory is "
			 "left out",
		.remedy = "load nvidia_peermem on the node (modprobe nvidia-peermem; the GPU "
			  "operator: driver.rdma.enabled), or use dma-buf with the open kernel "
			  "modules",
		.confirm = "gpudirect",
		.messages = {{{"nvidia_peermem.ko is not loaded"},
			      .from = "NVIDIA/gds-nvidia-fs#4"}},
	},
	{
		.name = "gds",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "GPUDirect Storage is not set up on this node: nvidia-fs is not loaded, "
			 "or the file's file system or storage driver does not work with it",
		.remedy = "gdscheck.py -p shows what is missing: modprobe nvidia-fs, and the NVMe "
			  "or NFS driver of DOCA or MLNX_OFED (--with-nvmf, --with-nfsrdma); "
			  "cuFile otherwise reads through host memory",
		.confirm = "gpudirect",
		.messages = {{{"gpudirect storage not supported on current file"},
			      .from = "NVIDIA/gds-nvidia-fs#70"},
			     {{"cufilehandleregister failed", "5030"},
			      .from = "LMCache documentation, GDS backend"},
			     {{"nvidia-fs.ko driver not loaded"},
			      .from = "NVIDIA/gds-nvidia-fs#31"},
			     {{"not registered with nvidia-fs"},
			      .from = "NVIDIA/gds-nvidia-fs#31"}},
	},
	{
		.name = "perftest_qp",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "perftest could not create a queue pair and does not say why: locked "
			 "memory is limited (the soft RLIMIT_MEMLOCK), the container's libraries "
			 "do not fit the node's driver, or the device does not have this kind of "
			 "queue pair",
		.remedy = "oci-rdma-doctor --verbs in the container says which call fails, with "
			  "its errno; a later perftest prints it, too",
		.confirm = "memlock, ipc_lock, verbs_register, verbs_library",
		.messages = {{{"unable to create qp."},
			      .from = "Mellanox/k8s-rdma-sriov-dev-plugin#29"}},
	},
	{
		.name = "qp_type",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the device does not have the kind of queue pair that the program asks "
			 "for: EFA has no reliable connections (RC), other HCAs have no DC or no "
			 "extended ones",
		.remedy = "use a program or transport that supports this device: for EFA "
			  "libfabric's provider efa; ibv_devinfo -v shows what the device can do",
		.confirm = "rdma_devices",
		.from = "meta-pytorch/torchforge#493",
		.messages = {{{"create extended queue pair", "operation not supported"},
			      .from = "meta-pytorch/torchforge#493"}},
		.calls = {{"create_qp", EOPNOTSUPP}, {"create_qp_ex", EOPNOTSUPP}},
	},
	{0},
};
