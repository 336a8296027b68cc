/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a log */
#include "suite.h"

#define RETRY "x Got completion from peer p with status=12 vendor err 129"
#define GDR_OFF "NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_6'\n"

static const struct told_case {
	const char *name, *text;
	const char *evidence; /* in that of the last finding, between ^ and $ */
	const char *remedy;
	const char *told; /* NULL: nothing is known */
} told_cases[] = {
	/* A log that shows nothing known: the line to look at, and what to run next */
	{"symptom: no text is not checkable", "", "^the text is empty$", "", NULL},
	{"symptom: a healthy log is not called well, but unknown",
	 "n1:1:2 [0] NCCL INFO a\nn1:1:2 [0] NCCL INFO b\n",
	 "nothing known, and nothing that looks like an error, in 2 lines", "logs of all ranks",
	 NULL},
	{"symptom: unknown, the first line that looks like an error is shown",
	 "all is well\nfoo: operation failed: reason 42\nERROR again\n",
	 "nothing known in 3 lines; the first that looks like an error is line 2: foo: operation "
	 "failed",
	 "oci-rdma-doctor in the container", NULL},
	{"symptom: unknown, NCCL without NCCL_DEBUG=INFO",
	 "RuntimeError: NCCL communicator was aborted on rank 3.", "line 1: RuntimeError",
	 "NCCL_DEBUG=INFO", NULL},
	{"symptom: unknown, NCCL with it", "n1:1:2 [0] NCCL INFO x\nn1:1:2 [0] NCCL WARN y failed",
	 "line 2: n1", "logs of all ranks, from their beginning", NULL},
	{"symptom: unknown, what NCCL only informs of is no error",
	 "n1:1:2 [0] NCCL INFO x failed\nfoo failed", "line 2: foo failed", "logs of all ranks",
	 NULL},
	{"symptom: unknown, the area is that of the line that is quoted",
	 "x.c:1  UCX  ERROR y failed\nthe nixl_agent goes on", "line 1", "UCX_TLS=rc,self,sm",
	 NULL},
	{"symptom: unknown, CollNet is not Lustre's LNet", "x NCCL WARN Cannot initialize CollNet",
	 "line 1", "NCCL_COLLNET_ENABLE=0", NULL},
	{"symptom: unknown, words that hold others: no RoCE, no orted",
	 "process 7 failed\nthe run was aborted", "line 1: process 7",
	 "in the container that wrote this log", NULL},
	{"symptom: unknown, NCCL's WARN without a word for an error",
	 "h:1:2 [0] misc/x.cc:1 NCCL WARN the moon is full", "line 1: h:1:2", "logs of all ranks",
	 NULL},
	{"symptom: unknown, klog's E", "I0325 13:39:01.1 1 x.go:1] a\nE0325 13:39:02.1 1 x.go:2] b",
	 "line 2: E0325", "in the container", NULL},
	{"symptom: unknown, glog's E with a year", "E20260821 12:30:19.43 x.cpp:1] b",
	 "line 1: E2026", "in the container", NULL},
	{"symptom: unknown, no letter of klog's: a word that ends in E", "NODE0325 13:39:02 b",
	 "nothing that looks like an error", "in the container", NULL},
	{"symptom: unknown, an error is told before a warning",
	 "level=warning msg=a\nlevel=error msg=b", "line 2: level=error", "in the container", NULL},
	{"symptom: unknown, what a program calls information is no error of it",
	 "level=info msg=\"error: a\"\nlevel=error msg=b", "line 2: level=error",
	 "in the container", NULL},
	{"symptom: unknown, a line that says why is told before one that does not",
	 "Error: it is over\nlevel=warning msg=\"bind: address already in use\"",
	 "tells most, line 2: level=warning", "ss -ltnp", NULL},
	{"symptom: unknown, a device file",
	 "x: open /dev/infiniband/uverbs0 failed: Operation not permitted", "device cgroup",
	 "request the device's resource", NULL},
	{"symptom: unknown, the reason is a number", "x failed, rc: -98",
	 "another process already listens", "ss -ltnp", NULL},
	{"symptom: unknown, of two reasons the one at the end counts",
	 "x: no such file or directory: retry failed: Connection refused", "nothing listens",
	 "ss -ltn", NULL},
	{"symptom: unknown, a network's address in use is no port",
	 "error adding container to network \"macvlan-conf\": address already in use",
	 "the interface below it", "oc get network-attachment-definition", NULL},
	{"symptom: unknown, a Unix socket is cut by no firewall",
	 "transport error: write unix /var/lib/kubelet/x.sock->@: write: broken pipe",
	 "the service behind this socket", "systemctl status", NULL},
	{"symptom: unknown, where an error came through NCCL",
	 "h:1:2 [2] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC\n"
	 "h:1:2 [2] NCCL INFO graph/paths.cc:312 -> 3",
	 "line 2", "NCCL_TOPO_DUMP_FILE", NULL},
	{"symptom: unknown, of two reasons at the end the longer counts",
	 "[W socket.cpp:401] [c10d] The server socket cannot be initialized on [::]:29501 (errno: "
	 "97 - Address family not supported by protocol).",
	 "the address is of a family", "getent ahosts", NULL},
	{"symptom: unknown, a number at the line's end",
	 "nvme_rdma.c: 503:nvme_rdma_resolve_addr: *ERROR*: rdma_resolve_addr, 98",
	 "already has that local address and port", "rdma resource show cm_id", NULL},
	{"symptom: unknown, a negative number at the line's end",
	 "libfabric:5:1::cxi:mr:cxip_do_map():90<warn> x1: cxil_map() failed: -22",
	 "does not take this value; it comes from libfabric's memory registration",
	 "fi_info -p PROVIDER -c FI_HMEM", NULL},
	{"symptom: unknown, the number of a process that ended is no reason",
	 "worker failed, exit code of its process: -22", "nothing known in 1 line; the first",
	 "in the container", NULL},
	{"symptom: unknown, a number in a list is no reason", "x failed: rank 3, 98",
	 "nothing known in 1 line; the first", "in the container", NULL},
	{"symptom: unknown, 1 is a reason if it is called errno",
	 "x: Other MPI error, error stack:\nMPIDI_CMA_copy_data(54):\ncopy_iovs(201): "
	 "process_vm_readv failed (errno 1)",
	 "tells most, line 3: copy_iovs", "ptrace_scope", NULL},
	{"symptom: unknown, 1 is none otherwise", "x failed, rc: 1",
	 "nothing known in 1 line; the first", "in the container", NULL},
	{"symptom: unknown, what a line announces is told before it",
	 "x.MPI.Exception: Other MPI error, error stack:\ninternal_Init: the moon failed",
	 "line 1: x.MPI.Exception", "in the container", NULL},
	{"symptom: unknown, of two errors of a program the one that says why",
	 "[n:1] pml_ucx.c:419  Error: ucp_ep_create(proc=5) failed: Shared memory error\n"
	 "[1.2] [n:1:0] mm_sysv.c:56 UCX ERROR shmat(shmid=655360) failed: Invalid argument\n"
	 "[1.2] [n:1:0] mm_ep.c:159 UCX ERROR mm ep failed to connect to remote FIFO",
	 "tells most, line 2", "ipcs -m", NULL},
	{"symptom: unknown, what klog's I tells is no error, whatever its words",
	 "I1208 12:31:14.705367 1 utils.go:71] Devlink query for eswitch mode is not supported for "
	 "device 0000:00:0c.0. error getting attributes no such device\n"
	 "W1208 12:31:14.705382 1 pciNetDevice.go:81] unable to get PF name \"open "
	 "/sys/bus/pci/devices/0000:00:0c.0/net: no such file or directory\"",
	 "line 2: W1208", "lspci -k", NULL},
	{"symptom: unknown, a source file of NCCL",
	 "h:1:2 [0] graph/topo.cc:1 NCCL WARN the moon is full", "NCCL's picture of the node",
	 "NCCL_TOPO_DUMP_FILE", NULL},
	{"symptom: unknown, another program's file of the same name",
	 "[0] ERROR: init.c:398: the moon is full", "line 1: [0]",
	 "in the container that wrote this log", NULL},

	{"symptom: the evidence names the line and how often",
	 "a\n\n" RETRY "\nb\n" RETRY "\n" RETRY "\n", "; line 3 and 2 more: " RETRY "$", "",
	 "retry_exc"},
	{"symptom: CRLF ends a line", "NCCL INFO NET/IB : No device found.\r\n",
	 "No device found.$", "", "no_rdma"},
	{"symptom: a line may have no end", "x\ny\nNCCL INFO NET/IB : No device found.",
	 "line 3: ", "", "no_rdma"},
	{"symptom: a cause that may be is said so",
	 "Watchdog caught collective operation timeout: x", "^may be: ", "", "watchdog"},
	{"symptom: a likely cause is said so, and what confirms it",
	 "Call to ibv_reg_mr failed with error Cannot allocate memory",
	 "^likely: ", "confirmed by: memlock", "memlock"},
	{"symptom: a sure cause is said as it is, and where it is known from",
	 "NCCL WARN Call to posix_fallocate failed : No space left on device", "^/dev/shm is full",
	 "known from: NVIDIA/nccl#525", "shm_full"},
	{"symptom: what carries nothing has no other reason",
	 "status=4 vendor err 81\noob: connect to 10.0.0.7: No route to host",
	 "the memlock limit is not the cause; line 1: status=4", "", "p2p_blocked"},
	{"symptom: several causes are told in the order of their evidence",
	 GDR_OFF "remote invalid request\n"
		 "Call to ibv_reg_mr failed with error Cannot allocate memory\n"
		 "failed to extend /dev/shm/nccl-x to 1 bytes\n"
		 "Call to ibv_open_device failed\n",
	 "", "", "shm_full,open_device,memlock,mtu,gdr_off"},
	/* Two rules that are one cause, with the lines of both */
	{"symptom: one cause is told once",
	 "x\nCouldn't allocate MR\nCouldn't allocate MR with error=12\n"
	 "Call to ibv_reg_mr failed with error Cannot allocate memory\n",
	 "; line 2 and 2 more: ", "", "memlock"},
	{"symptom: a warning does not hide an error that is unknown",
	 GDR_OFF "some other thing failed\n", "line 2: some other thing failed", "", "gdr_off,?"},
	/* What carries another program's message says its reason; the first has none. */
	{"symptom: a hook's failure without a reason has none",
	 "error running hook: exit status 1, stdout: , stderr: the moon is full",
	 "stderr: the moon is full$", "read the hook's own message", "hook_failed"},
	{"symptom: a hook's failure says the hook's reason",
	 "error running hook: exit status 1, stderr: nvidia-container-cli: container error: cgroup "
	 "subsystem devices not found",
	 "; line 1 says why: the engine could not set the container's cgroup",
	 "stat -fc %T /sys/fs/cgroup", "hook_failed"},
	{"symptom: a hook's failure says the reason of a line behind it",
	 "error running hook: exit status 1\nnvidia-container-cli: mount error: write error: "
	 "/sys/fs/cgroup/devices/x/devices.allow: operation not permitted",
	 "; line 2 says why: the container's cgroup may not be written", "no-cgroups = true",
	 "hook_failed"},
	{"symptom: a hook's failure says which device is unknown",
	 "error running hook: exit status 1 nvidia-container-cli: device error: x: unknown device",
	 "; line 1 says why: the container asks for a device by a name", "nvidia-ctk cdi list",
	 "hook_failed"},
	{"symptom: mpirun's failure says what another line has",
	 "oob: connect to 10.0.0.7: No route to host\n"
	 "ORTE was unable to reliably start one or more daemons.",
	 "; line 1 may say why: there is no way to that address", "ip route get", "mpi_launch"},
	{"symptom: mpirun's failure says that sshd refused",
	 "root@worker-1: Permission denied (publickey,password).\n"
	 "ORTE was unable to reliably start one or more daemons.",
	 "; line 1 may say why: the other side's sshd does not accept", "ssh -v HOST",
	 "mpi_launch"},
};

UNIT_ROWS(told_cases)
{
	WITH_FINDINGS;
	cleanup_free *exact = unit_exact(row->text, strlen(row->text));
	const struct finding *last;

	assert_int_equal(symptom_explain(&findings, exact, strlen(row->text), &err), 0);
	assert_string_equal(subjects(&findings), row->told ? row->told : "?");
	last = &findings.item[findings.n - 1];
	assert_has(arena_printf(&arena, "^%s$", last->evidence), row->evidence);
	assert_has(last->remedy, row->remedy);
	assert_int_equal(last->status == FINDING_UNCHECKED, !last->subject[0]);
}
