/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/symptom/known.h"

/* What a word tells; the kinds are in the order in which a line's are asked for. */
struct clue {
	const struct known_word *word;
	enum { PART, AREA, REASON, OBJECT } kind;
	size_t row;
};

/* Made once: one pass over a line finds all clues. */
static struct words words;
static struct clue clues[WORDS_MAX];

/* The tables are ours: a test looks that they fit. */
static void add_clues(const struct known_word *word, int kind, size_t row)
{
	for (; word->text; word++) {
		int number = words_add(&words, word->text);

		if (number < 0)
			abort();
		clues[number] = (struct clue){word, kind, row};
	}
}

static void add_all(void)
{
	for (size_t i = 0; i < n_known_parts; i++)
		add_clues(known_parts[i].word, PART, i);
	for (size_t i = 0; i < n_known_areas; i++)
		add_clues(known_areas[i].word, AREA, i);
	for (size_t i = 0; i < n_known_reasons; i++)
		add_clues(known_reasons[i].word, REASON, i);
	for (size_t i = 0; i < n_known_objects; i++)
		add_clues(known_objects[i].word, OBJECT, i);
}

/* What the line's clues come to: rows, or -1 */
struct clue_rows {
	long row[4]; /* by kind: the first of its file */
	/* The last reason counts, for it stands at the line's end; of two that end together the
	 * longer: "address family not supported" */
	const char *reason_at;
	const char *reason_end;
};

static bool fits(const struct known_part *part, const char *line)
{
	const char *const *with = part->with;

	while (*with && !line_search(line, *with))
		with++;
	return *with || with == part->with;
}

static bool is_later(const char *at, const struct known_word *word, const struct clue_rows *rows)
{
	const char *end = at + strlen(word->text);

	return end > rows->reason_end || (end == rows->reason_end && at < rows->reason_at);
}

static void take_clue(const struct clue *clue, const char *line, struct clue_rows *rows)
{
	const struct known_word *word = clue->word;
	const char *at = line_find_word(line, word->text, word->left_open, word->right_open);
	long *row = &rows->row[clue->kind];

	if (!at || (clue->kind == PART && !fits(&known_parts[clue->row], line)))
		return;
	if (clue->kind == REASON && is_later(at, word, rows)) {
		rows->reason_at = at;
		rows->reason_end = at + strlen(word->text);
		*row = (long)clue->row;
	} else if (clue->kind != REASON && (*row < 0 || (long)clue->row < *row)) {
		*row = (long)clue->row;
	}
}

static const char *digits_before(const char *line, const char *end)
{
	while (end > line && isdigit((unsigned char)end[-1]))
		end--;
	return end;
}

static bool ends_in_function(const char *line, const char *end)
{
	const char *at = end;
	bool joined = false;

	for (; at > line && (isalnum((unsigned char)at[-1]) || at[-1] == '_'); at--)
		joined |= at[-1] == '_';
	return joined && at < end;
}

/* "rdma_resolve_addr, 98", "cxil_map() failed: -22" at the line's end. The number of a process that
 * has ended is its status or signal. */
static long number_at_end(const char *line)
{
	const char *end = line + strlen(line);
	const char *at = digits_before(line, end);
	bool minus = at > line && at[-1] == '-';
	const char *front = minus ? at - 1 : at;

	if (end - at > 4 || at == end || front - line < 3 || front[-1] != ' ' ||
	    line_search(line, "exit") || line_search(line, "signal"))
		return NONE;
	if ((minus && front[-2] == ':') || (front[-2] == ',' && ends_in_function(line, front - 2)))
		return strtol(at, NULL, 10);
	return NONE;
}

/* "returned -22", "errno 110", "rc: -12": for lines without words for it. 1 is a number of other
 * things in many lines, unless it is called errno. */
static int reason_by_number(const char *line)
{
	static const char *const errnos[] = {"errno = ", "errno ", "errno: ", "errno=", NULL};
	static const char *const fronts[] = {
		"error code ", "(err ",      "rc: ", "rc = ",     "rc=",      "returned -", "ret=",
		"ret: ",       "retcode = ", "err=", "failed, -", "status -", NULL};
	const char *end = line + strlen(line);
	long number = line_number_behind(line, end, errnos);
	long least = 1;

	if (number == UNKNOWN) {
		number = line_number_behind(line, end, fronts);
		least = 2;
	}
	if (number == UNKNOWN)
		number = number_at_end(line);
	/* LONG_MIN has no positive counterpart, and no errno is so large. */
	if (number < -INT_MAX || number > INT_MAX)
		return NONE;
	number = labs(number);
	for (size_t i = 0; number >= least && i < n_known_reasons; i++) {
		if (known_reasons[i].number == number)
			return (int)number;
	}
	return NONE;
}

static const struct known_because *because_of(int reason, const char *object)
{
	for (size_t i = 0; i < n_known_because; i++) {
		const struct known_because *because = &known_because[i];

		if (because->reason != ANY && because->reason != reason)
			continue;
		if (!because->object || (object && strcmp(because->object, object) == 0))
			return because;
	}
	return NULL;
}

void trouble_read(const char *line, struct trouble *ret_trouble)
{
	struct clue_rows rows = {{-1, -1, -1, -1}, NULL, line};
	struct words_found found = {0};
	const char *object;
	int reason;

	if (words.n == 0)
		add_all();
	(void)words_find(&words, line, strlen(line), &found);
	for (size_t i = 0; i < words.n; i++) {
		if (words_has(&found, i))
			take_clue(&clues[i], line, &rows);
	}
	object = rows.row[OBJECT] < 0 ? NULL : known_objects[rows.row[OBJECT]].name;
	reason = rows.row[REASON] < 0 ? reason_by_number(line)
				      : known_reasons[rows.row[REASON]].number;
	*ret_trouble = (struct trouble){
		.because = because_of(reason, object),
		.part = rows.row[PART] < 0 ? NULL : &known_parts[rows.row[PART]],
		.area = rows.row[AREA] < 0 ? NULL : &known_areas[rows.row[AREA]],
	};
}

#define LETTER_WITHIN 160

/* "0325 13:", "20260821 12:" */
static bool is_klog_time(const char *text, const char *end)
{
	const char *at = text;

	while (at < end && isdigit((unsigned char)*at))
		at++;
	return (at - text == 4 || at - text == 8) && end - at > 4 && at[0] == ' ' &&
	       isdigit((unsigned char)at[1]) && isdigit((unsigned char)at[2]) && at[3] == ':';
}

/* 0 for none */
static char klog_letter(const char *text, size_t len)
{
	const char *end = text + (len < LETTER_WITHIN ? len : LETTER_WITHIN);

	for (const char *at = text; at < end; at++) {
		if (*at != 'I' && *at != 'W' && *at != 'E' && *at != 'F')
			continue;
		if ((at == text || !isalnum((unsigned char)at[-1])) && is_klog_time(at + 1, end))
			return *at;
	}
	return 0;
}

enum grade trouble_letter(const char *text, size_t len, bool *ret_informs)
{
	char letter = klog_letter(text, len);

	*ret_informs = letter == 'I';
	if (!letter || *ret_informs)
		return GRADE_NONE;
	return letter == 'W' ? GRADE_WARNING : GRADE_ERROR;
}
