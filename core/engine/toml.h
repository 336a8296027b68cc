/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of TOML that CRI-O's configuration is written in. No C library for TOML is to be had as
 * a static one in the distributions, and this needs little: tables, and keys whose values are
 * strings or arrays of strings. Values of other kinds are passed over; what is none of this is an
 * error that names the line, since a wrong guess would be worse.
 */
#ifndef OCI_RDMA_TOML_H
#define OCI_RDMA_TOML_H

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

enum toml_type {
	TOML_STRING,
	TOML_STRINGS, /* an array that holds nothing but strings */
	TOML_OTHER,
};

struct toml_value {
	enum toml_type type;
	const char *string;
	const char **strings;
	size_t n;
	size_t line;
	const char *spelled; /* key, "=" and value as the text has them: not NUL-terminated */
	size_t spelled_len;
};

/* table: "crio.runtime.runtimes.rdma", "a[]" in an array of tables, "" at the top; quotes of its
 * parts are taken off. Everything
 * lives in the arena. Returns 0, or negative with *err. */
typedef int toml_take(void *context, const char *table, const char *key,
		      const struct toml_value *value, struct err *err);

/* Calls take for each table's heading (key "", value NULL) and each key. text is NUL-
 * terminated; it stays as it is. */
int toml_read(struct arena *arena, const char *what, const char *text, toml_take *take,
	      void *context, struct err *err);

#endif
