/* SPDX-License-Identifier: Apache-2.0 */
/* Each symptom by the messages that show it */
#include "suite.h"

#include "doctor/symptom/known.h"

/* Messages as NCCL, IBext, UCX, perftest and the kernel print them; most are from reports at
 * NVIDIA/nccl and openucx/ucx. */
#define ZEROS "00000000 00000000 00000000 00000000"

static const struct text_case {
	const char *name;
	const char *text;
	const char *symptoms; /* "?" if nothing is to be found */
} text_cases[] = {
	/* work completions, by version */
	{"symptom: status 4, vendor 81 of NCCL 2.4",
	 "n1:1:2 [0] transport/net_ib.cu:788 NCCL WARN NET/IB : Got completion with error 4, "
	 "opcode 1, "
	 "len 21938, vendor err 81",
	 "p2p_blocked"},
	{"symptom: status 4, vendor 81 of NCCL 2.18",
	 "node2:14159:14172 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from "
	 "peer "
	 "10.10.11.161<4711> with error 4, opcode 0, len 0, vendor err 81 (Send) localGid "
	 "::ffff:10.10.11.160 remoteGid ::ffff:10.10.11.161",
	 "p2p_blocked"},
	{"symptom: status 4, vendor 81 of NCCL 2.24, with a leftover opcode",
	 "[2026-03-03 12:11:38] aihub0007:185303:186751 [1] transport/net_ib.cc:2453 NCCL WARN "
	 "NET/IB: "
	 "Got completion from peer 10.99.91.63<51161> with status=4 opcode=32614 len=32614 vendor "
	 "err "
	 "81 (Send) localGid ::ffff:10.99.92.59 remoteGids::ffff:10.99.91.63 hca mlx5_1",
	 "p2p_blocked"},
	{"symptom: status 4, vendor 81 of NCCL 2.28.9",
	 "h:1:2 [3] transport/net_ib.cc:2500 NCCL WARN NET/IB: Got completion from peer "
	 "10.0.0.1<4711> "
	 "with status=IBV_WC_LOC_PROT_ERR(4) opcode=IBV_WC_SEND(0) reqSize=4096 vendor_err=81 "
	 "req_type=Send localGid ::ffff:10.0.0.2 remoteGids::ffff:10.0.0.1 hca mlx5_6",
	 "p2p_blocked"},
	{"symptom: status 4, vendor 81 of NCCL 2.30 and its HINT lines",
	 "h:1:2 [3] transport/net_ib/p2p.cc:688 NCCL WARN NET/IB: Got completion from peer "
	 "10.0.0.1<4711> with status=IBV_WC_LOC_PROT_ERR(4) opcode=IBV_WC_RDMA_WRITE(1) "
	 "vendor_err=81  "
	 "localGid ::ffff:10.0.0.2 remoteGids::ffff:10.0.0.1 hca mlx5_6\n"
	 "h:1:2 [3] NCCL INFO HINT: In many cases this error occurs when ACS is enabled which "
	 "would "
	 "break GPU Direct RDMA protocol.\n"
	 "h:1:2 [3] NCCL INFO HINT: In many cases this error occurs when the NCCL_IB_TIMEOUT is "
	 "set "
	 "too short.\n",
	 "p2p_blocked"},
	{"symptom: status 4, vendor 81 of NCCL's GIN",
	 "h:1:2 [0] NCCL WARN NET/IB/GIN: Got completion from peer 10.0.0.1<4711> with status=4 "
	 "opcode=1 len=0 vendor err 81 (Send) hca mlx5_0",
	 "p2p_blocked"},
	{"symptom: status 4, vendor 81 of IBext",
	 "trainer-0:3468:3905 [4] ib_plugin.c:1615 NCCL WARN NET/IB : Got completion from peer "
	 "10.216.210.236<54862> with status=4 opcode=0 len=0 vendor err 81 (Recv) localGid "
	 "::ffff:10.0.0.2 remoteGids::ffff:10.0.0.1",
	 "p2p_blocked"},
	{"symptom: libmlx5's dump of a completion",
	 "mlx5: node-1: got completion with error:\n" ZEROS "\n" ZEROS "\n" ZEROS
	 "\n00000000 00005104 09000aa9 000026d2",
	 "p2p_blocked"},
	{"symptom: libmlx5's dump, behind a collector's time and between other lines",
	 "t mlx5: node-1: got completion with error:\nt " ZEROS "\nt other\nt " ZEROS "\nt " ZEROS
	 "\nt 00000000 00008115 09000aa9 000026d2",
	 "retry_exc"},
	{"symptom: words without a dump before them", ZEROS "\n00000000 00005104 09000aa9 000026d2",
	 "?"},
	{"symptom: a dump of which the end is missing",
	 "mlx5: node-1: got completion with error:\n" ZEROS "\n" ZEROS, "?"},
	{"symptom: status 4, vendor 0x51 of UCX",
	 "[n01:31180:0:31180] ib_mlx5_log.c:143  Local protection on mlx5_0:1/RoCE (synd 0x4 vend "
	 "0x51 "
	 "hw_synd 0/57)",
	 "p2p_blocked"},
	{"symptom: status 4, syndrom 0x51 of perftest",
	 " Completion with error at client\n Failed status 4: wr_id 0 syndrom 0x51\nscnt=128, "
	 "ccnt=0\n",
	 "p2p_blocked"},
	{"symptom: typed by hand, with vendor 81", "local protection error, vendor err 81",
	 "p2p_blocked"},
	{"symptom: typed by hand, status=4 vendor err 81", "status=4 vendor err 81", "p2p_blocked"},
	{"symptom: typed by hand, vendor 0x51", "IBV_WC_LOC_PROT_ERR vendor_err 0x51",
	 "p2p_blocked"},
	{"symptom: status 4, another vendor error",
	 "h:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.1<4711> with status=4 "
	 "opcode=0 "
	 "len=0 vendor err 82 (Send)",
	 "loc_prot_err"},
	{"symptom: status 4, no vendor error", "IBV_WC_LOC_PROT_ERR", "loc_prot_err"},
	{"symptom: local protection error in words", "completion: Local Protection Error",
	 "loc_prot_err"},
	{"symptom: status 4, vendor 81 without GPUDirect RDMA is a buffer's",
	 "h:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0\n"
	 "h:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.1<4711> with status=4 "
	 "opcode=0 "
	 "len=0 vendor err 81 (Send)\n",
	 "bad_buffer"},
	{"symptom: status 4, vendor 81 where one channel has GPUDirect RDMA",
	 "h:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0\n"
	 "h:1:2 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[0] [send] via NET/IB/1/GDRDMA\n"
	 "h:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.1<4711> with status=4 "
	 "opcode=0 "
	 "len=0 vendor err 81 (Send)\n",
	 "p2p_blocked"},
	{"symptom: status 12 of NCCL 2.17",
	 "node-2:5776:5902 [0] transport/net_ib.cc:1296 NCCL WARN NET/IB : Got completion from "
	 "peer "
	 "10.2.0.5<33092> with error 12, opcode 0, len 0, vendor err 129 (Recv)",
	 "retry_exc"},
	{"symptom: status 12 of NCCL 2.30",
	 "[2026-09-09 10:46:33] ubuntu2:319733:319761 [1] transport/net_ib/p2p.cc:648 NCCL WARN "
	 "NET/IB: "
	 "Got completion from peer 10.153.235.13<40554> with status=IBV_WC_RETRY_EXC_ERR(12) "
	 "opcode=IBV_WC_RECV_RDMA_WITH_IMM(129) vendor_err=129 localGid ::ffff:1.1.2.2 "
	 "remoteGids::ffff:1.1.1.4 hca mlx5_1",
	 "retry_exc"},
	{"symptom: status 12 of NCCL's resiliency",
	 "h:1:2 [0] NCCL INFO NET/IB: ncclIbResiliencyHandleCompletionError: Got completion with "
	 "error "
	 "(devIndex=0, wc->status=(IBV_WC_RETRY_EXC_ERR)12, wc->opcode=(IBV_WC_SEND)0, "
	 "wc->wr_id=0, "
	 "wc->qp_num=1, wc->byte_len=0)",
	 "retry_exc"},
	{"symptom: status 12 of UCX",
	 "[compute001:31180:0:31180] ib_mlx5_log.c:143  Transport retry count exceeded on "
	 "mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)",
	 "retry_exc"},
	{"symptom: status 12 of perftest", "Failed status 12: wr_id 0 syndrom 0x81", "retry_exc"},
	{"symptom: perftest's buffer is larger than the limit",
	 "Couldn't allocate MR\nfailed to create mr\nFailed to create MR\n Couldn't create IB "
	 "resources",
	 "memlock"},
	{"symptom: the same of a later perftest", "Couldn't allocate MR with error=12", "memlock"},
	{"symptom: perftest --use_cuda without peermem", "Couldn't allocate MR with error=14",
	 "gpu_memory"},
	{"symptom: perftest, for another reason", "Couldn't allocate MR with error=22",
	 "reg_refused"},
	{"no symptom: perftest, for a reason that is not known",
	 "Couldn't allocate MR with error=99", "?"},
	{"symptom: perftest, with an unlimited memlock",
	 "max locked memory       (kbytes, -l) unlimited\nCouldn't allocate MR", "hca_resources"},
	{"symptom: status 12 in words", "transport retry counter exceeded", "retry_exc"},
	{"symptom: status 13",
	 "h:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.1<4711> with status=13 "
	 "opcode=0 "
	 "len=0 vendor err 135 (Send)",
	 "rnr_retry_exc"},
	{"symptom: status 13 by name", "IBV_WC_RNR_RETRY_EXC_ERR", "rnr_retry_exc"},
	{"symptom: status 11, the peer's side",
	 "h:1:2 [0] NCCL WARN NET/IB : Got completion with error 11, opcode 2, len 1048576, vendor "
	 "err "
	 "137",
	 "remote_err"},
	{"symptom: status 10, the peer's side",
	 "NET/IB: Got completion from peer with status=IBV_WC_REM_ACCESS_ERR(10)", "remote_err"},
	{"symptom: status 5 alone",
	 "gh-3714u15:7038:7053 [0] ib_plugin.c:1007 NCCL WARN NET/IB : Got completion from peer "
	 "10.1.32.3<54891> with error 5, opcode 0, len 0, vendor err 249",
	 "flushed"},
	{"symptom: status 5 behind status 12 is a consequence",
	 "h:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.1<1> with error 12, opcode "
	 "0, "
	 "len 0, vendor err 129\n"
	 "h:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.1<1> with error 5, opcode "
	 "0, "
	 "len 0, vendor err 249\n",
	 "retry_exc"},
	{"symptom: two completions in one line of JSON",
	 "{\"log\":\"Got completion from peer 10.0.0.1<1> with status=12 opcode=0 len=0 vendor err "
	 "129\\nGot completion from peer 10.0.0.1<1> with status=4 opcode=0 len=0 vendor err "
	 "81\\n\"}",
	 "retry_exc,p2p_blocked"},

	/* memlock */
	{"symptom: reg_mr, Cannot allocate memory",
	 "n1:1:2 [0] misc/ibvwrap.cc:252 NCCL WARN Call to ibv_reg_mr failed with error Cannot "
	 "allocate "
	 "memory",
	 "memlock"},
	{"symptom: reg_mr_iova2, Cannot allocate memory",
	 "misc/ibvwrap.cc:278 NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate "
	 "memory",
	 "memlock"},
	{"symptom: reg_mr of NCCL 2.4, which says no reason",
	 "n1:1:2 [0] misc/ibvwrap.cc:250 NCCL WARN Call to ibv_reg_mr failed", "memlock"},
	{"symptom: create_cq of NCCL 2.7, which says no reason",
	 "spark01:2683:2826 [0] misc/ibvwrap.cc:268 NCCL WARN Call to ibv_create_cq failed",
	 "memlock"},
	{"symptom: create_qp, Cannot allocate memory",
	 "n1:1:2 [0] misc/ibvwrap.cc:300 NCCL WARN Call to ibv_create_qp failed with error Cannot "
	 "allocate memory",
	 "memlock"},
	{"symptom: UCX's ibv_reg_mr with arguments",
	 "[1765653660.705652] [magi175:640743:0] ib_md.c:287 UCX ERROR "
	 "ibv_reg_mr(address=0x15213b956010, length=65536, access=0xf) failed: Cannot allocate "
	 "memory : "
	 "Please set max locked memory (ulimit -l) to 'unlimited' (current: 524288 kbytes)",
	 "memlock"},
	{"symptom: UCX's ibv_create_cq",
	 "ib_iface.c:1060 UCX  ERROR ibv_create_cq(cqe=4096) failed: Cannot allocate memory : "
	 "Please set "
	 "max locked memory (ulimit -l) to 'unlimited' (current: 64 kbytes)",
	 "memlock"},
	{"symptom: reg_mr, Operation not permitted",
	 "n1:1:2 [0] misc/ibvwrap.cc:252 NCCL WARN Call to ibv_reg_mr failed with error Operation "
	 "not "
	 "permitted",
	 "memlock_zero"},
	{"symptom: the reason wins over the generic line behind it",
	 "n1:1:2 [0] misc/ibvwrap.cc:252 NCCL WARN Call to ibv_reg_mr failed with error Cannot "
	 "allocate "
	 "memory\n"
	 "n1: Test NCCL failure all_reduce.cu:1 'unhandled system error (run with NCCL_DEBUG=INFO "
	 "for "
	 "details)'\n",
	 "memlock"},

	/* GPU memory */
	{"symptom: reg_mr, Bad address",
	 "n1:1:2 [0] misc/ibvwrap.cc:252 NCCL WARN Call to ibv_reg_mr failed with error Bad "
	 "address",
	 "gpu_memory"},
	{"symptom: reg_dmabuf_mr, Operation not supported",
	 "n1:1:2 [0] misc/ibvwrap.cc:260 NCCL WARN Call to ibv_reg_dmabuf_mr failed with error "
	 "Operation "
	 "not supported",
	 "dmabuf"},
	{"symptom: mlx5dv_reg_dmabuf_mr",
	 "n1:1:2 [0] NCCL WARN NET/MLX5: Call to mlx5dv_reg_dmabuf_mr failed with error Invalid "
	 "argument",
	 "dmabuf"},
	{"symptom: GPUDirect RDMA off, NCCL 2.4",
	 "h:1:2 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for GPU 0[0] / HCA 0 'mlx5_0' (no "
	 "module "
	 "or not supported by GPU)",
	 "gdr_off"},
	{"symptom: GPUDirect RDMA off, IBext",
	 "h:1:2 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_6' (no module)",
	 "gdr_off"},
	{"symptom: GPUDirect RDMA off, NCCL 2.12 and later",
	 "spark-0e68:548:548 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 "
	 "'rocep1s0f1'",
	 "gdr_off"},

	/* devices and GIDs */
	{"symptom: no device", "05-06-76-200:7839:7911 [0] NCCL INFO NET/IB : No device found.",
	 "no_rdma"},
	{"symptom: no device, where one was meant",
	 "x [0] NCCL INFO NCCL_IB_HCA set to =mlx5_6\nx [0] NCCL INFO NET/IB : No device found.",
	 "no_device"},
	{"symptom: a device that cannot be opened",
	 "n1:1:2 [0] misc/ibvwrap.cc:112 NCCL WARN Call to ibv_open_device failed\n"
	 "n1:1:2 [0] transport/net_ib.cc:426 NCCL WARN NET/IB : Unable to open device mlx5_4\n",
	 "open_device"},
	{"symptom: query_gid",
	 "n1:1:2 [0] misc/ibvwrap.cc:150 NCCL WARN Call to ibv_query_gid failed with error Invalid "
	 "argument errno 22",
	 "gid"},
	{"symptom: modify_qp, Invalid argument",
	 "n1:1:2 [0] misc/ibvwrap.cc:187 NCCL WARN Call to ibv_modify_qp failed with error Invalid "
	 "argument",
	 "gid"},
	{"symptom: modify_qp, Invalid argument of NCCL 2.22 and later",
	 "n1:1:2 [0] misc/ibvwrap.cc:376 NCCL WARN Call to ibv_modify_qp failed with 22 Invalid "
	 "argument, "
	 "on dev mlx5_6:1, curr state INIT, next state RTR, local GID index 3, local GID "
	 "::ffff:10.0.103.7, remote GID fe80::1",
	 "gid"},
	{"symptom: modify_qp, No data available",
	 "n1:1:2 [0] misc/ibvwrap.cc:187 NCCL WARN Call to ibv_modify_qp failed with error No data "
	 "available errno 61",
	 "gid"},
	{"symptom: modify_qp, No such device",
	 "n1:1:2 [0] misc/ibvwrap.cc:187 NCCL WARN Call to ibv_modify_qp failed with error No such "
	 "device",
	 "gid_netdev"},
	{"symptom: modify_qp, Connection timed out",
	 "n1:1:2 [0] ibvwrap.c:160 NCCL WARN Call to ibv_modify_qp failed with error Connection "
	 "timed out",
	 "no_route"},
	{"symptom: modify_qp, 110 of NCCL 2.22 and later",
	 "n1:1:2 [0] misc/ibvwrap.cc:376 NCCL WARN Call to ibv_modify_qp failed with 110 "
	 "Connection timed "
	 "out, on dev mlx5_6:1, curr state INIT, next state RTR",
	 "no_route"},
	{"symptom: modify_qp, -110 of a driver that turns the sign",
	 "n1:1:2 [0] NCCL WARN Call to ibv_modify_qp failed with error Unknown error -110 errno "
	 "-110",
	 "no_route"},
	{"symptom: modify_qp, a number that is no errno, but 110 in 32 bits",
	 "Call to ibv_modify_qp failed with error Unknown error 4294967406", "?"},
	{"symptom: modify_qp, a number of which there is no negative",
	 "Call to ibv_modify_qp failed with error errno -9223372036854775808", "?"},
	{"symptom: modify_qp, Network is unreachable",
	 "n1:1:2 [0] misc/ibvwrap.cc:187 NCCL WARN Call to ibv_modify_qp failed with error Network "
	 "is "
	 "unreachable",
	 "no_route"},
	{"symptom: the GID table changed",
	 "n1:1:2 [0] NCCL WARN NET/IB : mlx5_6:1 Got async event : GID table change",
	 "gid_changed"},
	{"symptom: the GID table changed, NCCL 2.28",
	 "n1:1:2 [0] NCCL WARN NET/IB : mlx5_6:1 GID table changed", "gid_changed"},
	{"symptom: a port went down",
	 "n1:1:2 [0] NCCL WARN NET/IB : mlx5_6:1 Got async event : port error", "port_event"},
	{"symptom: no libibverbs", "ml3:32632:32662 [0] NCCL INFO Failed to open libibverbs.so[.1]",
	 "libibverbs"},

	/* the bootstrap and plugins */
	{"symptom: no socket interface",
	 "gpu617:22841:22841 [0] bootstrap.cc:37 NCCL WARN Bootstrap : no socket interface found",
	 "socket_ifname"},
	{"symptom: no socket interface, NET/Socket",
	 "gpu617:22841:22841 [0] NCCL WARN NET/Socket : no interface found", "socket_ifname"},
	{"symptom: no socket interface, NET/IB",
	 "gpu617:22841:22841 [0] NCCL WARN NET/IB : No IP interface found.", "socket_ifname"},
	{"symptom: an interface that does not exist, NCCL 2.27",
	 "ncclSocketInit: connecting to address  with family 59936 is neither AF_INET(2) nor "
	 "AF_INET6(10)",
	 "socket_ifname"},
	{"symptom: NCCL_OOB_NET_IFNAME matches nothing",
	 "n1:1:1 [0] bootstrap.cc:510 NCCL WARN no device found matching exactly mlx5_9, verify "
	 "NCCL_OOB_NET_IFNAME",
	 "oob_ifname"},
	{"symptom: the bootstrap cannot connect",
	 "n1:1:1 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.0.0.1<39021> "
	 "failed : "
	 "No route to host",
	 "bootstrap"},
	{"symptom: the bootstrap cannot connect, NCCL 2.24 and later",
	 "n1:1:1 [0] NCCL WARN socketPollConnect: connect to 10.0.0.1<39021> returned Connection "
	 "timed "
	 "out, exceeded error retry count after 35 attempts",
	 "bootstrap"},
	{"symptom: NCCL_NET names what is not there",
	 "n1:1:1 [0] net.cc:285 NCCL WARN Error: network IBext not found.", "no_network"},
	{"symptom: no plugin at all could start",
	 "n1:1:1 [0] plugin/net.cc:349 NCCL WARN Failed to initialize any NET plugin",
	 "no_network"},
	{"symptom: the plugin lacks a library",
	 "n1:1:1 [0] NCCL INFO NET/Plugin : Plugin load (libnccl-net.so) returned 2 : "
	 "libsharp_coll.so.5: cannot open shared object file: No such file or directory",
	 "plugin"},

	/* the kernel, CUDA */
	{"symptom: a DMAR fault",
	 "[  123.4] DMAR: [DMA Write NO_PASID] Request device [3b:02.6] fault addr 0x387fe0000000 "
	 "[fault "
	 "reason 0x05] PTE Write access is not set",
	 "iommu_fault"},
	{"symptom: an AMD-Vi fault",
	 "mlx5_core 0000:81:00.2: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x002c "
	 "address=0x387fe0000000 flags=0x0020]",
	 "iommu_fault"},
	{"symptom: CUDA's 802",
	 "n1:1:1 [0] init.cc:100 NCCL WARN Cuda failure 802 'system not yet initialized'", "cuda"},
	{"symptom: CUDA's 803",
	 "n1:1:1 [0] init.cc:100 NCCL WARN Cuda failure 'system has unsupported display driver / "
	 "cuda "
	 "driver combination'",
	 "cuda"},
	{"symptom: unhandled system error alone",
	 "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:410, unhandled system error, NCCL "
	 "version "
	 "2.4.8",
	 "unhandled"},
	{"symptom: remote process exited alone",
	 "ncclRemoteError: A call failed possibly due to a network error: remote process exited or "
	 "there "
	 "was a network error",
	 "peer_closed"},
	{"symptom: what fails before what warns",
	 "h:1:2 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_6' (no module)\n"
	 "h:1:2 [0] NCCL WARN Call to ibv_create_cq failed with error Cannot allocate memory\n"
	 "h:1:2 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 1 'mlx5_7' (no module)\n",
	 "memlock,gdr_off"},
	{"symptom: CRLF", "NCCL INFO NET/IB : No device found.\r\n", "no_rdma"},
	{"symptom: no line end", "x\ny\nNCCL INFO NET/IB : No device found.", "no_rdma"},

	/* near misses */
	{"no symptom: a completion that succeeded",
	 "NCCL TRACE Got completion from peer 10.0.0.1<1> with status=0 opcode=0 len=4 wr_id=1",
	 "?"},
	{"no symptom: the number 4 and 81 elsewhere",
	 "h:1:2 [4] NCCL INFO comm 0x81 rank 4 nranks 81 cudaDev 4 busId 81000 - Init COMPLETE",
	 "?"},
	{"no symptom: a call that is not there",
	 "h:1:2 [0] NCCL INFO Call to ibv_query_ece skipped, internal_name doesn't exist", "?"},
	{"no symptom: a call that may fail",
	 "h:1:2 [0] NCCL INFO Call to ibv_set_ece not supported", "?"},
	{"symptom: ENOMEM of a call that needs no memory",
	 "NCCL WARN ibv_post_send() failed with error Cannot allocate memory, Bad WR 0x1, First WR "
	 "0x1",
	 "queue_full"},
	{"no symptom: another call with ENOMEM", "ibv_create_flow() failed: Cannot allocate memory",
	 "?"},
	{"no symptom: reg_mr of somebody else", "my_ibv_reg_mr failed: Cannot allocate memory",
	 "?"},
	{"no symptom: ibv_reg_mr that did not fail", "ibv_reg_mr succeeded, length=65536", "?"},
	{"symptom: reg_mr with a reason that is neither limit nor peer memory",
	 "Call to ibv_reg_mr failed with error Invalid argument", "reg_refused"},
	{"no symptom: modify_qp that is tried again",
	 "h:1:2 [0] NCCL INFO Call to ibv_modify_qp failed with 110 Connection timed out, on dev "
	 "mlx5_6:1, "
	 "curr state INIT, next state RTR, local GID index 3, local GID N/A, remote GID N/A, "
	 "retrying 1/35 "
	 "after 100 msec of sleep",
	 "?"},
	{"no symptom: GPUDirect RDMA off for a distant pair",
	 "h:1:2 [0] NCCL INFO GPU Direct RDMA Disabled for GPU 3 / HCA 1 (distance 7 > 4)", "?"},
	{"no symptom: GPUDirect RDMA on",
	 "h:1:2 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_6'", "?"},
	{"no symptom: no plugin in the image",
	 "h:1:2 [0] NCCL INFO NET/Plugin : Plugin load (libnccl-net.so) returned 2 : "
	 "libnccl-net.so: "
	 "cannot open shared object file: No such file or directory",
	 "?"},
	{"no symptom: no plugin in the image, NCCL 2.28",
	 "h:1:2 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so", "?"},
	{"no symptom: an older interface of the plugin",
	 "h:1:2 [0] NCCL INFO NET/Plugin: Failed to find ncclNetPlugin_v8 symbol.", "?"},
	{"no symptom: a connection that is tried again",
	 "h:1:2 [0] NCCL INFO Call to connect returned Connection refused, retrying", "?"},
	{"no symptom: hints alone",
	 "h:1:2 [0] NCCL INFO HINT: to confirm IBV_WC_LOC_PROT_ERR set NCCL_NET_GDR_LEVEL=0", "?"},
	{"no symptom: the DMAR's table at boot",
	 "[ 0.1] DMAR: DRHD base: 0x000000d5bfc000 flags: 0x0", "?"},
	{"no symptom: a port that came up",
	 "n1:1:2 [0] NCCL WARN NET/IB : mlx5_6:1 Got async event : port active", "?"},
	{"no symptom: mlx5's dump of a completion says no status",
	 "mlx5: n136: got completion with error:\n00000000 00000000 00000000 00000000\n"
	 "00000000 00008716 0a001f8e 000027d2\n",
	 "?"},
	{"no symptom: the scheduler lacks memory, and a taint has a slash",
	 "0/5 nodes are available: 2 Insufficient memory, 3 node(s) had untolerated taint "
	 "{node-role.kubernetes.io/control-plane: }.",
	 "?"},
	{"a resource of a device plugin behind one of the node's",
	 "0/3 nodes are available: 1 Insufficient memory, 2 Insufficient openshift.io/mlxrdma.",
	 "insufficient"},
	{"no memory region, for a reason in brackets: not memlock",
	 "ibv_reg_mr failed [error code: 14]", "gpu_memory"},
	{"no memory region, no reason: memlock", "Couldn't register MR", "memlock"},
	{"no memory region, no reason, but of a GPU",
	 "cuMemAlloc() of a 131072 bytes GPU buffer\nCouldn't register MR", "gpu_memory"},
	{"InfiniBand and RoCE ports together",
	 "NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_2:1/RoCE ; OOB eth0:10.0.0.1<0>\n"
	 "NCCL WARN Call to ibv_modify_qp failed with error Invalid argument",
	 "mixed_links"},
	{"InfiniBand ports alone",
	 "NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_2:1/IB ; OOB eth0:10.0.0.1<0>\n"
	 "NCCL WARN Call to ibv_modify_qp failed with error Invalid argument",
	 "gid"},
	{"RoCE ports alone",
	 "NCCL INFO NET/IB : Using [0]mlx5_2:1/RoCE ; OOB eth0:10.0.0.1<0>\n"
	 "NCCL WARN Call to ibv_modify_qp failed with error Invalid argument",
	 "gid"},
	{"a program's own setrlimit keeps no container from its start",
	 "setrlimit(RLIMIT_MEMLOCK): Operation not permitted", "ulimit"},
	{"no symptom: another program's hook", "husky: error running hook pre-commit", "?"},
	{"no symptom: sriov-cni's busy device is not the master's",
	 "error adding container to network \"n\": SRIOV-CNI failed: device or resource busy", "?"},
	{"no symptom: a module that is no RDMA's", "foo: Unknown symbol bar_baz (err 0)", "?"},
	{"an OCI hook that failed is said where nothing else is",
	 "runc create failed: error running createRuntime hook #0: exit status 1, stdout: ,",
	 "hook_failed"},
	{"no symptom: a word that only begins like one", "retry_exc_error_counter 12", "?"},
};

