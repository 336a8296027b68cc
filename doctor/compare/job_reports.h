/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "doctor/compare/job.h"

/* files: POD.json or POD@NODE.json, each what `oci-rdma-doctor --format json` printed. A file that
 * holds no report is a pod that did not answer; its first line says why. Returns 0, or -1 if one
 * cannot be read. */
int job_read(struct arena *arena, char *const *files, size_t n, struct job *ret_job,
	     struct err *err);
