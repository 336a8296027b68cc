/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add(struct match *match, enum symptom symptom, const char *at)
{
	if (!match->at[symptom] || at < match->at[symptom])
		match->at[symptom] = at;
}

/* strstr between text and end: what repeats in a line costs no more than the line is long. */
static const char *find(const char *text, const char *end, const char *part)
{
	return memmem(text, (size_t)(end - text), part, strlen(part));
}

/* The next place of part behind at, or the line's end */
static const char *next_of(const char *at, const char *part)
{
	const char *next = strstr(at + strlen(part), part);

	return next ? next : at + strlen(at);
}

/* ---- work completions ---- */

#define UNKNOWN (-1)

struct completion {
	long status; /* enum ibv_wc_status, or UNKNOWN */
	long vendor;
};

/*
 * The number behind "status=": "12", "0xc", "IBV_WC_RETRY_EXC_ERR(12)" since NCCL 2.28.7,
 * "(IBV_WC_RETRY_EXC_ERR)12" in its resiliency's lines.
 */
static long number_at(const char *text)
{
	char *end;
	long number;

	if (text[0] != '0' || text[1] != 'x')
		text += strspn(text, "abcdefghijklmnopqrstuvwxyz_() ");
	number = strtol(text, &end, 0);
	return end == text ? UNKNOWN : number;
}

static long number_behind(const char *text, const char *end, const char *const *fronts)
{
	for (; *fronts; fronts++) {
		const char *front = find(text, end, *fronts);

		if (front)
			return number_at(front + strlen(*fronts));
	}
	return UNKNOWN;
}

/*
 * NCCL: "Got completion from peer 10.0.0.1<4711> with error 12, opcode 0, len 0, vendor err 129"
 * (until 2.19), "… with status=12 opcode=1 len=0 vendor err 129 (Send)" (until 2.28.3), "… with
 * status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) … vendor_err=129" (since), all in
 * src/transport/net_ib*; IBext prints the first two. perftest: "Failed status 12: wr_id 0 syndrom
 * 0x81".
 */
static struct completion completion_between(const char *text, const char *end)
{
	static const char *const status[] = {"status=", "with error ", "failed status ", "status ",
					     NULL};
	static const char *const vendor[] = {"vendor err ", "vendor_err=", "vendor error ",
					     "vendor_err ", "syndrom ",    NULL};

	return (struct completion){
		.status = number_behind(text, end, status),
		.vendor = number_behind(text, end, vendor),
	};
}

static void add_completion(struct match *match, struct completion completion, const char *at)
{
	switch (completion.status) { /* enum ibv_wc_status of rdma-core's verbs.h */
	case 4:
		add(match, completion.vendor == 0x51 ? SYMPTOM_P2P_BLOCKED : SYMPTOM_LOC_PROT_ERR,
		    at);
		break;
	case 5:
		add(match, SYMPTOM_FLUSHED, at);
		break;
	case 10: /* IBV_WC_REM_ACCESS_ERR */
	case 11: /* IBV_WC_REM_OP_ERR */
		add(match, SYMPTOM_REMOTE_ERR, at);
		break;
	case 12:
		add(match, SYMPTOM_RETRY_EXC, at);
		break;
	case 13:
		add(match, SYMPTOM_RNR_RETRY_EXC, at);
		break;
	default:
		break;
	}
}

/* True if there was one; a log in one line of JSON may hold several. */
static bool match_completions(const char *line, struct match *match)
{
	static const char *const marks[] = {"got completion", "failed status ", "vendor err",
					    "vendor_err", NULL};
	bool any = false;

	for (const char *const *mark = marks; *mark && !any; mark++) {
		/* The first two stand in front of the numbers, the others between them. */
		bool front = mark < &marks[2];

		for (const char *at = line, *next; (at = strstr(at, *mark)); at = next) {
			struct completion completion;

			next = front ? next_of(at, *mark) : at + strlen(at);
			completion = completion_between(front ? at : line, next);
			if (completion.status == UNKNOWN)
				continue;
			add_completion(match, completion, at);
			any = true;
		}
	}
	return any;
}

/* The device's syndromes (rdma-core's providers/mlx5/mlx5dv.h); UNKNOWN if it is none of a
 * symptom. */