static void is_recognised(void **state)
{
	const struct text_case *row = *state;
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};
	struct err err = {0};
	char *text = unit_exact(row->text, strlen(row->text));

	assert_int_equal(symptom_explain(&findings, text, strlen(row->text), &err), 0);
	free(text);
	assert_string_equal(subjects(&findings), row->symptoms);
	assert_true(findings.n > 0);
	for (size_t i = 0; i < findings.n; i++) {
		const struct finding *finding = &findings.item[i];

		assert_true(finding->remedy[0] != '\0');
		if (!finding->subject[0]) {
			assert_int_equal(finding->status, FINDING_UNCHECKED);
			assert_has(finding->evidence, "nothing known");
			continue;
		}
		assert_true(finding->status == FINDING_FAIL || finding->status == FINDING_WARN);
		assert_has(finding->evidence, "; line ");
		assert_has(finding->remedy, "; known from: ");
	}
}

/* A row that was forgotten, or a text that does not fit, would say nothing or half of it. */
static void has_its_texts(const struct known *known)
{
	assert_true(known->status == FINDING_FAIL || known->status == FINDING_WARN);
	assert_true(strlen(known->cause) > 20 && strlen(known->cause) < 450);
	assert_true(strlen(known->remedy) > 20);
	assert_true(strlen(known->remedy) + strlen(known->confirm) < 600);
	assert_ptr_equal(known_find(known->name), known);
	for (const struct message *message = known->messages; message->part[0]; message++) {
		assert_true(message->from && message->from[0]);
		for (size_t i = 0; i < PARTS_MAX && message->part[i]; i++) {
			for (const char *c = message->part[i]; *c; c++)
				assert_false(*c >= 'A' && *c <= 'Z');
		}
	}
}

