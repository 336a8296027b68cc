/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "doctor/doctor.h"
#include "lib/finding.h"

#define REPORT_STATUSES 4

struct findings_counts {
	size_t of[REPORT_STATUSES];
};

struct findings_counts findings_count(const struct findings *findings);

/* The first fail, else the first warn; NULL: all ok */
const struct finding *findings_cause(const struct findings *findings);

/* Worst first, or in log order. Colour only on a terminal without NO_COLOR (no-color.org) or
 * TERM=dumb. */
int findings_print_text(FILE *out, const struct doctor *doctor, const struct findings *findings);