static long status_of_syndrome(long syndrome)
{
	static const struct {
		long syndrome;
		long status;
	} statuses[] = {{0x04, 4}, {0x05, 5}, {0x13, 10}, {0x14, 11}, {0x15, 12}, {0x16, 13}};

	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++) {
		if (statuses[i].syndrome == syndrome)
			return statuses[i].status;
	}
	return UNKNOWN;
}

/* UCX: "Local protection on mlx5_0:1/RoCE (synd 0x4 vend 0x51 hw_synd 0/57)",
 * src/uct/ib/mlx5/ib_mlx5_log.c */
static void match_ucx(const char *line, struct match *match)
{
	static const char front[] = "(synd ";
	static const char *const vendor[] = {" vend ", NULL};

	for (const char *at = line, *next; (at = strstr(at, front)); at = next) {
		long syndrome = strtol(at + strlen(front), NULL, 0);

		next = next_of(at, front);
		add_completion(match,
			       (struct completion){status_of_syndrome(syndrome),
						   number_behind(at, next, vendor)},
			       at);
	}
}

#define DUMP_LINES 4
#define DUMP_WORDS 4
#define DUMP_WIDTH (DUMP_WORDS * 9 - 1)

/* The words that a line ends in, which a log collector may have put something in front of */
static bool read_words(const char *line, unsigned long words[DUMP_WORDS])
{
	size_t len = strlen(line);
	const char *text = line + (len < DUMP_WIDTH ? 0 : len - DUMP_WIDTH);
	char *end;

	for (int i = 0; i < DUMP_WORDS; i++) {
		words[i] = strtoul(text, &end, 16);
		if (end - text != 8 || *end != (i < DUMP_WORDS - 1 ? ' ' : '\0'))
			return false;
		text = end + 1;
	}
	return true;
}

/*
 * libmlx5: "mlx5: node-1: got completion with error:", then its 64 bytes (dump_cqe in rdma-core's
 * providers/mlx5/cq.c). The second word of the last line ends in the vendor's syndrome and the
 * syndrome (struct mlx5_err_cqe): "00000000 00005104 09000aa9 000026d2".
 */
static void match_dump(const char *line, unsigned *dump, struct match *match)
{
	unsigned long words[DUMP_WORDS];

	if (strstr(line, "mlx5: ") && strstr(line, "got completion with error:")) {
		*dump = DUMP_LINES;
		return;
	}
	if (!*dump || !read_words(line, words) || --*dump)
		return;
	add_completion(match,
		       (struct completion){status_of_syndrome((long)(words[1] & 0xff)),
					   (long)(words[1] >> 8 & 0xff)},
		       line);
}

/* Only where no number says more: ibv_wc_status_str of rdma-core's verbs.c, and the names. */
static void match_names(const char *line, struct match *match)
{
	static const struct {
		const char *text;
		long status;
	} names[] = {
		{"loc_prot_err", 4},       {"local protection error", 4},
		{"wr_flush_err", 5},       {"work request flushed error", 5},
		{"rem_access_err", 10},    {"remote access error", 10},
		{"rem_op_err", 11},        {"remote operation error", 11},
		{"wc_retry_exc_err", 12},  {"transport retry counter exceeded", 12},
		{"rnr_retry_exc_err", 13}, {"rnr retry counter exceeded", 13},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *at = strstr(line, names[i].text);

		if (at) {
			struct completion completion = completion_between(line, at + strlen(at));

			completion.status = names[i].status;
			add_completion(match, completion, at);
		}
	}
}

/* ---- calls of libibverbs ---- */

#define ANY_REASON (-1)
#define NO_REASON 0
#define ERRNO_MAX 4095 /* MAX_ERRNO of Linux' include/linux/err.h */

