/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tests/unit/unit.h"

#include "core/plan/plan.h"
#include "core/process/process.h"

#define ID "c0ffee"

static inline void end(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static inline int sleep_long(UNUSED const void *context)
{
	(void)pause();
	return 0;
}
