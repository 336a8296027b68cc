/* SPDX-License-Identifier: Apache-2.0 */
/* A struct as a JSON object: one table of its members writes and reads it. */
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

/*
 * The member's type in C: const char * for JSON_STRING (NULL and "" are null), or an enum if there
 * are words; a number of 64 bits, which is not negative, for JSON_NUMBER; bool for JSON_BOOL;
 * struct json_pairs for JSON_OBJECT. One that is absent or null is read as zero.
 */
struct json_field {
	const char *name; /* NULL: the table's end */
	enum json_type type;
	size_t offset;
	const char *const *words; /* ended by NULL */
};

/* A row: JSON_FIELD(struct record, result, "result", JSON_STRING, .words = result_names) */
#define JSON_FIELD(object, member, name_, type_, ...)                                              \
	{                                                                                          \
		.name = (name_), .type = (type_), .offset = offsetof(object, member), __VA_ARGS__  \
	}

/* The text in the arena, with "schema": 1; NULL without memory */
const char *json_fields_write(struct arena *arena, const struct json_field *fields,
			      const void *object, size_t *ret_len);

/* A longer file is not read. */
#define JSON_FIELDS_SIZE_MAX 8192

/* Reads the file of this name in dir, whose path is where for errors; it must be root's alone.
 * Returns 1 with *ret_object in the arena; 0: there is none; or -1. */
int json_fields_read(struct arena *arena, const struct json_field *fields, int dir,
		     const char *where, const char *name, void *ret_object, struct err *err);