/* The name without "ibv_", "ibv_exp_" (MLNX_OFED) or "mlx5dv_" */
static const struct call {
	const char *name;
	int reason;
	enum symptom symptom;
} calls[] = {
	/* NCCL before 2.11 says no reason for those that return a pointer. */
	{"reg_mr", ENOMEM, SYMPTOM_MEMLOCK},
	{"reg_mr", NO_REASON, SYMPTOM_MEMLOCK},
	{"reg_mr", EPERM, SYMPTOM_MEMLOCK_ZERO},
	{"reg_mr", EFAULT, SYMPTOM_GPU_MEMORY},
	{"reg_mr_iova", ENOMEM, SYMPTOM_MEMLOCK},
	{"reg_mr_iova", EPERM, SYMPTOM_MEMLOCK_ZERO},
	{"reg_mr_iova", EFAULT, SYMPTOM_GPU_MEMORY},
	{"reg_mr_iova2", ENOMEM, SYMPTOM_MEMLOCK},
	{"reg_mr_iova2", NO_REASON, SYMPTOM_MEMLOCK},
	{"reg_mr_iova2", EPERM, SYMPTOM_MEMLOCK_ZERO},
	{"reg_mr_iova2", EFAULT, SYMPTOM_GPU_MEMORY},
	{"create_cq", ENOMEM, SYMPTOM_MEMLOCK},
	{"create_cq", NO_REASON, SYMPTOM_MEMLOCK},
	{"create_cq", EPERM, SYMPTOM_MEMLOCK_ZERO},
	{"create_cq_ex", ENOMEM, SYMPTOM_MEMLOCK},
	{"create_qp", ENOMEM, SYMPTOM_MEMLOCK},
	{"create_qp", NO_REASON, SYMPTOM_MEMLOCK},
	{"create_qp", EPERM, SYMPTOM_MEMLOCK_ZERO},
	{"create_qp_ex", ENOMEM, SYMPTOM_MEMLOCK},
	{"create_srq", ENOMEM, SYMPTOM_MEMLOCK},
	{"create_srq", EPERM, SYMPTOM_MEMLOCK_ZERO},
	{"reg_dmabuf_mr", ANY_REASON, SYMPTOM_DMABUF},
	{"open_device", ANY_REASON, SYMPTOM_OPEN_DEVICE},
	{"query_gid", ANY_REASON, SYMPTOM_GID},
	{"modify_qp", EINVAL, SYMPTOM_GID},
	{"modify_qp", ENODATA, SYMPTOM_GID},
	{"modify_qp", NO_REASON, SYMPTOM_GID},
	{"modify_qp", ENODEV, SYMPTOM_GID_NETDEV},
	{"modify_qp", ETIMEDOUT, SYMPTOM_NO_ROUTE},
	{"modify_qp", ENETUNREACH, SYMPTOM_NO_ROUTE},
	{"modify_qp", EHOSTUNREACH, SYMPTOM_NO_ROUTE},
};

/* strerror(3) of the C locale, in lower case */
static const struct {
	const char *text;
	int number;
} reasons[] = {
	{"cannot allocate memory", ENOMEM},
	{"operation not permitted", EPERM},
	{"bad address", EFAULT},
	{"invalid argument", EINVAL},
	{"no data available", ENODATA},
	{"no such device", ENODEV},
	{"connection timed out", ETIMEDOUT},
	{"network is unreachable", ENETUNREACH},
	{"no route to host", EHOSTUNREACH},
	{"permission denied", EACCES},
	{"operation not supported", EOPNOTSUPP},
	{"protocol not supported", EPROTONOSUPPORT},
};

/*
 * Why a call failed, from what stands behind "failed": " with error Invalid argument errno 22"
 * (NCCL 2.21), " with 22 Invalid argument, on dev …" (2.22 and later), ": Cannot allocate memory"
 * (UCX). Some drivers return -110, for which there is no text. ANY_REASON if it is another one.
 */
static int reason_between(const char *text, const char *end)
{
	static const char *const fronts[] = {" errno ", "unknown error ", NULL};
	long number;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (find(text, end, reasons[i].text))
			return reasons[i].number;
	}
	number = number_behind(text, end, fronts);
	if (number < -ERRNO_MAX || number > ERRNO_MAX)
		return ANY_REASON;
	if (number != UNKNOWN)
		return abs((int)number);
	return strncmp(text, " with", strlen(" with")) == 0 || text[0] == ':' ? ANY_REASON
									      : NO_REASON;
}

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789_"

/*
 * The function whose name ends at end, "ibv_reg_mr" or "ibv_reg_mr(address=0x0, length=1)": where
 * it begins behind its prefix, and its length. NULL if none of libibverbs' is between line and end.
 */
