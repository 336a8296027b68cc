/* SPDX-License-Identifier: Apache-2.0 */
/* Each check has its own process: a hung driver or crashed library costs only its findings, and it
 * may enter a container's namespaces. */
#pragma once

#include <stddef.h>

#include "core/base/err.h"
#include "doctor/check/check.h"
#include "doctor/doctor.h"
#include "lib/finding.h"

/* Runs checks in order; one that cannot run becomes a "not checkable" finding. Returns -1 with
 * findings->err. */
int runner_run(const struct doctor *doctor, const struct check *checks, size_t n,
	       struct findings *findings);
