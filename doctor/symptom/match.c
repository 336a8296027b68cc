/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/match.h"

#include <stdlib.h>
#include <string.h>

/* What begins one of the special forms, what a fact is read from (facts.c), and what looks like an
 * error */
static const struct special {
	const char *word;
	enum { COMPLETION, CALL, FACT, HINT, ERROR } kind;
} specials[] = {
	{"got completion", COMPLETION},
	{"bad completion", COMPLETION},
	{"mlx5_poll_one", COMPLETION},
	{"failed status ", COMPLETION},
	{"vendor err", COMPLETION},
	{"vendor_err", COMPLETION},
	{"(synd ", COMPLETION},
	{"loc_qp_op_err", COMPLETION},
	{"local qp operation err", COMPLETION},
	{"loc_prot_err", COMPLETION},
	{"local protection error", COMPLETION},
	{"wr_flush_err", COMPLETION},
	{"work request flushed error", COMPLETION},
	{"rem_access_err", COMPLETION},
	{"remote access error", COMPLETION},
	{"rem_op_err", COMPLETION},
	{"remote operation error", COMPLETION},
	{"retry_exc_err", COMPLETION},
	{"retry counter exceeded", COMPLETION},
	{"ibv_", CALL},
	{"mlx5dv_", CALL},
	{"net/ib : using [", FACT},
	{"nccl version ", FACT},
	{":ffff:", FACT},
	{"max locked memory", FACT},
	{"nccl info hint: ", HINT},
	{"nccl warn", ERROR},
	{"error", ERROR},
	{"fail", ERROR},
	{"fatal", ERROR},
	{"panic", ERROR},
	{"exception", ERROR},
	{"cannot ", ERROR},
	{"can't ", ERROR},
	{"couldn't ", ERROR},
	{"could not ", ERROR},
	{"unable to", ERROR},
	{"timed out", ERROR},
	{"timeout", ERROR},
	{"refused", ERROR},
	{"denied", ERROR},
	{"not permitted", ERROR},
	{"no such ", ERROR},
	{"killed", ERROR},
	{"aborted", ERROR},
	{"unreachable", ERROR},
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

	ret_match->n = 0;
	ret_match->error = false;
	/* NCCL explains errors by guesses, those of the next error included (its switch falls
	 * through, src/transport/net_ib/common.h): they are no evidence. */
	if (kinds & 1u << HINT)
		return;
	if (kinds & 1u << COMPLETION)
		match_completions(line, ret_match);
	if (kinds & 1u << CALL)
		match_calls(line, ret_match);
	match_rules(found, line, ret_match);
	ret_match->error = kinds & 1u << ERROR && !is_harmless(line);
}
