/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/match.h"

#include <stdlib.h>
#include <string.h>

/* What begins one of the special forms, what a fact is read from (facts.c), and what looks like an
 * error. A status is that of enum ibv_wc_status, by its name or as ibv_wc_status_str of rdma-core's
 * verbs.c says it. An object, as programs call it, stands for the function that was called. */
static const struct special {
	const char *word;
	enum { COMPLETION, STATUS, CALL, OBJECT, RESOURCE, FACT, HINT, ERROR } kind;
	long status;
	const char *call;
} specials[] = {
	{"got completion", COMPLETION, 0, NULL},
	{"bad completion", COMPLETION, 0, NULL},
	{"mlx5_poll_one", COMPLETION, 0, NULL},
	{"failed status ", COMPLETION, 0, NULL},
	{"vendor err", COMPLETION, 0, NULL},
	{"vendor_err", COMPLETION, 0, NULL},
	{"(synd ", COMPLETION, 0, NULL},
	{"loc_qp_op_err", STATUS, 2, NULL},
	{"local qp operation err", STATUS, 2, NULL},
	{"loc_prot_err", STATUS, 4, NULL},
	{"local protection error", STATUS, 4, NULL},
	{"wr_flush_err", STATUS, 5, NULL},
	{"work request flushed error", STATUS, 5, NULL},
	{"rem_access_err", STATUS, 10, NULL},
	{"remote access error", STATUS, 10, NULL},
	{"rem_op_err", STATUS, 11, NULL},
	{"remote operation error", STATUS, 11, NULL},
	{"wc_retry_exc_err", STATUS, 12, NULL},
	{"transport retry counter exceeded", STATUS, 12, NULL},
	{"rnr_retry_exc_err", STATUS, 13, NULL},
	{"rnr retry counter exceeded", STATUS, 13, NULL},
	{"ibv_", CALL, 0, NULL},
	{"mlx5dv_", CALL, 0, NULL},
	{"reg_mr", OBJECT, 0, "reg_mr"},
	{"mr_reg", OBJECT, 0, "reg_mr"},
	{"reg_user_mr", OBJECT, 0, "reg_mr"},
	{"register memory", OBJECT, 0, "reg_mr"},
	{"memory registration", OBJECT, 0, "reg_mr"},
	{"memory region", OBJECT, 0, "reg_mr"},
	{"memoryregion", OBJECT, 0, "reg_mr"},
	{"register mr", OBJECT, 0, "reg_mr"},
	{"allocate mr", OBJECT, 0, "reg_mr"},
	{"completion queue", OBJECT, 0, "create_cq"},
	{"create cq", OBJECT, 0, "create_cq"},
	{"send cq", OBJECT, 0, "create_cq"},
	{"recv cq", OBJECT, 0, "create_cq"},
	{"enable endpoint", OBJECT, 0, "create_qp"},
	{"queue pair", OBJECT, 0, "create_qp"},
	{" qp ", OBJECT, 0, "create_qp"},
	{"modify qp", OBJECT, 0, "modify_qp"},
	{"query gid", OBJECT, 0, "query_gid"},
	{"rdma_create_", OBJECT, 0, "rdma_create"},
	{"rdma_bind_addr", OBJECT, 0, "rdma_bind_addr"},
	{"/dev/infiniband/", OBJECT, 0, "open_device"},
	{"rdma", RESOURCE, 0, NULL},
	{"/hca", RESOURCE, 0, NULL},
	{"sriov", RESOURCE, 0, NULL},
	{"hostdev", RESOURCE, 0, NULL},
	{"mlnx", RESOURCE, 0, NULL},
	{"/efa", RESOURCE, 0, NULL},
	{"net/ib : using [", FACT, 0, NULL},
	{"nccl version ", FACT, 0, NULL},
	{":ffff:", FACT, 0, NULL},
	{"max locked memory", FACT, 0, NULL},
	{"nccl info hint: ", HINT, 0, NULL},
	{"nccl warn", ERROR, 0, NULL},
	{"error", ERROR, 0, NULL},
	{"fail", ERROR, 0, NULL},
	{"fatal", ERROR, 0, NULL},
	{"panic", ERROR, 0, NULL},
	{"exception", ERROR, 0, NULL},
	{"cannot ", ERROR, 0, NULL},
	{"can't ", ERROR, 0, NULL},
	{"couldn't ", ERROR, 0, NULL},
	{"could not ", ERROR, 0, NULL},
	{"unable to", ERROR, 0, NULL},
	{"timed out", ERROR, 0, NULL},
	{"timeout", ERROR, 0, NULL},
	{"refused", ERROR, 0, NULL},
	{"denied", ERROR, 0, NULL},
	{"not permitted", ERROR, 0, NULL},
	{"no such ", ERROR, 0, NULL},
	{"killed", ERROR, 0, NULL},
	{"aborted", ERROR, 0, NULL},
	{"unreachable", ERROR, 0, NULL},
};

