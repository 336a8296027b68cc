/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdio.h>

#include "doctor/compare/job.h"

/* Each returns 0, or -1 on a write error. Schema 1 */
int job_print_text(FILE *out, const struct job *job);
int job_print_json(FILE *out, const struct job *job);
