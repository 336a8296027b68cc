/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/match.h"

#include <stdlib.h>
#include <string.h>

#include "doctor/symptom/failure.h"

/* STATUS: ibv_wc_status by name or ibv_wc_status_str. OBJECT: a program's word for a call. FACT:
 * facts.c. HARMLESS: only looks like an error. */
enum kind { MESSAGE, COMPLETION, STATUS, CALL, OBJECT, RESOURCE, FACT, HINT, ERROR, HARMLESS };

static const struct special {
	enum kind kind;
	const char *word[24];
	long status;
	const char *call;
} specials[] = {
	{COMPLETION, .word = {"got completion", "bad completion", "mlx5_poll_one", "failed status ",
			      "vendor err", "vendor_err", "(synd "}},
	{STATUS, .word = {"loc_qp_op_err", "local qp operation err"}, .status = 2},
	{STATUS, .word = {"loc_prot_err", "local protection error"}, .status = 4},
	{STATUS, .word = {"wr_flush_err", "work request flushed error"}, .status = 5},
	{STATUS, .word = {"rem_access_err", "remote access error"}, .status = 10},
	{STATUS, .word = {"rem_op_err", "remote operation error"}, .status = 11},
	{STATUS, .word = {"wc_retry_exc_err", "transport retry counter exceeded"}, .status = 12},
	{STATUS, .word = {"rnr_retry_exc_err", "rnr retry counter exceeded"}, .status = 13},
	{CALL, .word = {"ibv_", "mlx5dv_"}},
	{OBJECT,
	 .word = {"reg_mr", "mr_reg", "reg_user_mr", "register memory", "memory registration",
		  "memory region", "memoryregion", "register mr", "register a mr", "allocate mr",
		  "buffer mr"},
	 .call = "reg_mr"},
	{OBJECT, .word = {"completion queue", "create cq", "send cq", "recv cq", "cq resize"},
	 .call = "create_cq"},
	{OBJECT, .word = {"enable endpoint", "queue pair", " qp ", " qp: "}, .call = "create_qp"},
	{OBJECT, .word = {"modify qp", " qp to rt", " qp to state r"}, .call = "modify_qp"},
	{OBJECT, .word = {"query gid"}, .call = "query_gid"},
	{OBJECT, .word = {"rdma_create_"}, .call = "rdma_create"},
	{OBJECT, .word = {"rdma_bind_addr"}, .call = "rdma_bind_addr"},
	{OBJECT, .word = {"rdma_resolve_addr"}, .call = "rdma_resolve_addr"},
	{OBJECT, .word = {"/dev/infiniband/"}, .call = "open_device"},
	/* mlock(2), vfio and io_uring need only RLIMIT_MEMLOCK */
	{OBJECT,
	 .word = {"mlock", "to lock ", "pin_pages", "pin pages", "pin memory", "dma_map", "map_dma",
		  "dma remap", "io_uring"},
	 .call = "lock"},
	{RESOURCE, .word = {"rdma", "/hca", "sriov", "hostdev", "mlnx", "/efa"}},
	{FACT, .word = {"net/ib : using", ":ffff:", "max locked memory", "ulimit -l", "nccl_ib_",
			"nnodes ", " via ", "[rank", "process ", "failed (exitcode: ",
			"traceback (most", "limits:", "annotations:", "oci-rdma-hook.io/",
			"initialize any net plugin", "last error:", "hcas found", "fe80:"}},
	{HINT, .word = {"nccl info hint: "}},
	{ERROR, .word = {"nccl warn",     "error",     "fail",    "fatal",     "panic",
			 "exception",     "cannot ",   "can't ",  "couldn't ", "could not ",
			 "unable to",     "timed out", "timeout", "refused",   "denied",
			 "not permitted", "no such ",  "killed",  "aborted",   "unreachable"}},
	/* NCCL's INFO has harmless failures, pip complains, vLLM's level precedes a month. */
	{HARMLESS, .word = {"nccl info", "nvshmem info", "ucx  info", "ucx  debug", "ucx  diag",
			    "ucx  trace", "ucx  data", "ucx  req", "algbw"}},
	{HARMLESS,
	 .word = {"level=info", "level=debug", "level=warn", "\"level\":\"info\"", "<info>",
		  "<debug>", "*notice*", "[info]", "info: ", "info - ", "info 0", "info 1",
		  "[warning]", "warning - ", "warning 0", "warning 1"}},
	{HARMLESS,
	 .word = {"userwarning:", "futurewarning:", "runtimewarning:", "deprecationwarning:"}},
	{HARMLESS, .word = {"no error", "0 errors", "error handling", "error reporting",
			    "realtime timeout", "could not collect", "lspci: unable",
			    "# < failed to open", "# out of bounds", "pip's dependency resolver"}}};

