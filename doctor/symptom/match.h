/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "doctor/symptom/known.h"
#include "doctor/symptom/line.h"

struct match {
	size_t n;
	struct {
		size_t row;     /* of known_rows; each once */
		const char *at; /* its first place in the line */
	} seen[KNOWN_MAX];
	bool error; /* looks like an error */
};

/* Adds row unless it is there */
void match_add(struct match *match, size_t row, const char *at);

/* By number. Returns true if there are any. */
bool match_completions(const char *line, struct match *match);

void match_status(const char *line, const char *name, long status, struct match *match);

void match_calls(const char *line, struct match *match);

/* "Failed to register memory: Bad address": object and errno imply a call. */
void match_object(const char *line, const char *object, const char *call, struct match *match);

/* A node has none of a resource: matched as a failed call "allocatable" */
void match_resource(const char *line, struct match *match);

/* True if match_line() is worthwhile. text: len bytes as read */
bool match_wants(const char *text, size_t len, struct words_found *ret_found);

/* line: the same in lower case, NUL-terminated; found: from match_wants() */
void match_line(const struct words_found *found, const char *line, struct match *ret_match);
