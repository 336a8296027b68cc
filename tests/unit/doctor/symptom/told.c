/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a log */
#include "suite.h"

static void evidence_names_line_and_count(void **state)
{
	static const char text[] =
		"a\n\nx Got completion from peer p with status=12 vendor err 129\n"
		"b\nx Got completion from peer p with status=12 vendor err 129\n"
		"x Got completion from peer p with status=12 vendor err 129\n";
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};
	struct err err = {0};

	(void)state;
	assert_int_equal(symptom_explain(&findings, text, strlen(text), &err), 0);
	assert_string_equal(subjects(&findings), "retry_exc");
	assert_has(
		findings.item[0].evidence,
		"; line 3 and 2 more: x Got completion from peer p with status=12 vendor err 129");
}

static void p2p_clears_memlock(void **state)
{
	static const char text[] = "status=4 vendor err 81";
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};
	struct err err = {0};

	(void)state;
	assert_int_equal(symptom_explain(&findings, text, strlen(text), &err), 0);
	assert_has(findings.item[0].evidence, "the memlock limit is not the cause");
	assert_has(findings.item[0].evidence, "IOMMU");
	assert_has(findings.item[0].remedy, "NCCL_NET_GDR_LEVEL=LOC");
	assert_has(findings.item[0].remedy, "confirmed by: iommu_group");
}

static void nothing_is_not_checkable(void **state)
{
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};
	struct err err = {0};

	(void)state;
	assert_int_equal(symptom_explain(&findings, "", 0, &err), 0);
	assert_int_equal(findings.n, 1);
	assert_int_equal(findings.item[0].status, FINDING_UNCHECKED);
}

static const char healthy[] =
	"trainer-0:7:7 [0] NCCL INFO Bootstrap : Using eth0:10.128.2.7<0>\n"
	"trainer-0:7:7 [0] NCCL INFO cudaDriverVersion 12080\n"
	"NCCL version 2.26.3+cuda12.8\n"
	"trainer-0:7:30 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal "
	"network "
	"plugin.\n"
	"trainer-0:7:30 [0] NCCL INFO NCCL_IB_HCA set to =mlx5_6,mlx5_7\n"
	"trainer-0:7:30 [0] NCCL INFO NET/IB : Using [0]mlx5_6:1/RoCE [1]mlx5_7:1/RoCE [RO]; OOB "
	"eth0:10.128.2.7<0>\n"
	"trainer-0:7:30 [0] NCCL INFO Using network IB\n"
	"trainer-0:7:30 [0] NCCL INFO DMA-BUF is available on GPU device 0\n"
	"trainer-0:7:30 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_6'\n"
	"trainer-0:7:30 [0] NCCL INFO GPU Direct RDMA Disabled for GPU 4 / HCA 0 (distance 7 > 4)\n"
	"trainer-0:7:31 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA\n"
	"trainer-0:7:31 [0] NCCL INFO NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 1047 mtu 5 "
	"query_ece={supported=1, vendor_id=0x15b3, options=0x30000002, comp_mask=0x0} GID 3 "
	"(0/703000AFFFF0000) fifoRkey=0x15e6c5 fifoLkey=0x15e6c5\n"
	"trainer-0:7:30 [0] NCCL INFO Connected all rings\n"
	"trainer-0:7:30 [0] NCCL INFO ncclCommInitRank comm 0x558 rank 0 nranks 16 cudaDev 0 "
	"nvmlDev 0 "
	"busId 18000 commId 0x1 - Init COMPLETE\n";

static void healthy_log_is_not_ok_but_unknown(void **state)
{
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};
	struct err err = {0};

	(void)state;
	assert_int_equal(symptom_explain(&findings, healthy, strlen(healthy), &err), 0);
	assert_int_equal(findings.n, 1);
	assert_int_equal(findings.item[0].status, FINDING_UNCHECKED);
	assert_has(findings.item[0].evidence,
		   "nothing known, and nothing that looks like an error, in 14 lines");
	assert_has(findings.item[0].remedy, "logs of all ranks");
}

static void told(struct findings *findings, const char *text)
{
	struct err err = {0};

	assert_int_equal(symptom_explain(findings, text, strlen(text), &err), 0);
}

