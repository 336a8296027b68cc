/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOML (toml.io), for CRI-O and containerd: no distribution has a static C library.
 *
 * The engine checks the grammar; this accepts more: all that begins as a number or date, dotted
 * keys into closed tables. Keeps inline tables and dotted keys as tables, but no key of a table in
 * an array. Errors have file and line.
 */
#pragma once

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

enum toml_type {
	TOML_HEADING,
	TOML_STRING,
	TOML_STRINGS, /* array of strings only */
	TOML_TABLE,   /* inline, behind its items */
	TOML_OTHER,
};

/* A key or a table's heading */
struct toml_item {
	/* "" at the top; else as toml_spell: plugins."io.containerd.grpc.v1.cri" */
	const char *table;
	const char *key;     /* unquoted; "" for a heading */
	const char *spelled; /* "key = value" as in the text, from the key's last part; "" */
	enum toml_type type;
	const char *string;
	const char **strings; /* n, NULL-terminated */
	size_t n;
};

struct toml_items {
	struct toml_item *item;
	size_t n;
	size_t room;
};

/* Adds a copy of item to table; failure sets only arena.failed. */
void toml_items_add(struct arena *arena, struct toml_items *items, const struct toml_item *item,
		    const char *table);

/* Headings and keys in order, in the arena; on error, those before it. text: NUL-terminated. */
int toml_read(struct arena *arena, const char *what, const char *text, struct toml_items *ret_items,
	      struct err *err);

/* Spells a name's part, bare or in double quotes: the dot of "rdma.gpu" does not separate. NULL
 * without memory. */
const char *toml_spell(struct arena *arena, const char *part);

/* A name's first part, unquoted; *ret_rest: behind its dot, or "". NULL without memory. */
const char *toml_first_part(struct arena *arena, const char *table, const char **ret_rest);
