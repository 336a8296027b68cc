/* SPDX-License-Identifier: Apache-2.0 */
/* NVSHMEM, DeepEP and Mooncake */
#include "doctor/symptom/known.h"

const struct known known_nvshmem[] = {
	{
		.name = "ibgda_connect",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the HCA refused to connect NVSHMEM's queue pair (IBGDA): on RoCE the GID "
			 "index does not fit, on InfiniBand a traffic class is set, or the "
			 "firmware refuses another setting",
		.remedy = "set NVSHMEM_IB_GID_INDEX to a RoCE v2 entry with an IPv4 address; on "
			  "InfiniBand unset NVSHMEM_IB_TRAFFIC_CLASS (NVIDIA/nvshmem#45). If "
			  "neither helps, use NVSHMEM_REMOTE_TRANSPORT=ibrc",
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
		.name = "nixl_plugin",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "NIXL does not find its plugin for this backend, or a library that the "
			 "plugin needs (libucp.so for UCX)",
		.remedy = "ldd on libplugin_UCX.so in the container shows what is missing; "
			  "NIXL_PLUGIN_DIR names the plugins' directory, LD_LIBRARY_PATH has to "
			  "have UCX's",
		.confirm = "",
		.messages = {{{"backend '", "' not found"}, .from = "ai-dynamo/nixl#1561"},
			     {{"createbackend: unsupported backend"},
			      .from = "ai-dynamo/nixl#1561"}},
	},
	{0},
};
