/* SPDX-License-Identifier: Apache-2.0 */
/* match.h declares these. Failed work completions of NCCL, IBext, UCX and perftest */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/symptom/match.h"

/* rdma-core, providers/mlx5/mlx5dv.h; else UNKNOWN */
static long status_of_syndrome(long syndrome)
{
	static const struct {
		long syndrome;
		long status;
	} statuses[] = {{0x01, 1},  {0x02, 2},  {0x04, 4},  {0x05, 5}, {0x12, 9},
			{0x13, 10}, {0x14, 11}, {0x15, 12}, {0x16, 13}};

	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++) {
		if (statuses[i].syndrome == syndrome)
			return statuses[i].status;
	}
	return UNKNOWN;
}

/*
 * NCCL src/transport/net_ib*, IBext: "with error 12, … vendor err 129" (to 2.19), "with status=12 …
 * vendor err 129" (to 2.28.3), "status=IBV_WC_RETRY_EXC_ERR(12) … vendor_err=129". perftest:
 * "Failed status 12: … syndrom 0x81". RDMA_RC_example: "status: 0xc, vendor syndrome: 0x81". By
 * syndrome: UCX, ib_mlx5_log.c: "(synd 0x4 vend 0x51 hw_synd 0/57)"; Linux, mlx5/cq.c:
 * "syndrome 0x5, vendor syndrome 0xf9".
 */
static struct completion completion_between(const char *text, const char *end)
{
	static const char *const status[] = {"status=",       "with error ", "failed status ",
					     "with status: ", "status ",     NULL};
	static const char *const syndrome[] = {"(synd ", "): syndrome ", NULL};
	static const char *const vendor[] = {"vendor err ",
					     "vendor_err=",
					     "vendor error ",
					     "vendor_err ",
					     "vendor syndrome: ",
					     "vendor syndrome ",
					     "syndrom ",
					     " vend ",
					     NULL};
	long seen = line_number_behind(text, end, syndrome);

	return (struct completion){
		.status = seen == UNKNOWN ? line_number_behind(text, end, status)
					  : status_of_syndrome(seen),
		.vendor = line_number_behind(text, end, vendor),
	};
}

static size_t symptom_of(struct completion seen)
{
	size_t of_any = n_known_rows;

	for (size_t i = 0; i < n_known_rows; i++) {
		const struct completion *row = known_rows[i].completions;

		for (; row->status; row++) {
			if (row->status == seen.status && row->vendor == seen.vendor &&
			    seen.vendor != UNKNOWN)
				return i;
			if (row->status == seen.status && row->vendor == ANY)
				of_any = i;
		}
	}
	return of_any;
}

static void add_completion(struct match *match, struct completion seen, const char *at)
{
	size_t symptom = symptom_of(seen);

	if (symptom < n_known_rows)
		match_add(match, symptom, at);
}

/* JSON may hold several. */
bool match_completions(const char *line, struct match *match)
{
	static const char *const marks[] = {
		"got completion", "bad completion", "failed status ", "mlx5_poll_one",
		"(synd ",         "vendor err",     "vendor_err",     NULL};
	bool any = false;

	for (const char *const *mark = marks; *mark && !any; mark++) {
		/* "vendor" marks stand between the numbers, others before. */
		bool front = strncmp(*mark, "vendor", strlen("vendor")) != 0;

		for (const char *at = line, *next; (at = strstr(at, *mark)); at = next) {
			struct completion completion;

			next = front ? line_next(at, *mark) : at + strlen(at);
			completion = completion_between(front ? at : line, next);
			if (completion.status == UNKNOWN)
				continue;
			add_completion(match, completion, at);
			any = true;
		}
	}
	return any;
}

void match_status(const char *line, const char *name, long status, struct match *match)
{
	/* SPDK, any failed queue; an earlier line has the reason (lib/nvme/nvme_qpair.c) */
	static const char aborts[] = "abort requests after transport retry counter exceeded";
	const char *at = strstr(line, name);
	struct completion completion = completion_between(line, at + strlen(at));

	completion.status = status;
	if (!strstr(line, aborts))
		add_completion(match, completion, at);
}

/* Failed libibverbs calls of NCCL, IBext, UCX, NVSHMEM, perror(3) */

#define ERRNO_MAX 4095 /* MAX_ERRNO, include/linux/err.h */

/* First errno text (strerror(3), C locale, capital or not) or NONE. *ret_at: its start */
static int described_between(const char *text, const char *end, const char **ret_at)
{
	int found = NONE;

	for (int number = 1; number <= EHWPOISON; number++) {
		const char *what = strerrordesc_np(number);
		const char *at = what ? line_find(text, end, what + 1) : NULL;

		if (!at || at == text)
			continue;
		found = number;
		end = at;
		*ret_at = at - 1;
	}
	return found;
}

/* Kernel, libfabric: "rc: -12", "(-14)", "err -12"; else UNKNOWN. -1: any failure */
static long negative_between(const char *text, const char *end)
{
	for (const char *at = text; (at = memchr(at, '-', (size_t)(end - at))); at++) {
		char *behind;
		long number = strtol(at, &behind, 10);

		if (at > text && strchr(" (:=", at[-1]) && behind > at && number < -1 &&
		    !isalnum(*behind) && *behind != '-')
			return number;
	}
	return UNKNOWN;
}

