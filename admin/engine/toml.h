/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOML 1.0 (toml.io), in which CRI-O and containerd are configured. No distribution has a C library
 * for it as a static one.
 *
 * The whole grammar is read and checked, but numbers, dates and times only by their characters.
 * Strings and arrays of strings are told by their value, other values as such; an inline table as a
 * table, and a dotted key as one of the table that it means. Nothing below an array is told.
 */
#ifndef OCI_RDMA_TOML_H
#define OCI_RDMA_TOML_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

/* ---- the scanner (toml_scan.c) ---- */

/* The words of TOML 1.0: strings, and what else a value may be but an array or an inline table. */

struct toml_scan {
	struct arena *arena;
	const char *what; /* the file, for errors */
	const char *at;
	size_t line;
	struct err *err;
};

/* Sets *err, with file and line. Returns -1. */
int toml_fail(struct toml_scan *scan, const char *why);

/* Spaces and tabs */
void toml_skip_spaces(struct toml_scan *scan);

/* A comment, if there is one, and the line's end; also at the text's end. */
int toml_end_line(struct toml_scan *scan);

/* Spaces, comments and line ends, as many as there are */
int toml_skip_lines(struct toml_scan *scan);

/* True if a string begins here. */
bool toml_at_string(const struct toml_scan *scan);

/* "basic", 'literal', and both of several lines where that is allowed. In the arena. */
int toml_string(struct toml_scan *scan, bool several_lines, const char **ret);

/* Passes over a truth, a number, a date or a time. */
int toml_skip_scalar(struct toml_scan *scan);

/* ---- the values that a reader wants (toml.c) ---- */

enum toml_type {
	TOML_STRING,
	TOML_STRINGS, /* an array that holds nothing but strings */
	TOML_TABLE,   /* an inline one, when all of it has been told */
	TOML_OTHER,
};

struct toml_value {
	enum toml_type type;
	const char *string;
	const char **strings;
	size_t n;
	size_t line;
	/* Key (without what stands before its last dot), "=" and value as the text has them: not
	 * NUL-terminated */
	const char *spelled;
	size_t spelled_len;
};

/* A key with its value, as a file has them */
struct toml_entry {
	const char *table;   /* the one below the reader's; "" in its own */
	const char *key;     /* without quotes */
	const char *spelled; /* "key = value" */
};

struct toml_entries {
	struct toml_entry *item;
	size_t n;
	size_t room;
};

/* Returns 0, or -1 without memory. */
int toml_entries_add(struct arena *arena, struct toml_entries *entries, const char *table,
		     const char *key, const struct toml_value *value);

/* table: "" at the top, else its name as toml_spell writes each part: crio.runtime.runtimes.rdma,
 * plugins."io.containerd.grpc.v1.cri". key: without quotes. Everything lives in the arena. Returns
 * 0, or negative with *err. */
typedef int toml_take(void *context, const char *table, const char *key,
		      const struct toml_value *value, struct err *err);

/* Calls take for each table's heading (key "", value NULL) and each key, as they come. text is NUL-
 * terminated; it stays as it is. After an error what was told before it has been told. */
int toml_read(struct arena *arena, const char *what, const char *text, toml_take *take,
	      void *context, struct err *err);

/*
 * One part of a name in the one spelling that table has, whatever the file's: bare if it can be,
 * else in double quotes. So the dot of "rdma.gpu" is none between parts. NULL without memory.
 */
const char *toml_spell(struct arena *arena, const char *part);

/* The first part of a table's name, without quotes; *ret_rest is what follows its dot, or "". NULL
 * without memory. */
const char *toml_first_part(struct arena *arena, const char *table, const char **ret_rest);

#endif
