/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOML 1.0 (toml.io), in which CRI-O and containerd are configured. No distribution has a C library
 * for it as a static one.
 *
 * The whole grammar is read and checked, but numbers, dates and times only by their characters.
 * Read are the values of strings and of arrays of strings; an inline table is read as a table, and
 * a dotted key as one of the table that it means. What is below an array is only checked.
 */
#pragma once

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

enum toml_type {
	TOML_HEADING,
	TOML_STRING,
	TOML_STRINGS, /* an array that holds nothing but strings */
	TOML_TABLE,   /* an inline one, behind its own items */
	TOML_OTHER,
};

/* A key, or the heading of a table. */
struct toml_item {
	/* "" at the top, else its name as toml_spell writes each part: crio.runtime.runtimes.rdma,
	 * plugins."io.containerd.grpc.v1.cri" */
	const char *table;
	const char *key;     /* without quotes; "" for a heading */
	const char *spelled; /* "key = value" as the text has it, without what stands before the
				key's last dot; "" for a heading */
	enum toml_type type;
	const char *string;
	const char **strings; /* n, and then NULL */
	size_t n;
};

struct toml_items {
	struct toml_item *item;
	size_t n;
	size_t room;
};

/* Adds a copy of the item, as one of that table. If there is no memory, only the arena says so. */
void toml_items_add(struct arena *arena, struct toml_items *items, const struct toml_item *item,
		    const char *table);

/* All headings and keys, as they come, in the arena; after an error those before it. text is NUL-
 * terminated; it stays as it is. Returns 0 or -1. */
int toml_read(struct arena *arena, const char *what, const char *text, struct toml_items *ret_items,
	      struct err *err);

/*
 * One part of a name in the one spelling that table has, whatever the file's: bare if it can be,
 * else in double quotes. So the dot of "rdma.gpu" is none between parts. NULL without memory.
 */
const char *toml_spell(struct arena *arena, const char *part);

/* The first part of a table's name, without quotes; *ret_rest is what follows its dot, or "". NULL
 * without memory. */
const char *toml_first_part(struct arena *arena, const char *table, const char **ret_rest);