/* After "failed": " with error Invalid argument errno 22" (NCCL 2.21), " with 22 Invalid
 * argument" (2.22), ": Cannot allocate memory" (UCX), " [error code: 14]" (ut-osa/assise#26),
 * -110; else ANY */
static int reason_between(const char *text, const char *end)
{
	static const char *const fronts[] = {" errno ",      "(errno ",        "errno=", "errno: ",
					     "error code: ", "unknown error ", "error=", NULL};
	const char *at;
	long number = described_between(text, end, &at);

	if (number != NONE)
		return (int)number;
	number = line_number_behind(text, end, fronts);
	if (number == UNKNOWN)
		number = negative_between(text, end);
	if (number < -ERRNO_MAX || number > ERRNO_MAX)
		return ANY;
	if (number != UNKNOWN)
		return abs((int)number);
	return strncmp(text, " with", strlen(" with")) == 0 || text[0] == ':' ? ANY : NONE;
}

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789_"

static bool begins_function(const char *line, const char *at, const char *prefix)
{
	size_t len = strlen(prefix);

	return (size_t)(at - line) >= len && memcmp(at - len, prefix, len) == 0 &&
	       ((size_t)(at - line) == len || !strchr(NAME_CHARACTERS, at[-(ptrdiff_t)len - 1]));
}

/* Name of the next libibverbs or libmlx5 function, without prefix; or NULL */
static const char *next_function(const char *line, const char *text)
{
	static const char end[] = "v_"; /* of "ibv_" and "mlx5dv_" */

	while ((text = strstr(text, end))) {
		bool is_one =
			begins_function(line, text, "ib") || begins_function(line, text, "mlx5d");

		text += strlen(end);
		if (is_one)
			return strncmp(text, "exp_", 4) == 0 ? text + 4 : text; /* MLNX_OFED */
	}
	return NULL;
}

/* Text after a failed "ibv_reg_mr" or "ibv_reg_mr(…)", or NULL */
static const char *behind_failure(const char *end, const char *next)
{
	static const char failed[] = " failed";
	const char *at = NULL;

	if (*end == '(') {
		end = memchr(end, ')', (size_t)(next - end));
		if (!end)
			return NULL;
		end++;
	}
	if (strncmp(end, failed, strlen(failed)) == 0)
		return end + strlen(failed);
	/* perror(3): "ibv_create_qp: Cannot allocate memory" */
	return *end == ':' && described_between(end, next, &at) && at == end + 2 ? end : NULL;
}

/* NVSHMEM: "ibrc.cpp:418: non-zero status: 110 ibv_modify_qp failed" */
static int reason_before(const char *line, const char *name)
{
	static const char front[] = "status: ";
	const char *function = name - strlen("ibv_");
	const char *begin = function - line > 20 ? function - 20 : line;
	const char *at = line_find(begin, function, front);
	char *end;
	long number;

	if (!at)
		return NONE;
	number = strtol(at + strlen(front), &end, 10);
	return end + 1 == function && number > 0 && number <= ERRNO_MAX ? (int)number : NONE;
}

static void match_call(const char *name, size_t len, int reason, struct match *match,
		       const char *at)
{
	for (size_t i = 0; i < n_known_rows; i++) {
		const struct call *call = known_rows[i].calls;

		for (; call->name; call++) {
			if ((call->reason == ANY || call->reason == reason) &&
			    strncmp(call->name, name, len) == 0 && !call->name[len])
				match_add(match, i, at);
		}
	}
}

void match_calls(const char *line, struct match *match)
{
	const char *name = next_function(line, line);

	while (name) {
		const char *following = next_function(line, name);
		const char *next = following ? following : name + strlen(name);
		size_t len = strspn(name, NAME_CHARACTERS);
		const char *behind = behind_failure(name + len, next);

		/* "…, retrying 1/35 …" (NCCL 2.22) may still succeed. */
		if (behind && !line_find(behind, next, ", retrying ")) {
			int reason = reason_between(behind, next);

			match_call(name, len, reason == NONE ? reason_before(line, name) : reason,
				   match, name);
		}
		name = following;
	}
}

void match_object(const char *line, const char *object, const char *call, struct match *match)
{
	const char *at = strstr(line, object);
	const char *behind = at + strlen(object);
	const char *end = behind + strlen(behind);
	int reason = reason_between(behind, end);
	const char *kernel = strstr(line, "infiniband ");
	size_t len = strlen("infiniband ");

	/* Not ibv_dereg_mr, nor "infiniband efa_0: …": the device's answer, not a limit's */
	if ((at - line >= 2 && strncmp(at - 2, "de", 2) == 0) ||
	    (kernel && kernel[len + strcspn(kernel + len, " :")] == ':'))
		return;
	if (reason != NONE && reason != ANY && !line_find(behind, end, ", retrying "))
		match_call(call, strlen(call), reason, match, at);
}

/* "  rdma/hca: 0" (kubectl describe node), "\"nvidia.com/hostdev\": \"0\"," (JSON) */
void match_resource(const char *line, struct match *match)
{
	const char *name = line + strspn(line, " \t\"");
	const char *slash = name + strcspn(name, "/ ");
	const char *colon = name + strcspn(name, ": ");
	const char *value = colon + strspn(colon, ": \"");

	if (*slash == '/' && slash < colon && *colon == ':' && value[0] == '0' &&
	    !value[1 + strspn(value + 1, "\", ")])
		match_call("allocatable", strlen("allocatable"), NONE, match, name);
}
