/* SPDX-License-Identifier: Apache-2.0 */
/* Runs each check in its own process: a hung driver or crashed library costs only its own
 * findings, and a check may enter a container's namespaces. */
#pragma once

#include <stddef.h>

#include "core/base/err.h"
#include "doctor/check/check.h"
#include "doctor/doctor.h"
#include "lib/finding.h"

/* One that cannot run becomes a "not checkable" finding. */
int runner_run(const struct doctor *doctor, const struct check *checks, size_t n,
	       struct findings *findings);
