/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transfer that ended with an error: what a work completion says. What proves the causes beside
 * the threads that are named:
 * - p2p_blocked: mlx5 reports syndrome 0x04 with vendor error 0x51 where a DMA of the HCA was not
 *   carried out; NCCL's maintainers (NVIDIA/nccl issues 214, 523, 928, 1052) find ACS and the
 *   IOMMU behind it, and printIbWcStatusHint (src/transport/net_ib/common.h) says the same.
 *   Registration does not see it: the NVIDIA driver maps by dma_map_resource, which succeeds.
 * - retry_exc: vendor error 129 is 0x81, "transport retry counter exceeded".
 */
#include "doctor/symptom/known.h"

#include <errno.h>

const struct known known_transfer[] = {
	{
		.name = "p2p_blocked",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "IBV_WC_LOC_PROT_ERR with vendor error 81: the HCA could not reach GPU "
			 "memory, because the IOMMU translates or ACS redirects its peer-to-peer "
			 "transfers; the memlock limit is not the cause",
		.remedy = "boot the node with iommu=pt, and clear ACS redirect on the bridges "
			  "between GPU and HCA; this is the cause if the error goes away with "
			  "NCCL_NET_GDR_LEVEL=LOC (UCX, NIXL: UCX_IB_GPU_DIRECT_RDMA=no)",
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
		.remedy = "run once with NCCL_NET_GDR_LEVEL=LOC (UCX, NIXL: "
			  "UCX_IB_GPU_DIRECT_RDMA=no). If the error goes away, boot with "
			  "iommu=pt and clear ACS redirect; if it stays, report it to the authors "
			  "of the program or of its NCCL plugin",
		.confirm = "iommu_group, acs, kernel_log",
		.from = "NVIDIA/nccl#523",
		.messages = {{{"ibv_poll_cq failed, status: 4"},
			      .from = "NVIDIA/multi-gpu-programming-models#21"}},
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
		.name = "ud_timeout",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "UCX waited in vain for the peer's answer (transport ud): the peer's "
			 "process died or hangs, a port is down, or the network does not carry "
			 "these packets",
		.remedy = "look whether the peer's process died first. If it did not, test the two "
			  "ports with ib_write_bw, and try UCX_TLS=rc,self,sm; a later UCX retries "
			  "longer (UCX_UD_TIMEOUT)",
		.confirm = "port, verbs_remote",
		.messages = {{{"transport error: endpoint timeout"}, .from = "openucx/ucx#6253"},
			     {{"ud_iface.c", "endpoint timeout"}, .from = "openucx/ucx#3087"}},
	},
	{
		.name = "queue_full",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "ENOMEM from posting a work request: the queue has no free place, because "
			 "the program posts more than it created the queue for; memlock is not the "
			 "cause",
		.remedy = "ask for longer queues or fewer requests at a time in the program's "
			  "settings, and report it to its authors",
		.confirm = "",
		.from = "ceph/ceph#13509",
		.messages = {{{"post_srq_recv failed", "cannot allocate memory"},
			      .from = "ceph/ceph#13509"}},
		.calls = {{"post_recv", ENOMEM}, {"post_send", ENOMEM}, {"post_srq_recv", ENOMEM}},
	},
	{0},
};
