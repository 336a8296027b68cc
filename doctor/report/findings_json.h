/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdio.h>

#include "doctor/doctor.h"
#include "lib/finding.h"

/* Schema 1; later ones only add members. */
int findings_print_json(FILE *out, const struct doctor *doctor, const struct findings *findings);

/* For node exporter's textfile collector */
int findings_print_prometheus(FILE *out, const struct findings *findings);