static void every_symptom_has_its_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < known_count(); i++) {
		const struct known *known = known_at(i);

		assert_non_null(known->name);
		has_its_texts(known);
		assert_true((!known->completions[0].status && !known->calls[0].name) ||
			    known->from != NULL);
	}
}

/* Two rows with one cause would print it twice: they are one row, or one turns into the other. */
static void a_cause_is_that_of_one_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < known_count(); i++) {
		for (size_t j = i + 1; j < known_count(); j++)
			assert_string_not_equal(known_at(i)->cause, known_at(j)->cause);
	}
}

static void a_turn_leads_to_a_symptom_or_nowhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < known_count(); i++) {
		const struct known *known = known_at(i);

		for (const struct turn *turn = known->turns; turn->to; turn++)
			assert_true(!turn->to[0] || known_find(turn->to));
	}
}

const char *any_message(unsigned number)
{
	return text_cases[number % LENGTH(text_cases)].text;
}

void add_known_tests(struct unit_suite *suite)
{

	UNIT_TABLE(suite, is_recognised, text_cases);
	unit_add(suite, "symptom: each list of a row ends, each turn leads to a row",
		 a_turn_leads_to_a_symptom_or_nowhere, NULL);
	unit_add(suite, "symptom: a cause is that of one row", a_cause_is_that_of_one_row, NULL);
	unit_add(suite, "symptom: each has a cause, a remedy and a name of its own",
		 every_symptom_has_its_texts, NULL);
}
