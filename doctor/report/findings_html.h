/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, as a page. Returns 0, or -1 if out could not be written. */
#pragma once

#include <stdio.h>

#include "doctor/doctor.h"
#include "doctor/finding.h"

/* One page */
int findings_print_html(FILE *out, const struct doctor *doctor, const struct findings *findings);
