/* SPDX-License-Identifier: Apache-2.0 */
/* What one line of a log shows: messages of the table, and forms that are more than words
 * (forms.c): work completions and calls of libibverbs */
#pragma once

#include "doctor/symptom/known.h"
#include "doctor/symptom/line.h"

/* What one line shows */
struct match {
	size_t n;
	struct {
		size_t row;     /* of known_rows; each once */
		const char *at; /* where in the line it is seen first */
	} seen[KNOWN_MAX];
	bool error; /* it looks like an error */
};

/* Notes that the row is seen here, if nowhere before */
void match_add(struct match *match, size_t row, const char *at);

/* Work completions by their numbers. Returns true if there are any. */
bool match_completions(const char *line, struct match *match);

/* One by its status' name, which the line has */
void match_status(const char *line, const char *name, long status, struct match *match);

/* Functions of libibverbs that failed */
void match_calls(const char *line, struct match *match);

/* "Failed to register memory: Bad address": what the line calls an object, and an errno behind it,
 * stand for a call that failed. */
void match_object(const char *line, const char *object, const char *call, struct match *match);

/* A resource of a node of which there is none: as the call "allocatable" */
void match_resource(const char *line, struct match *match);

/* ---- one line (match.c) ---- */

/* Of which of the words that are looked for a line has some: true if match_line is worth its while.
 * text: len bytes of a line as they were read */
bool match_wants(const char *text, size_t len, struct words_found *ret_found);

/* line: the same, NUL-terminated and in lower case; found: by match_wants */
void match_line(const struct words_found *found, const char *line, struct match *ret_match);
