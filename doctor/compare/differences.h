/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "doctor/compare/job.h"

/* Fills in .difference. Returns 0, or -1 without memory. */
int job_compare(struct job *job);

/* Reads, compares, prints; files: as for job_read(). Returns the exit status: 0 nothing differs or
 * fails, 1 something does or a pod did not answer, 2 there is nothing to compare. */
int compare_reports(char *const *files, size_t n, bool json);
