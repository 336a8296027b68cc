/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/symptom/known.h"

/* What begins one of the special forms; each is a word before those of the messages. */
static const struct special {
	const char *word;
	enum { COMPLETION, CALL, HINT, RETURN } kind;
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
	{"nccl info hint: ", HINT},
	{".cc:", RETURN},
};

#define SPECIALS (sizeof(specials) / sizeof(*specials))

/* A message, and the symptom, the fact or the area that it shows */
struct rule {
	const char *const *part;
	size_t parts; /* at most */
	const char *unless;
	const char *from;
	bool one_word;
	size_t symptom; /* if fact, area and grade are 0 */
	unsigned fact;
	unsigned area;
	enum grade grade;
	const struct known_word *word; /* of an area */
};

/* All that is looked for, made once: the words of specials, then one of each rule */
static struct words words;
static struct rule rules[WORDS_MAX];

/* The longest part is the one that the fewest lines have. */
static const char *word_of(const struct rule *rule)
{
	const char *longest = rule->part[0];

	for (size_t i = 1; i < rule->parts && rule->part[i]; i++) {
		if (strlen(rule->part[i]) > strlen(longest))
			longest = rule->part[i];
	}
	return longest;
}

/* The tables are ours: a test looks that they fit. */
static void add_rule(struct rule rule)
{
	int number = words_add(&words, word_of(&rule));

	if (number < 0)
		abort();
	rules[number] = rule;
}

static void add_areas(void)
{
	for (size_t i = 0; i < n_known_areas; i++) {
		for (const struct known_word *word = known_areas[i].word; word->text; word++)
			add_rule((struct rule){
				.part = &word->text, .parts = 1, .area = 1u << i, .word = word});
	}
}

static void add_severity(void)
{
	for (size_t i = 0; i < n_known_severity; i++) {
		const struct known_word *word = known_severity[i].word;

		for (; word->text; word++)
			add_rule((struct rule){
				.part = &word->text, .parts = 1, .grade = known_severity[i].grade});
	}
}

static void add_rules(void)
{
	for (size_t i = 0; i < SPECIALS; i++)
		(void)words_add(&words, specials[i].word);
	for (size_t i = 0; i < known_count(); i++) {
		const struct message *message = known_at(i)->messages;

		for (; message->part[0]; message++)
			add_rule((struct rule){.part = message->part,
					       .parts = PARTS_MAX,
					       .unless = message->unless,
					       .from = message->from,
					       .one_word = message->one_word,
					       .symptom = i});
	}
	for (size_t i = 0; i < n_known_facts; i++)
		add_rule((struct rule){.part = known_facts[i].part,
				       .parts = PARTS_MAX,
				       .fact = known_facts[i].fact});
	add_severity();
	add_areas();
}

bool matcher_wants(struct matcher *matcher, const char *text, size_t len)
{
	uint64_t any = 0;

	if (words.n == 0)
		add_rules();
	memset(&matcher->found, 0, sizeof(matcher->found));
	(void)words_find(&words, text, len, &matcher->found);
	for (size_t i = 0; i < sizeof(matcher->found.bits) / sizeof(*matcher->found.bits); i++) {
		matcher->found.bits[i] &= ~matcher->known.bits[i];
		any |= matcher->found.bits[i];
	}
	matcher->letter = trouble_letter(text, len, &matcher->informs);
	if (matcher->letter <= matcher->heard)
		matcher->letter = GRADE_NONE;
	return any || matcher->dump > 0 || matcher->letter;
}

/* The next place where part is followed by last without a blank between them */
static const char *find_word(const char *line, const char *part, const char *last)
{
	while ((line = line_search(line, part))) {
		const char *rest = line + strlen(part);
		const char *end = rest + strcspn(rest, " \t");

		if (line_find(rest, end, last))
			return line;
		line = rest;
	}
	return NULL;
}

static bool is_last(const struct rule *rule, size_t i)
{
	return i + 1 == rule->parts || !rule->part[i + 1];
}

static const char *find_parts(const char *line, const struct rule *rule)
{
	const char *first = NULL;

	for (size_t i = 0; i < rule->parts && rule->part[i]; i++) {
		if (rule->one_word && !is_last(rule, i) && is_last(rule, i + 1))
			line = find_word(line, rule->part[i], rule->part[i + 1]);
		else
			line = line_search(line, rule->part[i]);
		if (!line)
			return NULL;
		if (!first)
			first = line;
		line += strlen(rule->part[i]);
	}
	return rule->unless && line_search(first, rule->unless) ? NULL : first;
}

static bool has_any(const char *line, const char *const *parts)
{
	for (; *parts; parts++) {
		if (line_search(line, *parts))
			return true;
	}
	return false;
}

