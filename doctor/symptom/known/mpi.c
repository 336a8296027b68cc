/* SPDX-License-Identifier: Apache-2.0 */
/* UCX, libfabric and the MPIs */
#include "doctor/symptom/known.h"

const struct known known_mpi[] = {
	{
		.name = "ucx_device",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "UCX_NET_DEVICES names a device that UCX does not see here: the container "
			 "has none of that name, its port is down, or UCX has no transport for it",
		.remedy = "run ucx_info -d in the container; if it lists no mlx5 device but "
			  "ibv_devinfo does, this UCX is built without verbs or lacks libuct_ib.so",
		.confirm = "rdma_devices, uverbs, port, verbs_library",
		.messages = {{{"ucx  warn  device '", "' is not available"},
			      .unless = "please use",
			      .from = "openucx/ucx#2654"},
			     {{"network device", " not available, please use one or more of"},
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
		.cause =
			"no libfabric provider fits what the program asks for: the device is "
			"missing or its interface has no IP address, or FI_PROVIDER names one that "
			"is not usable, or the program's hints ask for more than the provider has",
		.remedy = "unset FI_PROVIDER and I_MPI_OFI_PROVIDER, then run fi_info -p efa (or "
			  "verbs) in the container: with IPoIB the interface needs an address (ip "
			  "addr); if it lists nothing, the device is missing, or a memlock limit "
			  "of 64 KiB hides the verbs provider",
		.confirm = "rdma_devices, memlock",
		.messages = {{{"ofi addrinfo() failed"}, .from = "QMCPACK/qmcpack#1158"},
			     {{"ofi fi_open domain failed"},
			      .from = "easybuilders/easybuild-easyconfigs#10213"},
			     {{"ofi fi_getinfo() failed"}, .from = "pmodels/mpich#5437"},
			     {{"fi_getinfo", "no data available"}, .from = "ofiwg/libfabric#11091"},
			     {{"ofi fi_getinfo() failure"}, .from = "pmodels/mpich#6612"},
			     {{"find any optimal provider"}, .from = "NVIDIA/nccl#229"},
			     {{"net/ofi no eligible providers"},
			      .from = "aws-samples/aws-do-eks#54"}},
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
		.name = "openib",
		.status = FINDING_WARN,
		.sureness = MAYBE,
		.alone = true,
		.cause = "Open MPI's old transport openib does not know this HCA or cannot use its "
			 "port; that is normal where UCX or NCCL carries the data",
		.remedy = "mpirun --mca pml ucx --mca btl ^openib leaves it out (on Omni-Path "
			  "--mca pml cm, and libpsm2 in the image); if the program fails, look for "
			  "another error",
		.confirm = "port",
		.messages = {{{"module: openfabrics (openib)"}, .from = "3dem/relion#179"},
			     {{"initializing an openfabrics device"}, .from = "open-mpi/ompi#7188"},
			     {{"btl_openib_component", "error obtaining device attributes"},
			      .from = "open-mpi/ompi#7461"},
			     {{"no preset parameters were found for the device"},
			      .from = "open-mpi/ompi#11789"},
			     {{"no openfabrics connection schemes reported"},
			      .from = "huggingface/transformers-bloom-inference#8"},
			     {{"help message help-mpi-btl-openib", " / no "},
			      .from = "open-mpi/ompi#6881"}},
	},
	{
		.name = "pmix",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "PMIx, by which the launcher (mpirun, srun) and MPI's processes talk: its "
			 "versions outside and inside the container do not fit each other, or the "
			 "launcher did not answer; RDMA was not tried",
		.remedy = "compare ompi_info | grep -i pmix inside and outside, and srun "
			  "--mpi=list: use the same release on both sides, or start mpirun in the "
			  "container. PMIX_MCA_gds=hash on both sides avoids a format in which "
			  "versions differ; a program that goes on needs nothing",
		.confirm = "",
		.messages = {{{"pmix error: pmix temporarily unavailable"},
			      .from = "geoschem/GCHP#269"},
			     {{"unpack-pmix-value: unsupported type"},
			      .from = "open-mpi/ompi#12146"},
			     {{"pmix error: ", " in file ", "bfrop_base_unpack"},
			      .from = "open-mpi/ompi#12146"},
			     {{"pmix error: unpack-"}, .from = "openpmix/openpmix#2948"}},
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
		.name = "efa_missing",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "aws-ofi-nccl finds no EFA device that it can use: the pod has none, the "
			 "instance type has none, or the image's libfabric lacks the provider efa",
		.remedy = "fi_info -p efa in the container; let the pod request "
			  "vpc.amazonaws.com/efa (docker: --device /dev/infiniband/uverbs0), and "
			  "use an instance type and an EFA installer that have EFA",
		.confirm = "rdma_devices, uverbs",
		.messages = {{{"only efa provider is supported"},
			      .from = "aws/deep-learning-containers#2675"},
			     {{"net/ofi disabling shared memory failed"},
			      .from = "aws/aws-ofi-nccl#803"}},
	},
	{
		.name = "efa_address",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "EFA could not take the peer's address: in most reports the security "
			 "group does not allow all traffic from and to itself, outbound included; "
			 "otherwise the EFA versions of the two ends differ",
		.remedy = "give the security group an inbound and an outbound rule for all traffic "
			  "with itself as source and destination; then fi_pingpong -p efa between "
			  "the two nodes",
		.confirm = "verbs_remote",
		.messages = {{{"unable to insert remote address into address vector"},
			      .from = "aws/aws-ofi-nccl#663"}},
	},
	{
		.name = "efa_peer",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the peer's EFA endpoint is gone or does not answer: the peer's process "
			 "failed or was killed (for memory, too), or the security group does not "
			 "let the packets through",
		.remedy = "look for the first error of the peer, and for an OOM kill (oc describe "
			  "pod, dmesg); if the peer lives, check the security group's rules with "
			  "itself as source and destination",
		.confirm = "verbs_remote",
		.messages = {{{"net/ofi operation with null context completed with error"},
			      .from = "NVIDIA/nccl#1597"},
			     {{"net/ofi request", "invalid receiver queue pair number"},
			      .from = "awslabs/awsome-distributed-ai#312"},
			     {{"unresponsive receiver"},
			      .from = "libfabric prov/efa/src/efa_errno.h"},
			     {{"unresponsive remote", "efa"},
			      .from = "libfabric prov/efa/src/efa_errno.h"},
			     {{"unreachable remote", "efa"},
			      .from = "libfabric prov/efa/src/efa_errno.h"}},
	},
	{
		.name = "efa_command",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the EFA device refused a command of its driver: it has no such resource "
			 "left (protection domains, queue pairs, memory registrations), or driver "
			 "and device do not fit",
		.remedy = "count the processes that use each device (rdma resource show); share "
			  "devices among fewer, end what is left over, and update the EFA driver "
			  "(modinfo efa)",
		.confirm = "kernel_log",
		.messages = {{{"efa_", "failed to process command"},
			      .from = "aws/aws-ofi-nccl#22"}},
	},
	{
		.name = "fi_endpoint",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "Open MPI chose a libfabric provider that it cannot use here: PSM3 on an "
			 "HCA of another vendor, for example",
		.remedy =
			"mpirun --mca pml ucx (or --mca mtl ^ofi) leaves libfabric out, "
			"FI_PROVIDER=^psm3 this provider; FI_LOG_LEVEL=info says which one it was",
		.confirm = "rdma_devices",
		.messages = {{{"failed an ofi libfabric library call"},
			      .from = "ofiwg/libfabric#6710"}},
	},
	{
		.name = "psm_shm",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "PSM could not open another process's shared memory: the processes of the "
			 "node do not share /dev/shm, it is full, or a process ended early; the "
			 "network is not the cause",
		.remedy = "look for the first error of the other processes; df /dev/shm and ls "
			  "/dev/shm/psm* on the node; give the containers of a node the same "
			  "/dev/shm (--ipc=host)",
		.confirm = "",
		.messages = {{{"could not set up shared memory segment"},
			      .from = "cornelisnetworks/opa-psm2#42"},
			     {{"opening remote shared memory object"},
			      .from = "cornelisnetworks/opa-psm2#42"}},
	},
	{
		.name = "cma",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "UCX or Open MPI copies between two processes of one node by CMA "
			 "(process_vm_readv), which the kernel refuses between containers or user "
			 "namespaces; RDMA is not the cause",
		.remedy = "UCX_TLS=^cma (Open MPI's own: --mca btl_vader_single_copy_mechanism "
			  "none) leaves it out; otherwise the processes need the same user and PID "
			  "namespace, and CAP_SYS_PTRACE",
		.confirm = "",
		.messages = {{{"process_vm_readv", "returned -1"},
			      .unless = "bad address",
			      .from = "openucx/ucx#10404"},
			     {{"process_vm_writev", "returned -1"},
			      .unless = "bad address",
			      .from = "openucx/ucx#10404"},
			     {{"read -1, expected ", ", errno = 1"},
			      .unless = ", errno = 14",
			      .from = "horovod/horovod#300"}},
	},
	{
		.name = "dapl",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "Intel MPI looks for DAPL, a library that present distributions do not "
			 "have",
		.remedy = "use I_MPI_FABRICS=shm:ofi (with I_MPI_DEBUG=5, which names the "
			  "provider), or an Intel MPI of 2019 or later",
		.confirm = "",
		.messages = {{{"cannot open dynamic library libdat"},
			      .from = "UCL-ARC/rcps-buildscripts#50"}},
	},
	{
		.name = "mpi_launch",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "mpirun could not start its daemon on another host, before any RDMA: the "
			 "host is not reached by ssh, MPI is not installed there in the same "
			 "place, or the daemon finds no way back by TCP",
		.remedy = "try ssh HOST which orted prted by hand; then --mca plm_base_verbose 10, "
			  "and --mca oob_tcp_if_include with the interface between the hosts",
		.confirm = "",
		.messages = {{{"unable to reliably start one or more daemons"},
			      .from = "Azure/aks-rdma-infiniband#30"},
			     {{"a daemon (pid ", "died unexpectedly with status"},
			      .from = "Open MPI help-plm-base.txt"},
			     {{"prte has lost communication with a remote daemon"},
			      .from = "PRRTE help-errmgr-base.txt"},
			     {{"orte has lost communication with a remote daemon"},
			      .from = "Open MPI help-errmgr-base.txt"}},
	},
	{
		.name = "fi_version",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "aws-ofi-nccl asks libfabric for an option that the loaded libfabric does "
			 "not have: the plugin was built for a newer one",
		.remedy = "ldd on libnccl-net.so (libnccl-net-ofi.so) shows which libfabric is "
			  "loaded; install the EFA installer's libfabric and plugin together, and "
			  "put /opt/amazon/efa/lib first in LD_LIBRARY_PATH",
		.confirm = "",
		.messages = {{{"couldn't set fi_opt_", "protocol not available"},
			      .from = "aws/aws-ofi-nccl#241"}},
	},
	{
		.name = "mpi_tcp",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "Open MPI's TCP connections come from an address that it does not expect: "
			 "the hosts have interfaces with the same address (docker0, virbr0, a "
			 "pod's bridge), and Open MPI takes one of these",
		.remedy = "mpirun --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 (the "
			  "interface of the pod network), or --mca pml ucx, which uses no TCP for "
			  "data",
		.confirm = "",
		.messages = {{{"received unexpected process identifier"},
			      .from = "NVIDIA/pyxis#114"},
			     {{"detected an inbound mpi tcp connection request"},
			      .from = "NVIDIA/pyxis#114"}},
	},
	{
		.name = "cma_address",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "UCX or Open MPI copied another process's memory (CMA, process_vm_readv), "
			 "and the kernel finds no host memory at that address: the processes are "
			 "in different containers or user namespaces, or it is GPU memory that was "
			 "taken for host memory",
		.remedy =
			"UCX_TLS=^cma (Open MPI's own: --mca btl_vader_single_copy_mechanism none) "
			"leaves this copy out, which shows whether it is the cause. For GPU memory "
			"UCX has to be built with CUDA (ucx_info -d lists cuda_copy); "
			"UCX_MEMTYPE_CACHE=n helps where it takes GPU for host memory",
		.confirm = "",
		.messages = {{{"process_vm_readv", "returned -1: bad address"},
			      .from = "openucx/ucx#6058"},
			     {{"process_vm_writev", "returned -1: bad address"},
			      .from = "openucx/ucx#6058"},
			     {{"read -1, expected ", ", errno = 14"},
			      .from = "horovod/horovod#531"}},
	},
	{
		.name = "ofi_qp",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the part of Open MPI that uses libfabric, or UCX, could not set up a "
			 "datagram queue pair (UD): in one report libfabric opened an HCA that UCX "
			 "uses, in another the driver refused it",
		.remedy = "mpirun --mca pml ucx --mca btl ^uct,ofi --mca mtl ^ofi leaves libfabric "
			  "out; if it still fails, run ib_send_bw -c UD on this HCA",
		.confirm = "verbs_open",
		.messages = {{{"failed to modify ud qp to init on "},
			      .from = "easybuilders/easybuild-easyconfigs#20233"}},
	},
	{0},
};
