/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON in one pass over yajl's callbacks. A reader says by a tree of shapes which places of the
 * text it wants; all else is skipped, whatever it is.
 *
 * Bounds (yajl itself has none): depth, members per object and items per array. The size is bounded
 * by the file's reader. In an object whose shape names its members, one that occurs twice is
 * an error: Go takes the last, json-c the first, and a check of one must not bless the other.
 */
#ifndef OCI_RDMA_JSON_READER_H
#define OCI_RDMA_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/json/document.h"
#include "core/json/memory.h"

/* Until the last caller of this reader is gone: its functions that are called as the document's. */
#define json_line json_value_line
#define json_int64 json_value_int64
#define json_uint64 json_value_uint64
#define json_word json_value_word
#define json_equals json_value_equals
#define json_string json_value_string

struct parse;

/* Valid during the callback only. */
struct json_value {
	enum json_type type;
	const char *key;  /* the member's name in an object's .each, else NULL */
	const char *text; /* string: decoded; number: as it is spelled; not NUL-terminated */
	size_t len;
	bool boolean;
	struct parse *place;
};

/* The value's line in the text, counted from 1. Not for each value: it counts what is in front. */
size_t json_line(const struct json_value *value);

/* Returns 0, or negative with the reason in *err; file, line and path are put in front of it. */
typedef int json_take(void *context, const struct json_value *value, struct err *err);

struct json_member;

/* Where a scalar goes without a callback: a field of the context at .offset; null leaves it as it
 * is. */
enum json_store {
	JSON_STORE_NOTHING,
	JSON_STORE_STRING, /* const char *, in the arena */
	JSON_STORE_INT64,
	JSON_STORE_UINT64,
	JSON_STORE_BOOL, /* bool; a string is one of two .words, and true if it is the second */
	JSON_STORE_WORD, /* an enum that counts from 0 as .words do */
	JSON_STORE_SPAN, /* struct json_span: where an array, an object or null stands */
};

struct json_shape {
	unsigned types; /* what may stand here: JSON_* */
	enum json_store store;
	size_t offset;
	const char *const *words;           /* the strings that may be stored; ends with NULL */
	json_take *take;                    /* a scalar, or the begin of an array or object */
	int (*leave)(void *, struct err *); /* the end of an array or object */
	const struct json_member *members;  /* object: ends with .name == NULL */
	const struct json_shape *each; /* array: its items; object: members that are not named */
	bool closed;  /* object: a member that is neither named nor goes to .each is an error */
	bool repeats; /* as a named member it may occur more than once, and each counts */
};

struct json_member {
	const char *name;
	const struct json_shape *shape;
};

/* A shape's .members */
#define JSON_MEMBERS(...)                                                                          \
	.members = (const struct json_member[])                                                    \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

/* A shape's .store and .offset: the field of that type (struct …) is the context's. A field of
 * another type than JSON_STORE_<kind> writes does not compile. */
#define JSON_FIELD(kind, type, field)                                                              \
	.store = JSON_STORE_##kind, .offset = _Generic(&((type *)0)->field, JSON_FIELD_##kind *    \
						       : offsetof(type, field))
#define JSON_FIELD_STRING const char *
#define JSON_FIELD_INT64 int64_t
#define JSON_FIELD_UINT64 uint64_t
#define JSON_FIELD_BOOL bool
#define JSON_FIELD_SPAN struct json_span

struct json_source {
	const char *what; /* the file's name for errors */
	const char *text;
	size_t len;
	unsigned options;
};

/* Strings that are stored live in the arena. context: what the shapes' offsets and callbacks mean.
 */
int json_read(struct arena *arena, const struct json_source *source, const struct json_shape *root,
	      void *context, struct err *err);

/* Integers only, in range; -1.0 or 1e3 are refused. */
int json_int64(const struct json_value *value, int64_t *ret, struct err *err);
int json_uint64(const struct json_value *value, uint64_t *ret, struct err *err);

/* Which of the words it is, counted from 0. others: what else the error should name, behind them */
int json_word(const struct json_value *value, const char *const *words, const char *others,
	      unsigned *ret, struct err *err);

/* True for a string of this text. */
bool json_equals(const struct json_value *value, const char *text);

/* A copy in the arena. A string that holds a NUL is refused: C would see another string. */
int json_string(struct arena *arena, const struct json_value *value, const char **ret,
		struct err *err);

/* The same behind the *count strings of an array that grows (arena_grow). */
int json_append_string(struct arena *arena, const struct json_value *value, const char ***array,
		       size_t *count, size_t *room, struct err *err);

/* ---- slips of the pen in a JSON text that a parser has refused, for people (slip.c) ---- */

struct json_slip {
	const char *what;
	size_t line; /* counted from 1 */
};

/*
 * What is not closed at the text's end: a string, a comment, a bracket. comments: the text may have
 * some. False if nothing is.
 */
bool json_find_unclosed(const char *text, size_t len, bool comments, struct json_slip *ret_slip);

/* A comma behind the last item, where a parser has stopped at or behind the bracket that follows.
 */
bool json_find_comma(const char *text, size_t len, size_t stopped, bool comments,
		     struct json_slip *ret_slip);

#endif
