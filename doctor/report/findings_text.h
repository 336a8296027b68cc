/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, for people. Returns 0, or -1 if out could not be written. */
#pragma once

#include <stddef.h>
#include <stdio.h>

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