/* A log that shows nothing known: the line to look at, and what to run next. */
static const struct unknown_case {
	const char *name;
	const char *text;
	const char *evidence;
	const char *remedy;
} unknown_cases[] = {
	{"symptom: unknown, the first line that looks like an error is shown",
	 "all is well\nfoo: operation failed: reason 42\nERROR again\n",
	 "nothing known in 3 lines; the first that looks like an error is line 2: foo: operation "
	 "failed",
	 "oci-rdma-doctor in the container"},
	{"symptom: unknown, NCCL without NCCL_DEBUG=INFO",
	 "RuntimeError: NCCL communicator was aborted on rank 3.", "line 1: RuntimeError",
	 "NCCL_DEBUG=INFO"},
	{"symptom: unknown, NCCL with it", "n1:1:2 [0] NCCL INFO x\nn1:1:2 [0] NCCL WARN y failed",
	 "line 2: n1", "logs of all ranks, from their beginning"},
	{"symptom: unknown, what NCCL only informs of is no error",
	 "n1:1:2 [0] NCCL INFO x failed\nfoo failed", "line 2: foo failed", "logs of all ranks"},
	{"symptom: unknown, UCX", "x.c:1  UCX  ERROR something failed", "line 1", "UCX_LOG_LEVEL"},
	{"symptom: unknown, NVSHMEM", "NVSHMEM something failed", "line 1", "NVSHMEM_DEBUG"},
	{"symptom: unknown, a pod's events", "Warning FailedScheduling 1s default-scheduler x",
	 "line 1", "oc describe pod"},
	{"symptom: unknown, NIXL over UCX", "y\nnixlBackendError: NIXL_ERR_BACKEND", "line 2",
	 "NIXL_LOG_LEVEL=DEBUG"},
	{"symptom: unknown, the area is that of the line that is quoted",
	 "x.c:1  UCX  ERROR y failed\nthe nixl_agent goes on", "line 1", "UCX_TLS=rc,self,sm"},
	{"symptom: unknown, libfabric", "libfabric:1:core: error x", "line 1", "FI_LOG_LEVEL"},
	{"symptom: unknown, storage", "rdma.c:3274:nvmf_rdma_poll_group_create: *ERROR*: failed",
	 "line 1", "kernel's target"},
	{"symptom: unknown, the node's driver", "mlx5_core 0000:61:00.0: X(0x710) failed", "line 1",
	 "dmesg -T"},
	{"symptom: unknown, the fabric", "sharp_am[1]: Local Port validation failed", "line 1",
	 "sminfo"},
	{"symptom: unknown, an engine",
	 "Error: open executable: Operation not permitted: OCI "
	 "permission denied",
	 "line 1", "command and args of the pod"},
	{"symptom: unknown, MPI", "MPI startup(): x failed", "line 1", "pml_base_verbose"},
	{"symptom: unknown, CUDA before NCCL", "NCCL WARN Cuda failure 1 'x'", "line 1",
	 "nvidia-smi"},
	{"symptom: unknown, CollNet is not Lustre's LNet", "x NCCL WARN Cannot initialize CollNet",
	 "line 1", "NCCL_COLLNET_ENABLE=0"},
	{"symptom: unknown, TCP", "x: failed: No route to host", "line 1", "ip route get"},
	{"symptom: unknown, a driver's installation", "dkms: x failed", "line 1", "kernel headers"},
	{"symptom: unknown, the tools", "ib_write_bw: x failed", "line 1", "show_gids"},
	{"symptom: unknown, words that hold others: no RoCE, no orted",
	 "process 7 failed\nthe run was aborted", "line 1: process 7",
	 "in the container that wrote this log"},
	/* A program's own word for trouble */
	{"symptom: unknown, NCCL's WARN without a word for an error",
	 "h:1:2 [0] misc/x.cc:1 NCCL WARN the moon is full", "line 1: h:1:2", "logs of all ranks"},
	{"symptom: unknown, klog's E", "I0325 13:39:01.1 1 x.go:1] a\nE0325 13:39:02.1 1 x.go:2] b",
	 "line 2: E0325", "in the container"},
	{"symptom: unknown, glog's E with a year", "E20260821 12:30:19.43 x.cpp:1] b",
	 "line 1: E2026", "in the container"},
	{"symptom: unknown, no letter of klog's: a word that ends in E", "NODE0325 13:39:02 b",
	 "nothing that looks like an error", "in the container"},
	{"symptom: unknown, an error is told before a warning",
	 "level=warning msg=a\nlevel=error msg=b", "line 2: level=error", "in the container"},
	{"symptom: unknown, what a program calls information is no error of it",
	 "level=info msg=\"error: a\"\nlevel=error msg=b", "line 2: level=error",
	 "in the container"},
	{"symptom: unknown, a line that says why is told before one that does not",
	 "Error: it is over\nlevel=warning msg=\"bind: address already in use\"",
	 "tells most, line 2: level=warning", "ss -ltnp"},
	/* Reason and object */
	{"symptom: unknown, a port in use", "x: listen tcp :1: bind: Address already in use",
	 "another process already listens", "ss -ltnp"},
	{"symptom: unknown, /dev/shm of another user",
	 "x: shm_open(/dev/shm/y) failed: Permission denied", "belongs to another user",
	 "ls -ln /dev/shm"},
	{"symptom: unknown, a device file",
	 "x: open /dev/infiniband/uverbs0 failed: Operation not permitted", "device cgroup",
	 "request the device's resource"},
	{"symptom: unknown, the reason is a number", "x failed, rc: -98",
	 "another process already listens", "ss -ltnp"},
	{"symptom: unknown, of two reasons the one at the end counts",
	 "x: no such file or directory: retry failed: Connection refused", "nothing listens",
	 "ss -ltn"},
	{"symptom: unknown, a network's address in use is no port",
	 "error adding container to network \"macvlan-conf\": address already in use",
	 "the interface below it", "oc get network-attachment-definition"},
	{"symptom: unknown, a queue has no address that does not answer",
	 "ib_iface.c:1138 UCX  ERROR ibv_create_cq(cqe=256) failed: Connection timed out",
	 "the HCA's firmware did not answer", "dmesg -T | grep mlx5"},
	{"symptom: unknown, a Unix socket is cut by no firewall",
	 "transport error: write unix /var/lib/kubelet/x.sock->@: write: broken pipe",
	 "the service behind this socket", "systemctl status"},
	{"symptom: unknown, GPU memory that is mapped already is no file",
	 "cuda_ipc_cache.c:166  Fatal: failed to open ipc mem handle (Element already exists)",
	 "mapped that GPU memory", "UCX_TLS=^cuda_ipc"},
	{"symptom: unknown, a program that the image has not",
	 "runc create failed: exec: \"/x\": executable file not found in $PATH",
	 "the program is not in the image", "command and args"},
	{"symptom: unknown, where an error came through NCCL",
	 "h:1:2 [2] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC\n"
	 "h:1:2 [2] NCCL INFO graph/paths.cc:312 -> 3",
	 "line 2", "NCCL_TOPO_DUMP_FILE"},
	{"symptom: unknown, the operator's tool is no device plugin",
	 "I0907 09:51:27.066132 1 utils.go:749] RunCommand(): -E- Failed to open the device",
	 "the SR-IOV network operator", "lastSyncError"},
	{"symptom: unknown, newuidmap",
	 "newuidmap: write to uid_map failed: Operation not permitted", "newuidmap may not write",
	 "getcap"},
	{"symptom: unknown, the runtime's BPF program",
	 "runc create failed: error setting cgroup config: load program: permission denied", "BPF",
	 "lockdown"},
	{"symptom: unknown, a label that a file system cannot keep",
	 "x <error>: Failed to set context system_u:x on /data/x: Operation not supported",
	 "SELinux labels", "findmnt"},
	{"symptom: unknown, NRI's socket",
	 "error: dial unix /var/run/nri/nri.sock: connect: no such file or directory",
	 "NRI disabled", "enable_nri = true"},
	{"symptom: unknown, an engine that may not write cgroups",
	 "Container creation error: writing file devices.allow: Operation not permitted",
	 "may not be written", "uid_map"},
	{"symptom: unknown, a cgroup without its controller",
	 "runc create failed: openat2 /sys/fs/cgroup/a.slice/cpu.weight: no such file or directory",
	 "the controller is not enabled", "cgroup.subtree_control"},
	{"symptom: unknown, an NRI plugin that is slow",
	 "closing plugin 10-x, failed to handle event 11: context deadline exceeded",
	 "plugin_request_timeout", "required plugins"},
	{"symptom: unknown, torch's store",
	 "from [0] via c10d key-value store, but store->get('0') got error: Socket Timeout",
	 "came late or has died", "MASTER_PORT"},
	{"symptom: unknown, whatever timed out", "x failed: timed out", "no answer in time",
	 "ping it"},
	{"symptom: unknown, NVMe's options",
	 "Failed to write to /dev/nvme-fabrics: Invalid argument", "nvme-rdma is not loaded",
	 "modinfo nvme_rdma"},
	{"symptom: unknown, NVMe over the wrong interface",
	 "Failed to write to /dev/nvme-fabrics: Connection reset by peer", "no RDMA listener",
	 "nvmetcli ls"},
	{"symptom: unknown, NVMe's module",
	 "Failed to open /dev/nvme-fabrics: No such file or directory", "not loaded",
	 "modprobe nvme-rdma"},
	{"symptom: unknown, RDMA that is refused",
	 "nvme nvme1: Connect rejected: status 8 (invalid service ID).",
	 "no program listens at that address", "cm_id"},
	{"symptom: unknown, more functions than the device has",
	 "-bash: echo: write error: Numerical result out of range", "sriov_totalvfs", "NUM_OF_VFS"},
	{"symptom: unknown, a module of another kernel",
	 "insmod: ERROR: could not insert module x.ko: Invalid module format",
	 "another module already has", "vermagic"},
	{"symptom: unknown, a security profile is no peer",
	 "runc: apparmor failed to apply profile: write /proc/self/attr/apparmor/exec: no such "
	 "file "
	 "or directory",
	 "does not take the security profile", "aa-status"},
	{"symptom: unknown, a program's own /proc is no peer",
	 "level=error msg=\"get handle to /proc/thread-self/fd: operation not permitted\"",
	 "its own files below /proc", "mountinfo"},
	{"symptom: unknown, a peer's process is one",
	 "x: open /proc/4711/mem: operation not permitted", "may not reach into its peer",
	 "ptrace_scope"},
	{"symptom: unknown, a program of another machine", "Error: exec /x: exec format error",
	 "for another processor", "uname -m"},
	{"symptom: unknown, a GPU without room for a MIG device",
	 "error creating GPU instance for '1g.20gb': Insufficient Resources", "no room left",
	 "nvidia-smi mig -lgi"},
	{"symptom: unknown, a library's resources",
	 "jucx.UcxException: No resources are available to initiate the operation",
	 "most often /dev/shm", "df -h /dev/shm"},
	{"symptom: unknown, CUDA that does not start",
	 "h:1:2 [0] init.cc:263 NCCL WARN Cuda failure 'initialization error'", "program forked",
	 "has to spawn"},
	{"symptom: unknown, CUDA that refuses",
	 "Call to cuMemCreate( &prop, 0 ) failed (Cu failure: operation not permitted)",
	 "IMEX channel", "NCCL_MNNVL_ENABLE=0"},
	{"symptom: unknown, of two reasons at the end the longer counts",
	 "[W socket.cpp:401] [c10d] The server socket cannot be initialized on [::]:29501 (errno: "
	 "97 - Address family not supported by protocol).",
	 "the address is of a family", "getent ahosts"},
	{"symptom: unknown, a number at the line's end",
	 "nvme_rdma.c: 503:nvme_rdma_resolve_addr: *ERROR*: rdma_resolve_addr, 98",
	 "already has that local address and port", "rdma resource show cm_id"},
	{"symptom: unknown, a negative number at the line's end",
	 "libfabric:5:1::cxi:mr:cxip_do_map():90<warn> x1: cxil_map() failed: -22",
	 "does not take this value; it comes from libfabric's memory registration",
	 "fi_info -p PROVIDER -c FI_HMEM"},
	{"symptom: unknown, the number of a process that ended is no reason",
	 "worker failed, exit code of its process: -22", "nothing known in 1 line; the first",
	 "in the container"},
	{"symptom: unknown, a number in a list is no reason", "x failed: rank 3, 98",
	 "nothing known in 1 line; the first", "in the container"},
	{"symptom: unknown, 1 is a reason if it is called errno",
	 "x: Other MPI error, error stack:\nMPIDI_CMA_copy_data(54):\ncopy_iovs(201): "
	 "process_vm_readv failed (errno 1)",
	 "tells most, line 3: copy_iovs", "ptrace_scope"},
	{"symptom: unknown, 1 is none otherwise", "x failed, rc: 1",
	 "nothing known in 1 line; the first", "in the container"},
	{"symptom: unknown, what a line announces is told before it",
	 "x.MPI.Exception: Other MPI error, error stack:\ninternal_Init: the moon failed",
	 "line 1: x.MPI.Exception", "in the container"},
	{"symptom: unknown, of two errors of a program the one that says why",
	 "[n:1] pml_ucx.c:419  Error: ucp_ep_create(proc=5) failed: Shared memory error\n"
	 "[1.2] [n:1:0] mm_sysv.c:56 UCX ERROR shmat(shmid=655360) failed: Invalid argument\n"
	 "[1.2] [n:1:0] mm_ep.c:159 UCX ERROR mm ep failed to connect to remote FIFO",
	 "tells most, line 2", "ipcs -m"},
	{"symptom: unknown, System V's memory is not /dev/shm",
	 "sys.c:762  UCX  ERROR shmget(size=262144 flags=0x7b0) for user allocation failed: No "
	 "space left on device, please check shared memory limits by 'ipcs -l'",
	 "shmall or shmmni is reached", "ipcs -lm"},
	{"symptom: unknown, a mount's missing device is a file system's type",
	 "Error: runc create failed: mounting \"/a\" to rootfs at \"/b\" caused: no such device",
	 "does not know this type of file system", "/proc/filesystems"},
	{"symptom: unknown, a pod's sandbox that ended is no peer",
	 "runc create failed: namespace path: lstat /proc/0/ns/ipc: no such file or directory",
	 "its pause container", "crictl inspectp"},
	{"symptom: unknown, a terminal is no device that has gone",
	 "runc create failed: creating device nodes caused: open /a/dev/tty: no such device or "
	 "address",
	 "has no terminal", "without privileged"},
	{"symptom: unknown, a user's directory for its session",
	 "failed to create OCI runtime console socket: stat /run/user/1000: no such file or "
	 "directory",
	 "XDG_RUNTIME_DIR", "enable-linger"},
	{"symptom: unknown, the devices that a parent cgroup does not allow",
	 "runc create failed: error setting cgroup config for procHooks process: resulting "
	 "devices cgroup doesn't match target mode",
	 "a parent allows less", "devices.list"},
	{"symptom: unknown, the HCA's switch is no number of virtual functions",
	 "2026-01-06T10:20:47Z ERROR sriov/sriov.go:681 configSriovInterfaces(): fail to "
	 "configure sriov interface {\"error\": \"can't set eSwitch mode to [switchdev] on device "
	 "[0101:00:00.0]: invalid argument\"}",
	 "E-Switch: legacy or switchdev", "devlink dev eswitch set"},
	{"symptom: unknown, a virtual machine's function is no device plugin",
	 "{\"component\":\"virt-launcher\",\"level\":\"error\",\"pos\":\"server.go:161\","
	 "\"reason\":\"virError(Code=38): Failed to open "
	 "'/sys/bus/pci/devices/0000:3d:06.2/config': "
	 "Permission denied\"}",
	 "KubeVirt's libvirt", "vfio-pci"},
	{"symptom: unknown, an address that no RDMA device has",
	 "x: *ERROR*: rdma_resolve_addr, 19", "is no RDMA device's", "ip route get"},
	{"symptom: unknown, what klog's I tells is no error, whatever its words",
	 "I1208 12:31:14.705367 1 utils.go:71] Devlink query for eswitch mode is not supported for "
	 "device 0000:00:0c.0. error getting attributes no such device\n"
	 "W1208 12:31:14.705382 1 pciNetDevice.go:81] unable to get PF name \"open "
	 "/sys/bus/pci/devices/0000:00:0c.0/net: no such file or directory\"",
	 "line 2: W1208", "lspci -k"},
	{"symptom: unknown, a file where a directory is expected",
	 "Error: Common start logic: open /sys/class/net/bonding_masters/device/resource: not a "
	 "directory",
	 "where a directory is expected", "of one kind"},
	{"symptom: unknown, runc's older way to say that it failed",
	 "container_linux.go:336: starting container process caused \"process_linux.go:301: "
	 "running "
	 "exec setns process for init caused \\\"exit status 39\\\"\"",
	 "user namespaces that are switched off", "sysctl user"},
	{"symptom: unknown, containerd's word for no code is no unknown setting",
	 "docker: Error response from daemon: OCI runtime create failed: container_linux.go:345: "
	 "starting container process caused \"process_linux.go:303: getting the final child's pid "
	 "from pipe caused \\\"EOF\\\"\": unknown.",
	 "namespaces and network", "sysctl user"},
	{"symptom: unknown, a program that crashes",
	 "ip-1 crio[18872]: panic: runtime error: index out of range", "written in Go",
	 "--version"},
	/* The part of the program */
	{"symptom: unknown, a source file of NCCL",
	 "h:1:2 [0] graph/topo.cc:1 NCCL WARN the moon is full", "NCCL's picture of the node",
	 "NCCL_TOPO_DUMP_FILE"},
	{"symptom: unknown, a source file of UCX",
	 "[1.2] [h:1:0]  mm_posix.c:1  UCX  ERROR the moon is full", "shared memory by files",
	 "UCX_TLS=^posix"},
	{"symptom: unknown, another program's file of the same name",
	 "[0] ERROR: init.c:398: the moon is full", "line 1: [0]",
	 "in the container that wrote this log"},
	{"symptom: unknown, ncclNetPlugin is no CNI's netplugin",
	 "h:1:2 [0] NCCL WARN the symbol ncclNetPlugin_v8 is odd", "loading of plugins",
	 "NCCL_NET_PLUGIN=none"},
	{"symptom: unknown, FillNet is not Lustre's lnet",
	 "h:1:2 [0] x.cc:1 NCCL WARN FillNet: odd", "line 1", "logs of all ranks"},
	{"symptom: unknown, Mooncake", "E0924 rdma_context.cpp:1] failed", "line 1", "ib_write_bw"},
};

