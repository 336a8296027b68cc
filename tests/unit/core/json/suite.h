/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of core/json/reader.h share */
#ifndef TESTS_UNIT_JSON_SUITE_H
#define TESTS_UNIT_JSON_SUITE_H

#include "tests/unit/unit.h"

#include "core/json/reader.h"

#define MEMBERS (const struct json_member[])

/*
 * The shapes that most tests read: an open root with one member per kind of shape that there is.
 */
struct fields {
	const char *text;
	int64_t number;
	uint64_t count;
	bool flag;
	size_t begun;   /* .take of list, map and item */
	size_t left;    /* .leave of item */
	size_t strings; /* items of list, members of map */
	char last_key[300];
	char last_text[300];
	size_t last_line;
};

extern const struct json_shape fields_shape;
int read_json(struct arena *arena, const char *json, size_t len, unsigned options,
	      const struct json_shape *shape, void *context, struct err *err);
int read_fields(struct arena *arena, const char *json, struct fields *fields, struct err *err);

#endif
