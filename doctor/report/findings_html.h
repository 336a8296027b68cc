/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdio.h>

#include "doctor/doctor.h"
#include "lib/finding.h"

/* For reports that are sent to others (doc/troubleshooting.md): one page, without scripts */
int findings_print_html(FILE *out, const struct doctor *doctor, const struct findings *findings);