static void unknown_says_what_is_next(void **state)
{
	const struct unknown_case *row = *state;
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};

	told(&findings, row->text);
	assert_string_equal(subjects(&findings), "?");
	assert_has(findings.item[0].evidence, row->evidence);
	assert_has(findings.item[0].remedy, row->remedy);
}

static void cause_is_as_strong_as_its_evidence(void **state)
{
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};

	(void)state;
	told(&findings, "Watchdog caught collective operation timeout: x");
	told(&findings, "Call to ibv_reg_mr failed with error Cannot allocate memory");
	told(&findings, "NCCL WARN Call to posix_fallocate failed : No space left on device");
	assert_string_equal(subjects(&findings), "watchdog,memlock,shm_full");
	assert_true(strncmp(findings.item[0].evidence, "may be: ", 8) == 0);
	assert_true(strncmp(findings.item[1].evidence, "likely: ", 8) == 0);
	assert_true(strncmp(findings.item[2].evidence, "/dev/shm is full", 16) == 0);
	assert_has(findings.item[1].remedy, "confirmed by: memlock");
	assert_has(findings.item[2].remedy, "known from: NVIDIA/nccl#525");
}

static void causes_are_in_the_order_of_their_evidence(void **state)
{
	static const char text[] =
		"NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_6'\n"
		"remote invalid request\n"
		"Call to ibv_reg_mr failed with error Cannot allocate memory\n"
		"failed to extend /dev/shm/nccl-x to 1 bytes\n"
		"Call to ibv_open_device failed\n";
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};

	(void)state;
	told(&findings, text);
	assert_string_equal(subjects(&findings), "shm_full,open_device,memlock,mtu,gdr_off");
}

