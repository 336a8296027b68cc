/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as a page. Returns 0, or -1 on a write error. */
#pragma once

#include <stdio.h>

#include "doctor/doctor.h"
#include "lib/finding.h"

int findings_print_html(FILE *out, const struct doctor *doctor, const struct findings *findings);
