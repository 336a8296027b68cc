/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "doctor/compare/job.h"

/* files: POD.json or POD@NODE.json, from --format json; else the first line says why there is none.
 * Returns -1 if one is unreadable. */
int job_read(struct arena *arena, char *const *files, size_t n, struct job *ret_job,
	     struct err *err);