/* Two rules that are one cause are told once, with the lines of both. */
static void one_cause_is_told_once(void **state)
{
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};

	(void)state;
	told(&findings, "x\nCouldn't allocate MR\nCouldn't allocate MR with error=12\n"
			"Call to ibv_reg_mr failed with error Cannot allocate memory\n");
	assert_string_equal(subjects(&findings), "memlock");
	assert_has(findings.item[0].evidence, "; line 2 and 2 more: ");
}

/* What carries another program's message says its reason; the first row has none. */
static const struct carried_case {
	const char *name;
	const char *text;
	const char *why; /* NULL: none is told */
	const char *remedy;
} carried_cases[] = {
	{"symptom: a hook's failure without a reason has none",
	 "error running hook: exit status 1, stdout: , stderr: the moon is full", NULL,
	 "read the hook's own message"},
	{"symptom: a hook's failure says the hook's reason",
	 "error running hook: exit status 1, stderr: nvidia-container-cli: container error: cgroup "
	 "subsystem devices not found",
	 "; line 1 says why: the engine could not set the container's cgroup",
	 "stat -fc %T /sys/fs/cgroup"},
	{"symptom: a hook's failure says the reason of a line behind it",
	 "error running hook: exit status 1\nnvidia-container-cli: mount error: write error: "
	 "/sys/fs/cgroup/devices/x/devices.allow: operation not permitted",
	 "; line 2 says why: the container's cgroup may not be written", "no-cgroups = true"},
	{"symptom: a hook's failure says which device is unknown",
	 "error running hook: exit status 1 nvidia-container-cli: device error: x: unknown device",
	 "; line 1 says why: the container asks for a device by a name", "nvidia-ctk cdi list"},
	{"symptom: mpirun's failure says what another line has",
	 "oob: connect to 10.0.0.7: No route to host\n"
	 "ORTE was unable to reliably start one or more daemons.",
	 "; line 1 may say why: there is no way to that address", "ip route get"},
	{"symptom: mpirun's failure says that sshd refused",
	 "root@worker-1: Permission denied (publickey,password).\n"
	 "ORTE was unable to reliably start one or more daemons.",
	 "; line 1 may say why: the other side's sshd does not accept", "ssh -v HOST"},
};