static const char *function_before(const char *line, const char *end, size_t *ret_len)
{
	static const char *const prefixes[] = {"ibv_exp_", "ibv_", "mlx5dv_"};
	const char *begin;

	if (end > line && end[-1] == ')') {
		while (end > line && *end != '(')
			end--;
	}
	for (begin = end; begin > line && strchr(NAME_CHARACTERS, begin[-1]);)
		begin--;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t len = strlen(prefixes[i]);

		if ((size_t)(end - begin) > len && strncmp(begin, prefixes[i], len) == 0) {
			*ret_len = (size_t)(end - begin) - len;
			return begin + len;
		}
	}
	return NULL;
}

static void match_call(const char *name, size_t len, int reason, struct match *match)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		const struct call *call = &calls[i];

		if (strlen(call->name) == len && strncmp(call->name, name, len) == 0 &&
		    (call->reason == ANY_REASON || call->reason == reason))
			add(match, call->symptom, name);
	}
}

static void match_calls(const char *line, struct match *match)
{
	static const char failed[] = " failed";

	for (const char *at; (at = strstr(line, failed)); line = at + strlen(failed)) {
		const char *behind = at + strlen(failed);
		const char *next = next_of(at, failed);
		size_t len;
		const char *name = function_before(line, at, &len);

		/* "…, retrying 1/35 after 100 msec of sleep" (NCCL 2.22): it may still succeed. */
		if (name && !find(behind, next, ", retrying "))
			match_call(name, len, reason_between(behind, next), match);
	}
}

/* ---- other messages ---- */

#define PARTS_MAX 3

