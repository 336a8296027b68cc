/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "doctor/compare/job.h"

/* Fills in .difference. */
int job_compare(struct job *job);

/* files: as job_read(). Returns 0 if all are alike, 1 if one differs, fails or lacks a report, 2 if
 * nothing is comparable. */
int compare_reports(char *const *files, size_t n, bool json);