struct rule {
	enum kind kind;
	const struct special *special;
	const struct message *message;
	size_t row;
};

static struct words words;
static struct rule rules[WORDS_MAX];

static void add_rule(const char *word, struct rule rule)
{
	int number = words_add(&words, word);

	if (number < 0)
		abort(); /* a test ensures that the table fits */
	rules[number] = rule;
}

static void add_rules(void)
{
	for (size_t i = 0; i < sizeof(specials) / sizeof(*specials); i++) {
		for (const char *const *word = specials[i].word; *word; word++)
			add_rule(*word, (struct rule){specials[i].kind, &specials[i], NULL, 0});
	}
	for (size_t row = 0; row < n_known_rows; row++) {
		for (const struct message *message = known_rows[row].messages; message->part[0];
		     message++) {
			const char *longest = message->part[0]; /* the rarest */

			for (size_t i = 1; i < PARTS_MAX && message->part[i]; i++) {
				if (strlen(message->part[i]) > strlen(longest))
					longest = message->part[i];
			}
			add_rule(longest, (struct rule){MESSAGE, NULL, message, row});
		}
	}
}

bool match_wants(const char *text, size_t len, struct words_found *ret_found)
{
	if (words.n == 0)
		add_rules();
	memset(ret_found, 0, sizeof(*ret_found));
	return words_find(&words, text, len, ret_found);
}

static const char *find_parts(const char *line, const struct message *message)
{
	const char *first = NULL;

	for (size_t i = 0; i < PARTS_MAX && message->part[i]; i++) {
		line = strstr(line, message->part[i]);
		if (!line)
			return NULL;
		if (!first)
			first = line;
		line += strlen(message->part[i]);
	}
	return message->unless && strstr(first, message->unless) ? NULL : first;
}

void match_add(struct match *match, size_t row, const char *at)
{
	size_t i = 0;

	while (i < match->n && match->seen[i].row != row)
		i++;
	if (i < match->n && match->seen[i].at <= at)
		return;
	match->seen[i].row = row;
	match->seen[i].at = at;
	match->n += i == match->n;
}

void match_line(const struct words_found *found, const char *line, struct match *ret_match)
{
	bool numbers;
	bool quiet;
	unsigned kinds = 0;

	ret_match->n = 0;
	ret_match->error = false;
	for (size_t i = 0; i < words.n; i++) {
		if (!words_has(found, i))
			continue;
		kinds |= 1u << rules[i].kind;
		ret_match->error |= rules[i].kind == ERROR && failure_reported(line, words.word[i]);
	}
	quiet = kinds & (1u << HARMLESS | 1u << HINT);
	ret_match->error = ret_match->error && !quiet && !failure_elsewhere(line);
	/* NCCL's hints guess: its switch falls through to the next error's (net_ib/common.h). */
	if (kinds & 1u << HINT)
		return;
	numbers = kinds & 1u << COMPLETION && match_completions(line, ret_match);
	if (kinds & 1u << CALL)
		match_calls(line, ret_match);
	if (kinds & 1u << RESOURCE)
		match_resource(line, ret_match);
	for (size_t i = 0; i < words.n; i++) {
		const struct rule *rule = &rules[i];
		const char *at;

		if (!words_has(found, i))
			continue;
		if (rule->kind == MESSAGE && (at = find_parts(line, rule->message)))
			match_add(ret_match, rule->row, at);
		else if (rule->kind == STATUS && !numbers)
			match_status(line, words.word[i], rule->special->status, ret_match);
		else if (rule->kind == OBJECT && !quiet)
			match_object(line, words.word[i], rule->special->call, ret_match);
	}
}
