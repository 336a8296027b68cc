/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, for people and programs. Each returns 0, or -1 if out could not be written. */
#ifndef OCI_RDMA_DOCTOR_REPORT_H
#define OCI_RDMA_DOCTOR_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <yajl/yajl_gen.h>

#include "core/base/arena.h"
#include "doctor/doctor.h"
#include "doctor/finding.h"

#define REPORT_STATUSES 4

/* How many there are of each status */
struct findings_counts {
	size_t of[REPORT_STATUSES];
};

struct findings_counts findings_count(const struct findings *findings);

/* The finding that the summary names: the first that fails, else the first that warns. The checks
 * run in the order of causes. NULL if all is well. */
const struct finding *findings_cause(const struct findings *findings);

/* Worst first, or what a log shows, in its order; wrapped to the terminal's width, else to 80
 * columns. Colour on a terminal only, without NO_COLOR (no-color.org) or TERM=dumb. */
int findings_print_text(FILE *out, const struct doctor *doctor, const struct findings *findings);

/* Schema 1; a later one may add members, never change these. */
int findings_print_json(FILE *out, const struct doctor *doctor, const struct findings *findings);

/* One page */
int findings_print_html(FILE *out, const struct doctor *doctor, const struct findings *findings);

/* The text format of Prometheus, for node exporter's textfile collector */
int findings_print_prometheus(FILE *out, const struct findings *findings);

/* ---- text within HTML (markup.c) ---- */

/*
 * Names of devices, containers and values come from the pod's author, and an administrator opens
 * the report.
 *
 * Text or the value of an attribute in quotes of either kind. '?' stands for control characters,
 * what is no UTF-8, and characters that turn the direction of writing, with which a text reads as
 * another one.
 */
void markup_put(FILE *out, const char *text);

#endif
