/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON text as a tree of values in an arena, which a reader goes through from top to bottom:
 *
 *	if (json_parse(&doc, arena, what, text, len, 0, err) < 0)
 *		return -1;
 *	process = json_get(&doc, doc.root, "process", JSON_OBJECT | JSON_NULL);
 *	json_each(item, json_get(&doc, process, "env", JSON_ARRAY | JSON_NULL))
 *		env[n++] = json_string(&doc, item);
 *	return doc.failed ? -1 : 0;
 *
 * The first error is kept, with file, line and path in front, and further ones for checking a file
 * (err->more); after it every function here returns something harmless, so a reader looks at
 * .failed once, at its end. Each function takes NULL for a value that is absent.
 *
 * Bounds (yajl has none): depth, items of a value, values in all. The caller bounds the size. A key
 * that occurs twice is an error if a reader asks for it: Go takes the last value, json-c the first,
 * and a check of one must not approve the other. Other keys may repeat.
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
/* The API server takes 256 KiB of annotations: 89,000 of one to three letters */
#define JSON_ITEMS_MAX 131072
#define JSON_VALUES_MAX (4 * JSON_ITEMS_MAX)

/* An option: C and C++ comments, for files that people write */
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
	uint32_t begin; /* offset in the text; of a string, somewhere in it */
	uint32_t end;   /* behind the last byte */
	uint32_t len;   /* array, object: items; else bytes of .text */
	uint32_t key_len;
	const char *key; /* decoded, may contain a NUL character; NULL for an array's item */
	union {
		const char *text; /* string: decoded, as .key; else as spelled */
		struct json_node *first;
	};
	struct json_node *next;
};

struct json_document {
	struct arena *arena;
	struct err *err;
	bool failed;                    /* the reason is in *err */
	size_t errors;                  /* so many, of which the further ones are in err->more */
	const struct json_node *faulty; /* the value of the last one */
	const char *what;
	const char *text;
	size_t len;
	struct json_node *root;
};

/* what: the file's name for errors. The text must live as long as the document. Returns 0, or -1
 * with the reason in *err; what was read until then is in .root, or .root is NULL. */
int json_parse(struct json_document *ret_doc, struct arena *arena, const char *what,
	       const char *text, size_t len, unsigned options, struct err *err);

/* The object's member of that key, of one of these types; NULL if it is absent, or a null that is
 * one of them. */
const struct json_node *json_get(struct json_document *doc, const struct json_node *object,
				 const char *key, unsigned types);

/* The same without errors: of any type, null too, and the first of several */
const struct json_node *json_find(const struct json_node *object, const char *key);

/* True if the value has one of the types; else that is the error. */
bool json_expect(struct json_document *doc, const struct json_node *node, unsigned types);

/* The first unknown key is an error; known ends with NULL. */
void json_known_keys(struct json_document *doc, const struct json_node *object,
		     const char *const *known);

const struct json_node *json_first(const struct json_node *node);

/* Each item of an array, or member of an object; none of anything else */
// NOLINTBEGIN(bugprone-macro-parentheses): item is a name, which the loop declares
#define json_each(item, container)                                                                 \
	for (const struct json_node *item = json_first(container); item; item = item->next)
// NOLINTEND(bugprone-macro-parentheses)

bool json_key_is(const struct json_node *member, const char *key);

/* True for a string of this text. */
bool json_equals(const struct json_node *node, const char *text);

/* A NUL character is an error: C would see another string. NULL if the value is absent, "" after an
 * error. */
const char *json_string(struct json_document *doc, const struct json_node *node);
const char *json_key(struct json_document *doc, const struct json_node *member);

/* An array of strings; *ret_n stays as it is if it is absent (NULL) or wrong. */
const char **json_strings(struct json_document *doc, const struct json_node *array, size_t *ret_n);

/* absent: what they return if the value is absent, or after an error. Integers only, in range; -1.0
 * or 1e3 are errors. */
bool json_bool(struct json_document *doc, const struct json_node *node, bool absent);
int64_t json_int64(struct json_document *doc, const struct json_node *node, int64_t absent);
uint64_t json_uint64(struct json_document *doc, const struct json_node *node, uint64_t absent);

/* Which of the words it is, counted from 0, which is also that of an absent value; NULL ends them.
 */
unsigned json_word(struct json_document *doc, const struct json_node *node,
		   const char *const *words);

/* Zeroed memory for an item of that size for each of the array's; NULL after an error. */
void *json_items(struct json_document *doc, const struct json_node *array, size_t item_size);

/* The line in the text, counted from 1: of a value, 0 without one, and of an offset */
size_t json_line(const struct json_document *doc, const struct json_node *node);
size_t json_line_at(const char *text, size_t offset);

/* What is wrong with the value. Returns -1. */
int json_fail(struct json_document *doc, const struct json_node *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* No memory. Returns -1. */
int json_no_memory(struct json_document *doc);

/* ---- for document.c: each returns -1 ---- */

/* types: those that the value was to have */
int json_fail_type(struct json_document *doc, const struct json_node *node, unsigned types);

/* Adds nothing to an error of ours, which has stopped yajl. said: its message, whose first line is
 * shown: the excerpt behind it may hold anything */
int json_fail_syntax(struct json_document *doc, size_t stopped, const unsigned char *said);

/* The text ends in the value that is open, or NULL. */
int json_fail_unfinished(struct json_document *doc, const struct json_node *open);

/* ---- memory for yajl ---- */

/*
 * yajl does not look whether it got memory (yajl_alloc.c, yajl_buf.c) and would write through NULL:
 * without memory it jumps to .none_left. Call setjmp() with that first, and own nothing meanwhile.
 */
struct json_memory {
	struct arena *arena;
	yajl_alloc_funcs functions;
	jmp_buf none_left;
};

void json_memory_init(struct json_memory *memory, struct arena *arena);
