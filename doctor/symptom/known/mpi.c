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
	{0},
};
