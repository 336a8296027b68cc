/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOML (toml.io), for CRI-O and containerd: no distribution has a static C library for it.
 *
 * The engine checks the grammar, so that this accepts more: any number or date that begins as one,
 * a dotted key into a table that is closed. Keeps strings and arrays of strings; reads inline
 * tables as tables, and dotted keys into theirs. Keeps no key of a table in an array. What it
 * cannot read is an error with file and line.
 */
#pragma once

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

enum toml_type {
	TOML_HEADING,
	TOML_STRING,
	TOML_STRINGS,
	TOML_TABLE,
	TOML_OTHER,
};

struct toml_item {
	/* "" at the top; else as toml_spell writes it: crio.runtime.runtimes.rdma,
	 * plugins."io.containerd.grpc.v1.cri" */
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

/* Copies item; failure sets only arena.failed. */
void toml_items_add(struct arena *arena, struct toml_items *items, const struct toml_item *item,
		    const char *table);

/* In order; on error, those before it. text: NUL-terminated */
int toml_read(struct arena *arena, const char *what, const char *text, struct toml_items *ret_items,
	      struct err *err);

/* Spells a part of a name: bare, or else in double quotes, as the dot of "rdma.gpu" does not
 * separate. NULL without memory. */
const char *toml_spell(struct arena *arena, const char *part);

/* First part of a name, unquoted; *ret_rest: behind its dot, or "". NULL without memory. */
const char *toml_first_part(struct arena *arena, const char *table, const char **ret_rest);
