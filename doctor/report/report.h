/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, for people and for programs. Each returns 0, or -1 if out could not be written.
 */
#ifndef OCI_RDMA_DOCTOR_REPORT_H
#define OCI_RDMA_DOCTOR_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <yajl/yajl_gen.h>

#include "core/base/arena.h"
#include "doctor/doctor.h"
#include "doctor/finding.h"
#include "doctor/symptom/symptom.h"
#include "doctor/topology/topology.h"

#define REPORT_STATUSES 4

/* How many there are of each status */
struct findings_counts {
	size_t of[REPORT_STATUSES];
};

struct findings_counts findings_count(const struct findings *findings);

/*
 * The finding that the summary names: the first that fails, else the first that warns. The checks
 * run in the order of causes. NULL if all is well.
 */
const struct finding *findings_cause(const struct findings *findings);

/* Worst first; wrapped to the terminal's width, else to 80 columns. Colour on a terminal only,
 * without NO_COLOR (no-color.org) or TERM=dumb. */
int findings_print_text(FILE *out, const struct doctor *doctor, const struct findings *findings);

/* What a log shows: cause, line, check and fix of each, on one screen */
int symptoms_print_text(FILE *out, const struct symptoms *symptoms);

/* Schema 1; a later one may add members, never change these. */
int findings_print_json(FILE *out, const struct doctor *doctor, const struct findings *findings);

/* One page. topology: NULL for a report that is not about this node's devices */
int report_print_html(FILE *out, const struct doctor *doctor, const struct findings *findings,
		      const struct topology *topology);

/* The text format of Prometheus, for node exporter's textfile collector */
int findings_print_prometheus(FILE *out, const struct doctor *doctor,
			      const struct findings *findings);

/* ---- tables (topology.c) ---- */

/* A table: filled cell by cell, then printed with its columns aligned, or as HTML. */

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

/* Returns 0, or -1 if a cell is missing. A cell that is one of the levels of a distance has its
 * name for a class. */
int table_print_html(FILE *out, const struct table *table);

/* ---- the topology (topology.c, json.c) ---- */

/* The topology as tables, for a terminal and for a page, and as JSON. */

/* A row for each GPU and HCA, a column for each GPU: their distances; and the NUMA node */
struct table topology_distances(struct arena *arena, const struct topology *topology);

/* A row for each GPU and each port of an HCA: all else */
struct table topology_devices(struct arena *arena, const struct topology *topology);

/* Each returns 0, or -1 if out could not be written. */
int topology_print_text(FILE *out, const struct doctor *doctor, const struct topology *topology);
int topology_print_json(FILE *out, const struct doctor *doctor, const struct topology *topology);

#endif
