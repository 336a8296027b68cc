/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, for programs. Each returns 0, or -1 if out could not be written. */
#pragma once

#include <stdio.h>

#include "doctor/doctor.h"
#include "doctor/finding.h"

/* Schema 1; a later one may add members, never change these. */
int findings_print_json(FILE *out, const struct doctor *doctor, const struct findings *findings);

/* The text format of Prometheus, for node exporter's textfile collector */
int findings_print_prometheus(FILE *out, const struct findings *findings);