/* Each part must be in the line, in this order; none must not. */
static const struct pattern {
	enum symptom symptom;
	const char *part[PARTS_MAX];
	const char *none;
} patterns[] = {
	/* perftest's src/perftest_resources.c, with errno or, in older ones, without */
	{SYMPTOM_MEMLOCK, {"couldn't allocate mr"}, "mr with error="},
	{SYMPTOM_MEMLOCK, {"couldn't allocate mr with error=12"}, NULL},
	{SYMPTOM_GPU_MEMORY, {"couldn't allocate mr with error=14"}, NULL},
	/* NCCL src/bootstrap.cc, src/transport/net_socket.cc, net_ib; IBext src/p2p_plugin.c */
	{SYMPTOM_SOCKET_IFNAME, {"no socket interface found"}, NULL},
	{SYMPTOM_SOCKET_IFNAME, {"net/socket : no interface found"}, NULL},
	{SYMPTOM_SOCKET_IFNAME, {"net/ib : no ip interface found"}, NULL},
	/* A name that matches nothing ended like this until 2.27, NVIDIA/nccl issue 1837. */
	{SYMPTOM_SOCKET_IFNAME, {"is neither af_inet(", "nor af_inet6("}, NULL},
	{SYMPTOM_OOB_IFNAME, {"no device found matching", "nccl_oob_net_ifname"}, NULL},
	{SYMPTOM_OOB_IFNAME, {"no interface found in the same subnet"}, NULL},
	{SYMPTOM_OOB_IFNAME, {"no usable listening interface found"}, NULL},
	{SYMPTOM_BOOTSTRAP, {"nccl warn", "onnect to ", " failed : "}, NULL},
	{SYMPTOM_BOOTSTRAP, {"nccl warn", "onnect to ", "exceeded error retry count"}, NULL},
	{SYMPTOM_BOOTSTRAP, {"nccl warn", "socketpollconnect to ", " failed with error"}, NULL},
	{SYMPTOM_BOOTSTRAP, {"nccl warn", "connect: exceeded "}, NULL},
	/* src/transport/net_ib/init.cc */
	{SYMPTOM_NO_DEVICE, {"net/ib : no device found"}, NULL},
	{SYMPTOM_OPEN_DEVICE, {"net/ib : unable to open device"}, NULL},
	/* src/misc/ibvsymbols.cc */
	{SYMPTOM_LIBIBVERBS, {"failed to open libibverbs.so"}, NULL},
	/* Until 2.9 with "(no module)". "Disabled for GPU … (distance 4 > 3)" is of each pair that
	 * is not used, and normal. */
	{SYMPTOM_GDR_OFF, {"gpu direct rdma disabled for hca"}, NULL},
	{SYMPTOM_GDR_OFF, {"gpu direct rdma disabled for gpu", "(no module"}, NULL},
	/* ncclIbAsyncThreadMain; texts of rdma-core's ibv_event_type_str */
	{SYMPTOM_PORT_EVENT, {"async ", "event", ": port error"}, NULL},
	{SYMPTOM_PORT_EVENT, {"async ", "event", ": local catastrophic error"}, NULL},
	{SYMPTOM_GID_CHANGED, {"net/ib : ", "gid table change"}, NULL},
	/* src/plugin/net.cc, src/net.cc, src/plugin/plugin_open.cc */
	{SYMPTOM_NO_NETWORK, {"nccl warn", "error: network ", " not found"}, NULL},
	{SYMPTOM_NO_NETWORK, {"failed to initialize any net plugin"}, NULL},
	{SYMPTOM_PLUGIN, {"net/plugin", "undefined symbol"}, NULL},
	{SYMPTOM_PLUGIN,
	 {"net/plugin", "cannot open shared object file"},
	 ": libnccl-net"}, /* none in the image: normal */
	{SYMPTOM_PLUGIN, {"external network plugin ", " is unsupported"}, NULL},
	/* src/include/checks.h; cudaGetErrorString of 100, 802, 803, 804, 999 and 35 */
	{SYMPTOM_CUDA, {"cuda failure", "no cuda-capable device is detected"}, NULL},
	{SYMPTOM_CUDA, {"cuda failure", "system not yet initialized"}, NULL},
	{SYMPTOM_CUDA, {"cuda failure", "unsupported display driver / cuda driver"}, NULL},
	{SYMPTOM_CUDA, {"cuda failure", "forward compatibility was attempted"}, NULL},
	{SYMPTOM_CUDA, {"cuda failure", "'unknown error'"}, NULL},
	{SYMPTOM_CUDA, {"cuda failure", "cuda driver version is insufficient"}, NULL},
	/* The kernel's drivers/iommu/intel/dmar.c, amd/iommu.c, arm/arm-smmu-v3 */
	{SYMPTOM_IOMMU_FAULT, {"dmar: [dma ", "fault addr"}, NULL},
	{SYMPTOM_IOMMU_FAULT, {"amd-vi: event logged [io_page_fault"}, NULL},
	{SYMPTOM_IOMMU_FAULT, {"arm-smmu-v3", "event", "received"}, NULL},
	/* ncclGetErrorString in src/init.cc, src/misc/socket.cc */
	{SYMPTOM_UNHANDLED, {"unhandled system error"}, NULL},
	{SYMPTOM_UNHANDLED, {"remote process exited or there was a network error"}, NULL},
	{SYMPTOM_UNHANDLED, {"connection closed by remote peer"}, NULL},
};

static const char *find_parts(const char *line, const struct pattern *pattern)
{
	const char *first = NULL;

	for (size_t i = 0; i < PARTS_MAX && pattern->part[i]; i++) {
		line = strstr(line, pattern->part[i]);
		if (!line)
			return NULL;
		if (!first)
			first = line;
		line += strlen(pattern->part[i]);
	}
	return first;
}

static void match_patterns(const char *line, struct match *match)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		const char *at = find_parts(line, &patterns[i]);

		if (at && !(patterns[i].none && strstr(at, patterns[i].none)))
			add(match, patterns[i].symptom, at);
	}
}

/* "Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA", src/transport/net.cc */
static void match_channels(const char *line, struct match *match)
{
	const char *via = strstr(line, " via net/");

	match->channel = via != NULL;
	match->gdr = via && strstr(via, "/gdrdma");
}

struct match match_line(const char *line, unsigned *dump)
{
	struct match match = {0};

	/* NCCL explains errors by guesses, those of the next error included (its switch falls
	 * through, src/transport/net_ib/common.h): they are no evidence. */
	if (strstr(line, "nccl info hint: "))
		return match;
	if (!match_completions(line, &match))
		match_names(line, &match);
	match_ucx(line, &match);
	match_dump(line, dump, &match);
	match_calls(line, &match);
	match_patterns(line, &match);
	match_channels(line, &match);
	return match;
}