static void a_carrier_says_the_reason(void **state)
{
	const struct carried_case *row = *state;
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};

	told(&findings, row->text);
	assert_int_equal(findings.n, 1);
	assert_int_equal(findings.item[0].status, FINDING_FAIL);
	if (row->why)
		assert_has(findings.item[0].evidence, row->why);
	else
		assert_null(strstr(findings.item[0].evidence, "says why"));
	assert_has(findings.item[0].remedy, row->remedy);
}

static void a_warning_does_not_hide_an_unknown_error(void **state)
{
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};

	(void)state;
	told(&findings, "NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_6'\n"
			"some other thing failed\n");
	assert_string_equal(subjects(&findings), "gdr_off,?");
	assert_has(findings.item[1].evidence, "line 2: some other thing failed");
}

void add_told_tests(struct unit_suite *suite)
{
	UNIT_TABLE(suite, unknown_says_what_is_next, unknown_cases);
	UNIT_TABLE(suite, a_carrier_says_the_reason, carried_cases);
	unit_add(suite, "symptom: a cause is said as strong as its evidence",
		 cause_is_as_strong_as_its_evidence, NULL);
	unit_add(suite, "symptom: several causes are told in the order of their evidence",
		 causes_are_in_the_order_of_their_evidence, NULL);
	unit_add(suite, "symptom: one cause is told once", one_cause_is_told_once, NULL);
	unit_add(suite, "symptom: a warning does not hide an error that is unknown",
		 a_warning_does_not_hide_an_unknown_error, NULL);
	unit_add(suite, "symptom: the evidence names the line and how often",
		 evidence_names_line_and_count, NULL);
	unit_add(suite, "symptom: vendor error 81 is the IOMMU, not memlock", p2p_clears_memlock,
		 NULL);
	unit_add(suite, "symptom: no text is not checkable", nothing_is_not_checkable, NULL);
	unit_add(suite, "symptom: a healthy log is not called well, but unknown",
		 healthy_log_is_not_ok_but_unknown, NULL);
}
