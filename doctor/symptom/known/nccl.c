/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NCCL, and PyTorch above it. What proves the causes beside the threads
 * that are named:
 * - gdr_off: "Disabled for GPU ... (distance 4 > 3)" is of each pair that is not used, and normal.
 * - plugin: a libnccl-net.so that is not in the image is normal.
 */
#include "doctor/symptom/known.h"

const struct known known_nccl[] = {
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
		.name = "libcuda",
		.status = FINDING_WARN,
		.sureness = MAYBE,
		.alone = true,
		.cause = "NCCL finds no libcuda.so: the container was started without GPUs, or the "
			 "driver's library is where the linker does not look (WSL: "
			 "/usr/lib/wsl/lib); RDMA is not the cause",
		.remedy = "ldconfig -p | grep libcuda in the container; start it with GPUs "
			  "(nvidia.com/gpu, --gpus), or name the directory in NCCL_CUDA_PATH",
		.confirm = "cuda_library",
		.messages = {{{"failed to find cuda library libcuda.so"},
			      .from = "vllm-project/vllm#3710"}},
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
		.messages = {{{"net/ib", "gpu direct rdma disabled for hca"},
			      .from = "NVIDIA/nccl#1537"},
			     {{"libfabric", "gpu direct rdma disabled for hca"},
			      .from = "NVIDIA/nccl#1537"},
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
			     {{"nccl info call to connect returned connection timed out"},
			      .from = "Oneflow-Inc/oneflow#3586"},
			     {{"nccl warn", "connect: exceeded "},
			      .from = "NCCL src/misc/socket.cc"},
			     {{"nccl warn", "onnect to ", " failed : "},
			      .from = "NCCL 2.4 src/include/socket.h"}},
	},
	{
		.name = "bootstrap_silent",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "a system call of NCCL's bootstrap, which uses plain TCP, failed, and "
			 "this line does not say which: a peer could not be reached or ended",
		.remedy =
			"look for the first NCCL WARN of any rank; set NCCL_SOCKET_IFNAME to the "
			"interface between the nodes (=eth0) on all ranks, and look whether the "
			"peers still run and their ports can be reached (NetworkPolicy, firewall)",
		.confirm = "nccl_socket_ifname",
		/* ncclSystemError, handed up */
		.messages = {{{"nccl info bootstrap.cc:", " -> 2"}, .from = "NVIDIA/nccl#1099"}},
	},
	{
		.name = "rank_twice",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause =
			"the ranks' numbers do not fit each other: two processes have the same "
			"rank, or they were told different numbers of ranks; RDMA is not the cause",
		.remedy = "print RANK, LOCAL_RANK and WORLD_SIZE (SLURM_PROCID, SLURM_NTASKS) of "
			  "every process: the launcher's tasks for a node have to be the program's "
			  "GPUs for a node, and each node needs its own --node_rank; end what is "
			  "left of an earlier run",
		.confirm = "",
		.messages = {{{"bootstrap root", " has already checked in"},
			      .from = "Lightning-AI/pytorch-lightning#14986"},
			     {{"bootstrap root", "mismatch in rank count"},
			      .from = "NCCL src/bootstrap.cc"}},
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
		.name = "cuda",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the CUDA driver did not start, so that NCCL has not used RDMA yet",
		.remedy = "make the GPU work first: kernel and container need the same driver "
			  "version, NVSwitch systems a running fabric manager; nvidia-smi in the "
			  "container shows it",
		.confirm = "cuda_library, cuda_init, cuda_gpu",
		.messages = {{{"error code system not yet initialized"},
			      .from = "NVIDIA/gpu-operator#1043"},
			     {{"cuda failure", "no cuda-capable device is detected"},
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
		.messages = {{{"some nccl operations have failed or timed out"},
			      .from = "karpathy/nanoGPT#55"},
			     {{"detected by watchdog at work"}, .from = "sgl-project/sglang#3932"},
			     {{"watchdog caught collective operation timeout"},
			      .from = "hiyouga/LlamaFactory#7396"}},
	},
	{
		.name = "nvls",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "NVLink SHARP (NVLS), the multicast of NVSwitch, does not work on this "
			 "node: the fabric manager does not run or failed, or the container lacks "
			 "the IMEX channels; RDMA is not the cause",
		.remedy = "systemctl status nvidia-fabricmanager on the node, and nvidia-smi -q "
			  "(Fabric: State); restart it or the node. This is the cause if the error "
			  "goes away with NCCL_NVLS_ENABLE=0 (NVSHMEM_DISABLE_NVLS=1)",
		.confirm = "",
		.messages = {{{"nvlink fabric state cached by the driver is out of sync"},
			      .from = "NVIDIA/nvshmem#40"},
			     {{"_nvls.cpp", "cumemmap failed to map"}, .from = "NVIDIA/nvshmem#40"},
			     {{"failed to bind nvlink sharp"}, .from = "pytorch/pytorch#177472"},
			     {{"nvls.cc", "cuda failure"}, .from = "NVIDIA/nccl#1488"}},
	},
	{
		.name = "sharp",
		.status = FINDING_WARN,
		.sureness = LIKELY,
		.cause = "NCCL cannot use SHARP, the switches' reduction: the fabric does not "
			 "offer it, its aggregation manager does not run, or other jobs hold its "
			 "trees; NCCL then goes on without it, unless NCCL_ALGO asks for CollNet",
		.remedy = "look at sharp_am.log on the node of the subnet manager; "
			  "NCCL_COLLNET_ENABLE=0 leaves SHARP out",
		.confirm = "",
		.messages = {{{"sharp group create: streaming tree lock failed"},
			      .from = "NVIDIA/nccl#1219"},
			     {{"failed to lock sat tree"}, .from = "NVIDIA/nccl#1219"},
			     {{"sharp coll init error"}, .from = "NVIDIA/nccl#1050"},
			     {{"cannot initialize collnet, using"}, .from = "NVIDIA/nccl#1050"}},
	},
	{
		.name = "nccl_algorithm",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "NCCL_ALGO or NCCL_PROTO allows nothing that NCCL can use here: CollNet "
			 "without a SHARP plugin, NVLS without NVSwitch, Tree for another call "
			 "than AllReduce",
		.remedy = "unset NCCL_ALGO and NCCL_PROTO; if neither was set, try "
			  "NCCL_COLLNET_ENABLE=0 or another version of NCCL",
		.confirm = "",
		.messages = {{{"no algorithm/protocol available"}, .from = "NVIDIA/nccl#653"}},
	},
	{
		.name = "nccl_topology",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "NCCL (RCCL) cannot use the topology of this node: a file that it was "
			 "given is of another kind of node or of another NCCL, or a virtual "
			 "machine shows one that is not complete",
		.remedy = "unset NCCL_TOPO_FILE (and NCCL_GRAPH_FILE), and look whether the NCCL "
			  "plugin of the image brings one of its own that fits this instance type",
		.confirm = "",
		.messages = {{{"failed to find reverse path from remnode"},
			      .from = "ROCm/rccl#1728"},
			     {{"nccl warn attribute ", " not found"},
			      .from = "awslabs/awsome-distributed-ai#519"}},
	},
	{
		.name = "gpu_memory_full",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "a GPU has no memory left, so that buffers could not be made; the network "
			 "is not the cause",
		.remedy = "nvidia-smi in the container shows who uses the memory; use a smaller "
			  "batch or model part, or leave more memory free (for vLLM "
			  "--gpu-memory-utilization)",
		.confirm = "",
		.messages = {{{"cuda failure", "out of memory"}, .from = "NVIDIA/nccl#1235"},
			     {{"failed to cuda calloc"}, .from = "NVIDIA/nccl#1235"},
			     {{"cuda out of memory"},
			      .from = "PyTorch c10/cuda/CUDACachingAllocator.cpp"}},
	},
	{
		.name = "gpu_peer",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "one GPU cannot use another's memory: these GPUs have no peer access, too "
			 "many have it already, or their processes are in containers that do not "
			 "share GPUs and the IPC namespace; RDMA is not the cause",
		.remedy = "nvidia-smi topo -p2p r shows which pairs can; this is the cause if the "
			  "error goes away with NCCL_P2P_DISABLE=1",
		.confirm = "",
		.messages = {{{"failed to open cuda ipc handle"},
			      .from = "ray-project/ray_lightning#24"},
			     {{"peer access is not supported between"},
			      .from = "ray-project/ray_lightning#24"},
			     {{"peer mapping resources exhausted"},
			      .from = "NVIDIA/nccl-tests#324"},
			     {{"cumemimportfromshareablehandle", "failed"},
			      .from = "NVIDIA/nccl#1647"}},
	},
	{
		.name = "torchrun",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause =
			"PyTorch does not find RANK, WORLD_SIZE, MASTER_ADDR or MASTER_PORT in the "
			"environment: the program was not started by torchrun, which sets them; "
			"no network was used yet",
		.remedy = "start it with torchrun --nproc-per-node N (and --nnodes, "
			  "--rdzv-endpoint), or set these variables; mpirun and srun do not",
		.confirm = "",
		.messages = {{{"environment variable ", " expected, but not set"},
			      .from = "vllm-project/vllm#7466"}},
	},
	{
		.name = "shm_bus",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "SIGBUS: a process used shared memory for which /dev/shm has no room (a "
			 "container has 64 MiB by default); more rarely a file that was cut short "
			 "behind an mmap",
		.remedy = "df /dev/shm in the container while the program runs; mount an emptyDir "
			  "with medium: Memory there (podman: --shm-size). A run with "
			  "NCCL_SHM_DISABLE=1 that works confirms it",
		.confirm = "",
		.messages = {{{"signal 7 (sigbus)"}, .from = "hiyouga/LlamaFactory#2206"},
			     {{"insufficient shared memory (shm)"},
			      .from = "PyTorch torch/csrc/DataLoader.cpp"},
			     {{"(bus error", "nonexistent physical address"},
			      .from = "hiyouga/LlamaFactory#2206"},
			     {{"exitcode: -7"}, .from = "NVIDIA/Megatron-LM#516"}},
	},
	{
		.name = "peer_closed",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "a peer of this process went away: it failed or was killed before, for a "
			 "reason that its own log has, or the network between them broke; NCCL "
			 "before 2.27.3 also gives up where a port scanner connects to its port",
		.remedy = "look for the first error of the rank at this address, and for an OOM "
			  "kill (oc describe pod, dmesg); then run with NCCL_DEBUG=INFO and give "
			  "the logs of all ranks",
		.confirm = "",
		.messages = {{{" warn call to recv failed : connection reset"},
			      .from = "horovod/horovod#210"},
			     {{"call to recv from ", ": connection timed out"},
			      .from = "horovod/horovod#3611"},
			     {{"call to send to ", ": connection timed out"},
			      .from = "NCCL src/misc/socket.cc"},
			     {{"call to recv from ", ": broken pipe"},
			      .from = "NCCL src/misc/socket.cc"},
			     {{"call to recv from ", ": no route to host"},
			      .from = "NCCL src/misc/socket.cc"},
			     {{"store->get('", "got error: connection reset by peer"},
			      .from = "hiyouga/LlamaFactory#2470"},
			     {{"store->get('", "got error: broken pipe"},
			      .from = "PyTorch ProcessGroupNCCL.cpp"},
			     {{"connection closed by remote peer"}, .from = "NVIDIA/nccl#1612"},
			     {{"nccl warn", "connection reset by peer"},
			      .from = "NVIDIA/nccl-tests#185"},
			     {{"remote process exited or there was a network error"},
			      .from = "NCCL src/init.cc"}},
	},
	{
		.name = "socket_bridge",
		.status = FINDING_WARN,
		.sureness = LIKELY,
		.cause = "NCCL uses a virtual bridge of the host (virbr0, br-*) as network, whose "
			 "address is the same on many nodes or leads nowhere",
		.remedy = "set NCCL_SOCKET_IFNAME to the interface between the nodes (=eth0)",
		.confirm = "nccl_socket_ifname",
		.messages = {{{"net/socket", "virbr"}, .from = "ray-project/ray#40850"},
			     {{"nccl info bootstrap", "virbr"}, .from = "ray-project/ray#40850"}},
	},
	{
		.name = "unhandled",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.alone = true,
		.cause = "NCCL gave up, and this line does not say why: in most logs the reason is "
			 "in a line before it, possibly of another rank",
		.remedy = "run with NCCL_DEBUG=INFO, and give the logs of all ranks to "
			  "oci-rdma-doctor --symptom",
		.confirm = "",
		.messages = {{{"unhandled system error"}, .from = "NCCL src/init.cc"},
			     {{"error encountered progressing operation="},
			      .from = "NVIDIA/Megatron-LM#450"}},
		.turns = {{FACT_GID_0, FACT_IB_LINK, "gid_forced"}},
	},
	{
		.name = "ranks_differ",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "two ranks disagree on what they exchange: the program calls other "
			 "collectives or other sizes on one of them, their NCCL versions or NCCL_ "
			 "variables differ, or the HCA reorders what it writes (PCI_WR_ORDERING is "
			 "forced)",
		.remedy = "compare \"NCCL version\" and every NCCL_ variable in the logs of all "
			  "ranks (NCCL_DEBUG=INFO), then the program's collectives; mlxconfig -d "
			  "DEVICE query has to show PCI_WR_ORDERING per_mkey",
		.confirm = "",
		.messages = {{{"collective mismatch error"}, .from = "NVIDIA/nccl#969"},
			     {{"nccl warn", "mismatched collective detected"},
			      .from = "NVIDIA/nccl#296"},
			     {{"nccl warn", "message truncated : receiv"},
			      .from = "NVIDIA/nccl#268"}},
	},
	{
		.name = "socket_family",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "NCCL has no usable address for its sockets: this process or its peer has "
			 "no interface with an IP address that NCCL may use, or one of them has "
			 "IPv4 and the other IPv6 alone",
		.remedy = "compare the lines \"Bootstrap : Using\" and \"OOB\" of all ranks "
			  "(NCCL_DEBUG=INFO) with ip addr in their containers; set "
			  "NCCL_SOCKET_IFNAME to the pod network's interface (=eth0) and "
			  "NCCL_SOCKET_FAMILY=AF_INET on all",
		.confirm = "nccl_socket_ifname",
		.messages = {{{"socket creation failed : address family not supported"},
			      .from = "NVIDIA/nccl#210"}},
	},
	{0},
};
