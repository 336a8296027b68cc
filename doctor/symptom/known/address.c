/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses and routes: two ends that do not find each other by GID or rdma_cm. What proves the
 * causes beside the threads that are named:
 * - gid, no_route: ib_resolve_unicast_gid_dmac in drivers/infiniband/core/verbs.c, by modify_qp;
 *   the time-out is that of addr.c, for a neighbour that does not answer.
 */
#include "doctor/symptom/known.h"

#include <errno.h>

const struct known known_address[] = {
	{
		.name = "gid",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause =
			"the chosen GID does not exist or does not fit the peer's GID: one is RoCE "
			"v1 and the other v2, one IPv4 and the other IPv6, or its slot is empty",
		.remedy =
			"unset NCCL_IB_GID_INDEX (NCCL 2.21.5 and later finds it for each device), "
			"NVSHMEM_IB_GID_INDEX, UCX_IB_GID_INDEX and MC_GID_INDEX; older versions "
			"need the index of a RoCE v2 entry with an IPv4 address (show_gids). Leave "
			"out devices without a GID (NCCL_IB_HCA, UCX_NET_DEVICES)",
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
		.messages = {{{"failed to modify qp to rtr"},
			      .unless = ":",
			      .from = "SymbioticLab/Justitia#3"},
			     {{"failed to modify qp ", " to rt"},
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
		.sureness = MAYBE,
		.alone = true,
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
		.messages =
			{
				{{"failed to modify qp", " to init"},
				 .from = "kvcache-ai/Mooncake#1143"},
			},
	},
	{
		.name = "address_handle",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the HCA made no address handle for the peer: the peer's GID is empty or "
			 "cannot be reached from the chosen GID, or this NVSHMEM does not support "
			 "this HCA",
		.remedy = "run ib_write_bw between the two nodes with the same GID index; if it "
			  "works, try a later NVSHMEM, else set NVSHMEM_IB_GID_INDEX. For UCX name "
			  "the ports that are meant in UCX_NET_DEVICES, and the index in "
			  "UCX_IB_GID_INDEX",
		.confirm = "gid, verbs_remote",
		.from = "NVIDIA/nvshmem#33",
		.messages = {{{"ibv_create_ah(", "failed: invalid argument"},
			      .from = "open-mpi/ompi#9881"},
			     {{"unable to create ah"}, .from = "NVIDIA-NeMo/Megatron-Bridge#5050"}},
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
		.messages = {{{"rdma_bind_addr(", "no such device"},
			      .from = "NVIDIA/cudf-spark#9386"},
			     {{"rdma_create_ep: no such device"},
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
		.name = "cm_device",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "rdma_cm cannot be used here: /dev/infiniband/rdma_cm is not in the "
			 "container or may not be opened, or the node has not loaded rdma_ucm",
		.remedy = "ls -l /dev/infiniband in the container; the device plugin has to give "
			  "rdma_cm beside uverbs; load rdma_ucm on the node",
		.confirm = "uverbs",
		.messages = {{{"rdma_bind_addr: no such file or directory"},
			      .from = "SoftRoCE/rxe-dev#27"},
			     {{"rdma_create_id: no such"}, .from = "rdma-core librdmacm/cma.c"},
			     {{"rdma_create_event_channel failed."}, .from = "ovis-hpc/ldms#124"},
			     {{"rdma_create_event_channel: no such"},
			      .from = "rdma-core librdmacm/examples"},
			     {{"ucx  error", "rdma_create_event_channel"},
			      .from = "UCX src/uct/ib/rdmacm/rdmacm_cm.c"}},
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
		.name = "name_resolution",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "a host's name cannot be resolved, so that the processes are not even "
			 "started there: its pod or Service does not exist yet, the name is "
			 "another one, or no name server answers; RDMA was not tried",
		.remedy = "getent hosts NAME in the pod that prints this; wait until the other "
			  "pods run, and look at the headless Service and the search domains in "
			  "/etc/resolv.conf",
		.confirm = "",
		.messages = {{{"ssh: could not resolve hostname"},
			      .from = "Azure/aks-rdma-infiniband#30"}},
	},
	{
		.name = "ssh",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "ssh, by which mpirun or DeepSpeed starts its processes, cannot log in on "
			 "another host: no sshd runs there, a firewall or NetworkPolicy is "
			 "between, or keys and known_hosts are missing; RDMA was not tried",
		.remedy = "try ssh -o BatchMode=yes to that host by hand, from the same container "
			  "and user: it must not ask; look whether the worker's pod runs sshd, and "
			  "on which port",
		.confirm = "",
		.messages = {{{"ssh -o passwordauthentication=no ",
			       "returned non-zero exit status 255"},
			      .from = "deepspeedai/DeepSpeed#4907"},
			     {{"ssh: connect to host ", ": connection refused"},
			      .from = "OpenSSH ssh.c"},
			     {{"ssh: connect to host ", ": connection timed out"},
			      .from = "OpenSSH ssh.c"},
			     {{"ssh: connect to host ", ": no route to host"},
			      .from = "OpenSSH ssh.c"}},
	},
	{
		.name = "ucx_gid",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "UCX found no valid GID at this index of the HCA's port: the port has no "
			 "address (its network interface is missing here or has none), or "
			 "UCX_IB_GID_INDEX does not fit",
		.remedy = "show_gids in the container: let UCX_NET_DEVICES name the HCAs that have "
			  "an entry, and unset UCX_IB_GID_INDEX or set it to one of theirs",
		.confirm = "gid",
		.messages = {{{"ucx  error invalid gid["}, .from = "openucx/ucx#4966"}},
	},
	{0},
};