#define SPECIALS (sizeof(specials) / sizeof(*specials))

/* What only looks like an error: NCCL informs of much that did not work, pip's resolver complains
 * about every image. */
static const char *const harmless[] = {"nccl info",
				       "no error",
				       "0 errors",
				       "error: 0",
				       "level=info",
				       "level=debug",
				       "\"level\":\"info\"",
				       "<info>",
				       "<debug>",
				       "*notice*",
				       "ucx  info",
				       "ucx  debug",
				       "ucx  diag",
				       "ucx  trace",
				       "ucx  data",
				       "ucx  req",
				       "pip's dependency resolver",
				       "# out of bounds",
				       "algbw",
				       NULL};

struct rule {
	const struct message *message;
	size_t row;
};

/* All that is looked for, made once: the words of specials, then one of each rule */
static struct words words;
static struct rule rules[WORDS_MAX];

/* The longest part is the one that the fewest lines have. */
static const char *word_of(const struct message *message)
{
	const char *longest = message->part[0];

	for (size_t i = 1; i < PARTS_MAX && message->part[i]; i++) {
		if (strlen(message->part[i]) > strlen(longest))
			longest = message->part[i];
	}
	return longest;
}

static void add_rules(void)
{
	for (size_t i = 0; i < SPECIALS; i++)
		(void)words_add(&words, specials[i].word);
	for (size_t row = 0; row < n_known_rows; row++) {
		for (const struct message *message = known_rows[row].messages; message->part[0];
		     message++) {
			int number = words_add(&words, word_of(message));

			if (number < 0)
				abort(); /* the table is ours: a test looks that it fits */
			rules[number] = (struct rule){message, row};
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

static bool is_harmless(const char *line)
{
	for (const char *const *word = harmless; *word; word++) {
		if (strstr(line, *word))
			return true;
	}
	return false;
}

/* The kinds of the specials that the line has, a bit for each */
static unsigned kinds_found(const struct words_found *found)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < SPECIALS; i++) {
		if (words_has(found, i))
			kinds |= 1u << specials[i].kind;
	}
	return kinds;
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

static void match_rules(const struct words_found *found, const char *line, struct match *match)
{
	for (size_t number = SPECIALS; number < words.n; number++) {
		const char *at =
			words_has(found, number) ? find_parts(line, rules[number].message) : NULL;

		if (at)
			match_add(match, rules[number].row, at);
	}
}

void match_line(const struct words_found *found, const char *line, struct match *ret_match)
{
	unsigned kinds = kinds_found(found);
	bool harmless_line = is_harmless(line);
	bool numbers = false;

	ret_match->n = 0;
	ret_match->error = false;
	/* NCCL explains errors by guesses, those of the next error included (its switch falls
	 * through, src/transport/net_ib/common.h): they are no evidence. */
	if (kinds & 1u << HINT)
		return;
	if (kinds & 1u << COMPLETION)
		numbers = match_completions(line, ret_match);
	if (kinds & 1u << CALL)
		match_calls(line, ret_match);
	if (kinds & 1u << RESOURCE)
		match_resource(line, ret_match);
	for (size_t i = 0; i < SPECIALS; i++) {
		const struct special *special = &specials[i];

		if (words_has(found, i) && special->kind == STATUS && !numbers)
			match_status(line, special->word, special->status, ret_match);
		else if (words_has(found, i) && special->kind == OBJECT && !harmless_line)
			match_object(line, special->word, special->call, ret_match);
	}
	match_rules(found, line, ret_match);
	ret_match->error = kinds & 1u << ERROR && !harmless_line;
}
