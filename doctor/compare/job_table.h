/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdio.h>

#include "doctor/compare/job.h"

int job_print_text(FILE *out, const struct job *job);
int job_print_json(FILE *out, const struct job *job);
