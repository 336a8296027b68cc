/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOML 1.0 (toml.io), which CRI-O's configuration is written in. What this understands, and what it
 * refuses, is judged by the public suite of toml-test. There is no C library for it as a static
 * one in the distributions.
 *
 * The whole grammar is read and checked; told are strings and arrays of strings by their value, and
 * all other values as such. An inline table is told as a table, and a dotted key as one of the
 * table that it means. Nothing below an array is told.
 */
#ifndef OCI_RDMA_TOML_H
#define OCI_RDMA_TOML_H

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

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
