/* SPDX-License-Identifier: Apache-2.0 */
/* A table of a struct's members writes and reads it as a JSON object. */
#pragma once

#include "core/base/fs.h"
#include "core/json/document.h"

struct json_pair {
	const char *name;
	const char *value;
};

struct json_pairs {
	struct json_pair *item;
	size_t n;
};

/* Types: const char * for JSON_STRING (NULL and "" become null), or an enum with words; uint64_t
 * for JSON_NUMBER; bool; struct json_pairs for JSON_OBJECT. Absent and null: zero */
struct json_field {
	const char *name; /* NULL ends the table */
	enum json_type type;
	size_t offset;
	const char *const *words; /* ended by NULL */
};

/* Row: JSON_FIELD(struct record, result, "result", JSON_STRING, .words = result_names) */
#define JSON_FIELD(object, member, name_, type_, ...)                                              \
	{                                                                                          \
		.name = (name_), .type = (type_), .offset = offsetof(object, member), __VA_ARGS__  \
	}

/* Adds "schema": 1. */
const char *json_fields_write(struct arena *arena, const struct json_field *fields,
			      const void *object, size_t *ret_len);

#define JSON_FIELDS_SIZE_MAX 8192

/* Reads name in dir (where: its path in errors); only root may write it. Returns 1, 0 if absent, or
 * -1. */
int json_fields_read(struct arena *arena, const struct json_field *fields, int dir,
		     const char *where, const char *name, void *ret_object, struct err *err);
