/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tests/unit/unit.h"

#include "core/json/document.h"

/* One member of each kind */
struct fields {
	const char *text;
	int64_t number;
	uint64_t count;
	bool flag;
	unsigned word;
	const char **list;
	size_t n_list;
	size_t strings; /* members of map */
	char last_key[300];
	char last_text[300];
	size_t last_line;
};

/* The text has no byte behind it (unit_exact). */
int read_json(struct arena *arena, const char *json, size_t len, unsigned options,
	      struct fields *fields, struct err *err);
int read_fields(struct arena *arena, const char *json, struct fields *fields, struct err *err);
