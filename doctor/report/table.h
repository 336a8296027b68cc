/* SPDX-License-Identifier: Apache-2.0 */
/* A table: filled cell by cell, then printed with its columns aligned, or as HTML. */
#ifndef OCI_RDMA_DOCTOR_TABLE_H
#define OCI_RDMA_DOCTOR_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/base/arena.h"

/* Begin with {.arena = …, .columns = …}. The first row is the head. */
struct table {
	struct arena *arena;
	size_t columns;
	const char **cell; /* row by row */
	size_t n;
	size_t room;
	bool failed; /* there was no memory for all of it */
};

/* The next cell. What fits no line of a terminal becomes '?'. */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Each row a line, columns two spaces apart. Returns 0, or -1 if a cell is missing. */
int table_print(FILE *out, const struct table *table);

/* Returns 0, or -1 if a cell is missing. A cell that is one of the levels of a distance has its
 * name for a class. */
int table_print_html(FILE *out, const struct table *table);

#endif
