/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/trouble.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/symptom/line.h"
#include "doctor/symptom/words.h"

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
	long row[4];           /* by kind: the first of its file */
	const char *reason_at; /* the last reason counts: it stands at the line's end */
};

static bool fits(const struct known_part *part, const char *line)
{
	const char *const *with = part->with;

	while (*with && !line_search(line, *with))
		with++;
	return *with || with == part->with;
}

static void take_clue(const struct clue *clue, const char *line, struct clue_rows *rows)
{
	const struct known_word *word = clue->word;
	const char *at = line_find_word(line, word->text, word->left_open, word->right_open);
	long *row = &rows->row[clue->kind];

	if (!at || (clue->kind == PART && !fits(&known_parts[clue->row], line)))
		return;
	if (clue->kind == REASON && at > rows->reason_at) {
		rows->reason_at = at;
		*row = (long)clue->row;
	} else if (clue->kind != REASON && (*row < 0 || (long)clue->row < *row)) {
		*row = (long)clue->row;
	}
}

/* "returned -22", "errno 110", "rc: -12": for lines without words for it */
static int reason_by_number(const char *line)
{
	static const char *const fronts[] = {"errno ",     "errno: ",   "errno=",   "error code ",
					     "(err ",      "rc: ",      "rc = ",    "rc=",
					     "returned -", "ret=",      "ret: ",    "retcode = ",
					     "err=",       "failed, -", "status -", NULL};
	long number = line_number_behind(line, line + strlen(line), fronts);

	/* LONG_MIN has no positive counterpart, and no errno is so large. */
	if (number < -INT_MAX || number > INT_MAX)
		return NONE;
	number = labs(number);
	for (size_t i = 0; number > 1 && i < n_known_reasons; i++) {
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
	struct clue_rows rows = {{-1, -1, -1, -1}, line - 1};
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

enum grade trouble_letter(const char *text, size_t len)
{
	const char *end = text + (len < LETTER_WITHIN ? len : LETTER_WITHIN);

	for (const char *at = text; at < end; at++) {
		if (*at != 'E' && *at != 'W' && *at != 'F')
			continue;
		if ((at == text || !isalnum((unsigned char)at[-1])) && is_klog_time(at + 1, end))
			return *at == 'W' ? GRADE_WARNING : GRADE_ERROR;
	}
	return GRADE_NONE;
}
