/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the checks, each in a process of its own: one that hangs in a sick device's driver, or dies
 * in somebody else's library, costs its own findings and nothing else. It may also enter a
 * container's namespaces without leaving us there. */
#pragma once

#include <stddef.h>

#include "core/base/err.h"
#include "doctor/check/check.h"
#include "doctor/doctor.h"
#include "doctor/finding.h"

/* In their order. A check that cannot be made becomes a finding "not checkable". Returns 0, or -1,
 * as a check does. */
int runner_run(const struct doctor *doctor, const struct check *checks, size_t n,
	       struct findings *findings);
