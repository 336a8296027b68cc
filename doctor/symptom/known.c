/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/known.h"

/*
 * What proves the causes:
 * - p2p_blocked: mlx5 reports syndrome 0x04 with vendor error 0x51 where a DMA of the HCA was not
 *   carried out; NCCL's maintainers (NVIDIA/nccl issues 214, 523, 928, 1052) find ACS and the
 *   IOMMU behind it, and printIbWcStatusHint (src/transport/net_ib/common.h) says the same.
 *   Registration does not see it: the NVIDIA driver maps by dma_map_resource, which succeeds.
 * - memlock, memlock_zero: ib_umem_get in drivers/infiniband/core/umem.c, can_do_mlock in
 *   mm/mlock.c.
 * - open_device: ib_uverbs_open in drivers/infiniband/core/uverbs_main.c (rdma_dev_access_netns).
 * - gid, no_route: ib_resolve_unicast_gid_dmac in drivers/infiniband/core/verbs.c, by modify_qp;
 *   the time-out is that of addr.c, for a neighbour that does not answer.
 * - retry_exc: vendor error 129 is 0x81, "transport retry counter exceeded".
 */
const struct known known_symptoms[SYMPTOMS] = {
	[SYMPTOM_P2P_BLOCKED] =
		{
			.name = "p2p_blocked",
			.status = FINDING_FAIL,
			.cause = "IBV_WC_LOC_PROT_ERR with vendor error 81: the HCA could not "
				 "reach GPU memory, since the IOMMU translates or ACS redirects "
				 "its peer-to-peer transfers; no matter of memlock",
			.remedy = "boot with iommu=pt, and clear ACS redirect on the bridges "
				  "between GPU and HCA; it is proven if NCCL_NET_GDR_LEVEL=LOC "
				  "makes it go away",
			.confirm = "iommu_group, acs, iommu_arguments, kernel_log",
		},
	[SYMPTOM_LOC_PROT_ERR] =
		{
			.name = "loc_prot_err",
			.status = FINDING_FAIL,
			.cause =
				"IBV_WC_LOC_PROT_ERR: the HCA was not let at a buffer of this "
				"process; with GPUDirect RDMA that is the IOMMU or ACS, without it "
				"a buffer that was freed or never registered; no matter of memlock",
			.remedy = "run once with NCCL_NET_GDR_LEVEL=LOC: if it goes away, boot "
				  "with iommu=pt and clear ACS redirect; if it stays, report it to "
				  "the authors of the program or its NCCL plugin",
			.confirm = "iommu_group, acs, kernel_log",
		},
	[SYMPTOM_BAD_BUFFER] =
		{
			.name = "bad_buffer",
			.status = FINDING_FAIL,
			.cause = "IBV_WC_LOC_PROT_ERR, but no channel of this log uses GPUDirect "
				 "RDMA: a buffer was freed or never registered; not the IOMMU, not "
				 "ACS, not memlock",
			.remedy = "report it to the authors of the program or of its NCCL plugin; "
				  "another version may do",
			.confirm = "nccl_net_gdr_level",
		},
	[SYMPTOM_REMOTE_ERR] =
		{
			.name = "remote_err",
			.status = FINDING_FAIL,
			.cause = "the peer's HCA could not reach the memory that it was to read or "
				 "write: there, not here, the IOMMU or ACS blocks peer-to-peer "
				 "transfers, or the memory is gone",
			.remedy = "run the doctor on the peer's node; look for the first error in "
				  "the peer's log",
			.confirm = "iommu_group, acs, kernel_log",
		},
	[SYMPTOM_RETRY_EXC] =
		{
			.name = "retry_exc",
			.status = FINDING_FAIL,
			.cause = "IBV_WC_RETRY_EXC_ERR: the peer's HCA did not answer: the peer "
				 "died, its port is down, packets take a way that does not exist "
				 "(GID, route, VLAN, another rail) or are lost (PFC, MTU)",
			.remedy = "look whether the peer's process died first; then test the pair "
				  "with oci-rdma-doctor --listen and --connect, compare GIDs and "
				  "MTU of both ends",
			.confirm = "port, gid, mtu, nccl_ib_gid_index, verbs_remote",
		},
	[SYMPTOM_RNR_RETRY_EXC] =
		{
			.name = "rnr_retry_exc",
			.status = FINDING_FAIL,
			.cause = "IBV_WC_RNR_RETRY_EXC_ERR: the peer answered, but had posted no "
				 "receive buffer for too long: its process is stuck, stopped or "
				 "out of step",
			.remedy = "look at the peer's process and log; the network itself works",
			.confirm = "verbs_remote",
		},
	[SYMPTOM_MEMLOCK] =
		{
			.name = "memlock",
			.status = FINDING_FAIL,
			.cause = "memory could not be registered: the soft RLIMIT_MEMLOCK is too "
				 "low, and CAP_IPC_LOCK does not count here",
			.remedy = "raise RLIMIT_MEMLOCK (oci-rdma-hook does it), soft and hard; "
				  "the limit that holds is the process's, not that of the node or "
				  "of oc exec",
			.confirm = "memlock, ipc_lock, verbs_register",
		},
	[SYMPTOM_MEMLOCK_ZERO] =
		{
			.name = "memlock_zero",
			.status = FINDING_FAIL,
			.cause = "EPERM from registering memory: the soft RLIMIT_MEMLOCK is 0 and "
				 "CAP_IPC_LOCK does not count here",
			.remedy = "raise RLIMIT_MEMLOCK (oci-rdma-hook does it), soft and hard",
			.confirm = "memlock, ipc_lock, verbs_register",
		},
	[SYMPTOM_GPU_MEMORY] =
		{
			.name = "gpu_memory",
			.status = FINDING_FAIL,
			.cause = "EFAULT from ibv_reg_mr: GPU memory was to be registered, and no "
				 "module on the node knows it (nvidia_peermem)",
			.remedy = "load nvidia_peermem on the node, or use dma-buf (open NVIDIA "
				  "kernel modules, Linux 5.12 and rdma-core 34 or later)",
			.confirm = "gpudirect, cuda_gpudirect_rdma, verbs_peermem",
		},
	[SYMPTOM_DMABUF] =
		{
			.name = "dmabuf",
			.status = FINDING_FAIL,
			.cause = "GPU memory could not be registered by dma-buf (which memlock "
				 "does not limit)",
			.remedy = "NCCL_DMABUF_ENABLE=0 falls back to nvidia_peermem; dma-buf "
				  "wants the open NVIDIA kernel modules, Linux 5.12 and an HCA "
				  "driver that can do it",
			.confirm = "gpudirect, cuda_dmabuf, verbs_dmabuf",
		},
	[SYMPTOM_OPEN_DEVICE] =
		{
			.name = "open_device",
			.status = FINDING_FAIL,
			.cause = "an RDMA device is listed but cannot be opened: its uverbs node "
				 "is not allowed for this container (device cgroup), or it is in "
				 "another RDMA network namespace",
			.remedy = "request the device as a resource of the pod, so that its device "
				  "plugin allows it; in exclusive RDMA namespace mode it has to be "
				  "moved into the pod by rdma-cni",
			.confirm = "uverbs, rdma_netns, verbs_open",
		},
	[SYMPTOM_GID] =
		{
			.name = "gid",
			.status = FINDING_FAIL,
			.cause = "the GID that was chosen does not exist or does not fit the "
				 "peer's (RoCE v1 and v2, IPv4 and IPv6, or an empty slot)",
			.remedy = "unset NCCL_IB_GID_INDEX (NCCL 2.21.5 and later finds it for "
				  "each device); with older ones set the index of a RoCE v2 entry "
				  "with an IPv4 address",
			.confirm = "gid, nccl_ib_gid_index, verbs_gid",
		},
	[SYMPTOM_GID_NETDEV] =
		{
			.name = "gid_netdev",
			.status = FINDING_FAIL,
			.cause = "the network interface behind the chosen GID is gone or in "
				 "another network namespace",
			.remedy = "use the RDMA device whose interface is in this pod: NCCL_IB_HCA "
				  "must name only the allocated ones, with = in front",
			.confirm = "gid, rdma_netns, nccl_ib_hca",
		},
	[SYMPTOM_GID_CHANGED] =
		{
			.name = "gid_changed",
			.status = FINDING_WARN,
			.cause = "the GID table changed while NCCL ran: an address of the "
				 "interface came or went",
			.remedy = "look for what changes addresses (DHCP, IPv6 autoconfiguration, "
				  "a second CNI); existing connections break if their GID goes",
			.confirm = "gid",
		},
	[SYMPTOM_NO_ROUTE] =
		{
			.name = "no_route",
			.status = FINDING_FAIL,
			.cause = "the peer's address cannot be reached from the interface of the "
				 "chosen GID: no route, or nobody answers there (another rail's "
				 "subnet, VLAN, or firewall of ARP)",
			.remedy = "ping the peer's RDMA address from this interface (ping -I "
				  "net1); NCCL_CROSS_NIC=0 if the rails are not connected; add "
				  "routes between the rails' subnets",
			.confirm = "gid, nccl_ib_hca, verbs_remote",
		},
	[SYMPTOM_NO_DEVICE] =
		{
			.name = "no_device",
			.status = FINDING_FAIL,
			.cause = "NCCL found no RDMA device with an active port: none is in the "
				 "container, NCCL_IB_HCA names none that is, or libibverbs has no "
				 "driver for it",
			.remedy = "compare NCCL_IB_HCA with the devices here; the pod has to "
				  "request the RDMA resource; the image needs rdma-core's "
				  "providers (ibverbs-providers, libmlx5)",
			.confirm = "rdma_devices, uverbs, port, nccl_ib_hca, verbs_library",
		},
	[SYMPTOM_PORT_EVENT] =
		{
			.name = "port_event",
			.status = FINDING_FAIL,
			.cause = "the HCA reported that its port went down or that the device "
				 "failed",
			.remedy = "look at the cable, the switch and the kernel's log of the node",
			.confirm = "port, kernel_log",
		},
	[SYMPTOM_LIBIBVERBS] =
		{
			.name = "libibverbs",
			.status = FINDING_FAIL,
			.cause = "the image has no libibverbs, so NCCL used sockets",
			.remedy = "install libibverbs1 and ibverbs-providers (Debian) or "
				  "libibverbs and rdma-core (RHEL) in the image",
			.confirm = "verbs_library",
		},
	[SYMPTOM_GDR_OFF] =
		{
			.name = "gdr_off",
			.status = FINDING_WARN,
			.cause = "NCCL does not use GPUDirect RDMA with this HCA: data goes "
				 "through host memory, which is slower but works",
			.remedy = "load nvidia_peermem on the node, or use the open NVIDIA kernel "
				  "modules for dma-buf",
			.confirm = "gpudirect, cuda_gpudirect_rdma, cuda_dmabuf",
		},
	[SYMPTOM_SOCKET_IFNAME] =
		{
			.name = "socket_ifname",
			.status = FINDING_FAIL,
			.cause = "NCCL found no network interface for its bootstrap: "
				 "NCCL_SOCKET_IFNAME matches none here, or none has an address of "
				 "NCCL_SOCKET_FAMILY",
			.remedy = "unset NCCL_SOCKET_IFNAME, or set it to an interface of the pod: "
				  "=eth0",
			.confirm = "nccl_socket_ifname",
		},
	[SYMPTOM_OOB_IFNAME] =
		{
			.name = "oob_ifname",
			.status = FINDING_FAIL,
			.cause = "no interface fits what NCCL_OOB_NET_IFNAME or NCCL_COMM_ID asks "
				 "for",
			.remedy = "unset NCCL_OOB_NET_IFNAME; NCCL_COMM_ID must be an address that "
				  "this pod's interfaces reach",
			.confirm = "nccl_socket_ifname",
		},
	[SYMPTOM_BOOTSTRAP] =
		{
			.name = "bootstrap",
			.status = FINDING_FAIL,
			.cause = "NCCL's bootstrap, plain TCP, did not reach a peer: no RDMA was "
				 "used yet",
			.remedy = "let NCCL_SOCKET_IFNAME name the pod network (=eth0), the same "
				  "on all ranks; look at network policies, and whether the peer "
				  "still runs",
			.confirm = "nccl_socket_ifname",
		},
	[SYMPTOM_NO_NETWORK] =
		{
			.name = "no_network",
			.status = FINDING_FAIL,
			.cause = "NCCL_NET or NCCL_NET_PLUGIN asks for a network that NCCL cannot "
				 "use here",
			.remedy = "unset NCCL_NET and NCCL_NET_PLUGIN, then look which message "
				  "about devices is left",
			.confirm = "nccl_net, rdma_devices",
		},
	[SYMPTOM_PLUGIN] =
		{
			.name = "plugin",
			.status = FINDING_WARN,
			.cause = "NCCL's network plugin is in the image but could not be used: a "
				 "library that it needs is missing, or it is made for another NCCL",
			.remedy = "use the plugin of the image's NCCL version, or "
				  "NCCL_NET_PLUGIN=none for the internal one",
			.confirm = "nccl_net, verbs_library",
		},
	[SYMPTOM_IOMMU_FAULT] =
		{
			.name = "iommu_fault",
			.status = FINDING_FAIL,
			.cause = "the IOMMU refused a device's transfer: with GPUDirect RDMA this "
				 "is the HCA on its way to GPU memory",
			.remedy = "boot with iommu=pt (x86) or iommu.passthrough=1 (Arm)",
			.confirm = "iommu_group, iommu_arguments, kernel_log",
		},
	[SYMPTOM_CUDA] =
		{
			.name = "cuda",
			.status = FINDING_FAIL,
			.cause = "the CUDA driver did not start: NCCL did not get as far as RDMA",
			.remedy = "mend the GPU first: same driver version in kernel and "
				  "container, fabric manager running, nvidia-smi works",
			.confirm = "cuda_library, cuda_init, cuda_gpu",
		},
	[SYMPTOM_FLUSHED] =
		{
			.name = "flushed",
			.status = FINDING_FAIL,
			.consequence = true,
			.cause = "IBV_WC_WR_FLUSH_ERR: the connection had failed before; this is "
				 "what was still queued",
			.remedy = "look for the first error, maybe in another rank's log",
			.confirm = "",
		},
	[SYMPTOM_UNHANDLED] =
		{
			.name = "unhandled",
			.status = FINDING_FAIL,
			.consequence = true,
			.cause = "NCCL gave up, and this line does not say why: the reason was "
				 "logged before, maybe by another rank",
			.remedy = "run with NCCL_DEBUG=INFO, and give the logs of all ranks to "
				  "oci-rdma-doctor --symptom",
			.confirm = "",
		},
};
