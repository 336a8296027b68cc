/* SPDX-License-Identifier: Apache-2.0 */
/* Which names a TOML text has defined so far: none may be defined twice, or as two things. */
#ifndef OCI_RDMA_TOML_NAMES_H
#define OCI_RDMA_TOML_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"

enum toml_kind {
	TOML_IMPLICIT, /* a table, by the heading of one below it */
	TOML_HEADED,   /* a table that has its own heading */
	TOML_DOTTED,   /* a table, by a dotted key */
	TOML_TABLES,   /* an array of tables */
	TOML_VALUE,    /* all that is closed: a value, an array, an inline table */
};

struct toml_name {
	const void *scope; /* in which it is known */
	const char *name;
	enum toml_kind kind;
	const void *own; /* the scope of what is below it */
};

struct toml_names {
	struct toml_name **slot; /* a hash table */
	size_t n;
	size_t room;
};

/* The name in a scope. It is made, of that kind, where it is not there: *ret_new. NULL without
 * memory. */
struct toml_name *toml_name(struct arena *arena, struct toml_names *names, const void *scope,
			    const char *name, enum toml_kind kind, bool *ret_new);

#endif
