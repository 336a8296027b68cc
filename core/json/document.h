/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON text as a tree in an arena, read from top to bottom:
 *
 *	if (json_parse(&doc, arena, what, text, len, 0, err) < 0)
 *		return -1;
 *	process = json_get(&doc, doc.root, "process", JSON_OBJECT | JSON_NULL);
 *	json_each(item, json_get(&doc, process, "env", JSON_ARRAY | JSON_NULL))
 *		env[n++] = json_string(&doc, item);
 *	return doc.failed ? -1 : 0;
 *
 * The first error goes to *err, later ones to err->more. Functions then return harmless values:
 * check .failed once, at the end. NULL is an absent value.
 *
 * Depth, items and values are bounded; the caller bounds the size. Reading a duplicate key is an
 * error: Go takes the last value, json-c the first, and checking one must not approve the other.
 */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yajl/yajl_common.h>

#include "core/base/arena.h"
#include "core/base/err.h"

#define JSON_DEPTH_MAX 64
/* The API server accepts 256 KiB of annotations: 89,000 items */
#define JSON_ITEMS_MAX 131072
#define JSON_VALUES_MAX (4 * JSON_ITEMS_MAX)

/* Option: accept C and C++ comments */
#define JSON_COMMENTS 1U

enum json_type {
	JSON_NULL = 1 << 0,
	JSON_BOOL = 1 << 1,
	JSON_NUMBER = 1 << 2,
	JSON_STRING = 1 << 3,
	JSON_ARRAY = 1 << 4,
	JSON_OBJECT = 1 << 5,
};

#define JSON_ANY (JSON_NULL | JSON_BOOL | JSON_NUMBER | JSON_STRING | JSON_ARRAY | JSON_OBJECT)

struct json_node {
	enum json_type type;
	uint32_t begin; /* offset in the text; anywhere in a string */
	uint32_t end;   /* behind the last byte */
	uint32_t len;   /* array, object: items; else bytes of .text */
	uint32_t key_len;
	const char *key; /* decoded, may contain NUL; NULL in an array */
	union {
		const char *text; /* decoded if a string */
		struct json_node *first;
	};
	struct json_node *next;
};

struct json_document {
	struct arena *arena;
	struct err *err;
	bool failed;
	size_t errors;
	const struct json_node *faulty; /* the last error's value */
	const char *what;
	const char *text;
	size_t len;
	struct json_node *root;
};

/* what: the file's name in errors. text must outlive the document. After -1 .root is partial or
 * NULL. */
int json_parse(struct json_document *ret_doc, struct arena *arena, const char *what,
	       const char *text, size_t len, unsigned options, struct err *err);

/* The member, of one of these types; NULL if absent or an allowed null */
const struct json_node *json_get(struct json_document *doc, const struct json_node *object,
				 const char *key, unsigned types);

/* As json_string() */
const char *json_get_string(struct json_document *doc, const struct json_node *object,
			    const char *key);

/* Any type, no errors; the first of duplicates */
const struct json_node *json_find(const struct json_node *object, const char *key);

/* False if absent, or with an error if of another type */
bool json_expect(struct json_document *doc, const struct json_node *node, unsigned types);

/* Unknown keys are errors. NULL ends known. */
void json_known_keys(struct json_document *doc, const struct json_node *object,
		     const char *const *known);

const struct json_node *json_first(const struct json_node *node);

/* Items of an array or members of an object; nothing otherwise */
// NOLINTBEGIN(bugprone-macro-parentheses): item is a name, which the loop declares
#define json_each(item, container)                                                                 \
	for (const struct json_node *item = json_first(container); item; item = item->next)
// NOLINTEND(bugprone-macro-parentheses)

bool json_key_is(const struct json_node *member, const char *key);

bool json_equals(const struct json_node *node, const char *text);

/* NUL is an error. NULL if absent, "" after an error */
const char *json_string(struct json_document *doc, const struct json_node *node);
const char *json_key(struct json_document *doc, const struct json_node *member);

/* *ret_n is unchanged if the array is absent (NULL) or wrong. */
const char **json_strings(struct json_document *doc, const struct json_node *array, size_t *ret_n);

/* absent: returned also after an error, such as 1e3 for an integer */
bool json_bool(struct json_document *doc, const struct json_node *node, bool absent);
int64_t json_int64(struct json_document *doc, const struct json_node *node, int64_t absent);
uint64_t json_uint64(struct json_document *doc, const struct json_node *node, uint64_t absent);

/* Index in words, which NULL ends; 0 if absent */
unsigned json_word(struct json_document *doc, const struct json_node *node,
		   const char *const *words);

/* One zeroed item per item of the array; NULL after an error */
void *json_items(struct json_document *doc, const struct json_node *array, size_t item_size);

/* From 1; json_line() returns 0 for NULL */
size_t json_line(const struct json_document *doc, const struct json_node *node);
size_t json_line_at(const char *text, size_t offset);

/* node: where; NULL: the whole text. Returns -1. */
int json_fail(struct json_document *doc, const struct json_node *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

int json_no_memory(struct json_document *doc);

/* ---- for document.c: each returns -1 ---- */

int json_fail_type(struct json_document *doc, const struct json_node *node, unsigned types);

/* Keeps our own error, which stopped yajl. Shows said's first line only: the rest is untrusted. */
int json_fail_syntax(struct json_document *doc, size_t stopped, const unsigned char *said);

/* The text ends inside open (NULL: at the top) */
int json_fail_unfinished(struct json_document *doc, const struct json_node *open);

/* Without memory yajl writes through NULL (yajl_alloc.c, yajl_buf.c): we jump to .none_left. Call
 * setjmp() first, and own nothing. */
struct json_memory {
	struct arena *arena;
	yajl_alloc_funcs functions;
	jmp_buf none_left;
};

void json_memory_init(struct json_memory *memory, struct arena *arena);