/* "transport/net.cc:140 -> 3": where an error came through, which NCCL only informs of */
static bool is_nccl_return(const char *line)
{
	const char *at = line_search(line, "nccl info ") ? line_search(line, ".cc:") : NULL;
	size_t digits = at ? strspn(at + 4, "0123456789") : 0;

	return digits && strncmp(at + 4 + digits, " -> ", 4) == 0 &&
	       isdigit((unsigned char)at[4 + digits + 4]);
}

/* What the line is by its program's word: what NCCL only informs of, and what says that there is no
 * error, is none; in other programs' information an error may be told. */
static enum grade graded(const char *line, bool informs, enum grade grade)
{
	static const char *const harmless[] = {"nccl info", "no error", "0 errors", "error: 0",
					       NULL};
	static const char *const informing[] = {
		"ucx  info", "ucx  debug",         "ucx  diag",   "ucx  trace", "ucx  req",
		"ucx  data", "level=info",         "level=debug", "*notice*",   "<info>",
		"<debug>",   "\"level\":\"info\"", NULL};

	static const char *const meant[] = {"nccl warn",  "level=error", "level=fatal",
					    "ucx  error", "ucx  fatal",  "failedcreatepodsandbox",
					    NULL};

	if (!grade || has_any(line, meant))
		return grade;
	if (has_any(line, harmless))
		return GRADE_NONE;
	return informs || has_any(line, informing) ? GRADE_WORD : grade;
}

/* A fact or an area that is known makes no line worth a look. */
static void forget(struct matcher *matcher, const struct rule *rule)
{
	for (size_t i = SPECIALS; i < words.n; i++) {
		if (rules[i].fact == rule->fact && rules[i].area == rule->area && !rules[i].grade)
			words_set(&matcher->known, i);
	}
}

void matcher_hears(struct matcher *matcher, enum grade grade)
{
	matcher->heard = grade;
	for (size_t i = SPECIALS; i < words.n; i++) {
		if (rules[i].grade && rules[i].grade <= grade)
			words_set(&matcher->known, i);
	}
}

/* Only in a line that is no known symptom */
static void match_grade(enum grade grade, const char *at, struct match *match)
{
	if (match->n || grade <= match->grade)
		return;
	match->grade = grade;
	match->trouble = at;
}

static void match_area(struct matcher *matcher, const struct rule *rule, const char *line,
		       struct match *match)
{
	const struct known_word *word = rule->word;

	if (!line_find_word(line, word->text, word->left_open, word->right_open))
		return;
	match->areas |= rule->area;
	forget(matcher, rule);
}

static void match_rule(struct matcher *matcher, const struct rule *rule, const char *line,
		       struct match *match)
{
	const char *at = find_parts(line, rule);

	if (at && rule->area)
		match_area(matcher, rule, line, match);
	else if (at && rule->grade)
		match_grade(rule->grade, at, match);
	else if (at && rule->fact) {
		match->facts |= rule->fact;
		forget(matcher, rule);
	} else if (at)
		match_add(match, rule->symptom, at, rule->from);
}

/* The kinds of the specials that the line has, a bit for each */
static unsigned kinds_found(const struct matcher *matcher)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < SPECIALS; i++) {
		if (words_has(&matcher->found, i))
			kinds |= 1u << specials[i].kind;
	}
	return kinds;
}

/* In the order of the rules: those of symptoms come before those of facts. */
static void match_rules(struct matcher *matcher, const char *line, struct match *match)
{
	for (size_t i = 0; i < sizeof(matcher->found.bits) / sizeof(*matcher->found.bits); i++) {
		for (uint64_t bits = matcher->found.bits[i]; bits; bits &= bits - 1) {
			size_t number = 64 * i + (size_t)__builtin_ctzll(bits);

			if (number >= SPECIALS)
				match_rule(matcher, &rules[number], line, match);
		}
	}
}

void match_line(struct matcher *matcher, const char *line, struct match *ret_match)
{
	unsigned kinds = kinds_found(matcher);

	ret_match->n = 0;
	ret_match->facts = 0;
	ret_match->areas = 0;
	ret_match->grade = GRADE_NONE;
	ret_match->trouble = line;
	/* NCCL explains errors by guesses, those of the next error included (its switch falls
	 * through, src/transport/net_ib/common.h): they are no evidence. */
	if (kinds & 1u << HINT)
		return;
	if (kinds & 1u << COMPLETION || matcher->dump)
		match_completions(line, &matcher->dump, ret_match);
	if (kinds & 1u << CALL)
		match_calls(line, ret_match);
	match_rules(matcher, line, ret_match);
	match_grade(matcher->letter, line, ret_match);
	ret_match->grade = graded(line, matcher->informs, ret_match->grade);
	if (kinds & 1u << RETURN && is_nccl_return(line))
		match_grade(GRADE_TRACE, line, ret_match);
}
