/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/container/container.h"
#include "doctor/doctor.h"

/* Like --dry-run. Returns 1, or 0 without a config.json. */
int plan_of_target(const struct doctor *doctor, struct container *container, struct err *err);

/* For any config.json; id NULL: its directory's name. Returns 0 if !all and the spec gets
 * nothing. */
int plan_of_config(const struct doctor *doctor, const char *config, const char *id, bool all,
		   struct container *container, struct err *err);

/* "NAMESPACE/POD/NAME", '-' for unknown parts, or an id. NULL without memory */
const char *plan_container_name(struct arena *arena, const struct container *container);

/* What to do if a plan's effect is missing. NULL: the plan grants it, or no memory */
const char *plan_remedy(struct arena *arena, int status, const struct container *container,
			const struct err *err);

/* True for an exec whose container's first process has a higher soft limit: hooks miss execs. */
bool limits_of_first_are_higher(const struct doctor *doctor, uint64_t soft);
