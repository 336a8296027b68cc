/* SPDX-License-Identifier: Apache-2.0 */
/* A struct as a JSON object: one table of its members writes and reads it. */
#ifndef OCI_RDMA_JSON_FIELDS_H
#define OCI_RDMA_JSON_FIELDS_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

struct json_pair {
	const char *name;
	const char *value;
};

struct json_pairs {
	struct json_pair *item;
	size_t n;
};

/* An absent member is read as NULL, the first word, 0, false, or no pairs. */
enum json_field_type {
	JSON_TEXT, /* const char *; NULL and "" are null */
	JSON_WORD, /* an enum: one of words */
	JSON_INT64,
	JSON_UINT64,
	JSON_FLAG,  /* bool */
	JSON_PAIRS, /* struct json_pairs */
};

struct json_field {
	const char *name; /* NULL: the table's end */
	enum json_field_type type;
	size_t offset;
	const char *const *words; /* ended by NULL */
};

/* The text in the arena, with "schema": 1; NULL without memory */
const char *json_fields_write(struct arena *arena, const struct json_field *fields,
			      const void *object, size_t *ret_len);

/* what: the file's name for errors. Returns 0 with *ret_object in the arena, or -1. */
int json_fields_read(struct arena *arena, const struct json_field *fields, const char *what,
		     const struct fs_text *text, void *ret_object, struct err *err);

#endif
