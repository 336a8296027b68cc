/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdio.h>

#include "doctor/compare/job.h"

/* Schema 1. Both return -1 on a write error. */
int job_print_text(FILE *out, const struct job *job);
int job_print_json(FILE *out, const struct job *job);
