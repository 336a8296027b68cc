/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device that is missing, or cannot be opened. What proves the causes beside the threads
 * that are named:
 * - open_device: ib_uverbs_open in drivers/infiniband/core/uverbs_main.c (rdma_dev_access_netns).
 */
#include "doctor/symptom/known.h"

const struct known known_device[] = {
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
		.messages = {{{"sys files not found (/sys/class/infiniband"},
			      .from = "clustervision/trinity#219"},
			     {{"no ib devices found"}, .from = "kvcache-ai/Mooncake#75"},
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
		.name = "libraries_mixed",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "libraries that are loaded together do not fit one another: UCX, "
			 "libibverbs or its provider was built with another version of the RDMA "
			 "libraries (MLNX_OFED, DOCA or the distribution's) than the image has, or "
			 "comes from the host, whose C library is another",
		.remedy = "ldd on the library that the message names, and ldconfig -p, show what "
			  "is loaded; take all RDMA libraries from one source, and build UCX or "
			  "MPI with these",
		.confirm = "verbs_library",
		.messages = {{{"version `glibc_", "/libibverbs"}, .from = "glibc elf/dl-version.c"},
			     {{"version `glibc_", "/libmlx5"}, .from = "glibc elf/dl-version.c"},
			     {{"symbol lookup error", "undefined symbol: uct_"},
			      .from = "openucx/ucx#4883"},
			     {{"symbol lookup error", "undefined symbol: ibv_"},
			      .from = "openucx/ucx#4883"},
			     {{"symbol lookup error", "undefined symbol: mlx5dv_"},
			      .from = "openucx/ucx#5469"},
			     {{"relocation error", "libmlx5.so"}, .from = "openucx/ucx#5469"},
			     {{"couldn't load driver", "not defined in file"},
			      .from = "microsoft/Freeflow#16"},
			     {{"couldn't load driver", "undefined symbol"},
			      .from = "microsoft/Freeflow#16"},
			     {{"version `ibverbs_", "not found"}, .from = "glibc elf/dl-version.c"},
			     {{"version `mlx5_", "not found"}, .from = "glibc elf/dl-version.c"}},
	},
	{
		.name = "verbs_ioctl",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the kernel's RDMA driver does not know a call of the image's RDMA "
			 "libraries: these belong to another driver (MLNX_OFED's experimental "
			 "verbs, for example) than the node has loaded",
		.remedy = "compare ofed_info -s and rpm -q libibverbs (dpkg -l libibverbs1) in the "
			  "container with modinfo -F version mlx5_core on the node; install the "
			  "same source's libraries, and build UCX with them",
		.confirm = "verbs_library",
		.messages =
			{
				{{"ibv_exp_", "inappropriate ioctl for device"},
				 .from = "openucx/ucx#5469"},
			},
	},
	{
		.name = "mad_port",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the tool cannot send management datagrams (MADs) on this port: the port "
			 "is Ethernet (RoCE has none), /dev/infiniband/umad is missing or not "
			 "permitted, or ib_umad is not loaded",
		.remedy = "ibstat or rdma link: on a RoCE port leave this tool out. On InfiniBand "
			  "modprobe ib_umad on the node, and run the tool as root with its "
			  "/dev/infiniband/umad",
		.confirm = "port",
		.messages = {{{"mad_rpc_open_port: client_register for mgmt"},
			      .from = "treydock/infiniband_exporter#26"},
			     {{"can't open mad port"}, .from = "treydock/infiniband_exporter#26"},
			     {{"mad_rpc_open_port: can't open umad port"},
			      .from = "rdma-core libibmad/rpc.c"},
			     {{"failed to open '", "' port '"},
			      .from = "treydock/infiniband_exporter#26"}},
	},
	{0},
};
