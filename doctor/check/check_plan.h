/* SPDX-License-Identifier: Apache-2.0 */
/* What oci-rdma-hook decides on the target, where its config.json was found */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/container/container.h"
#include "doctor/doctor.h"

/* As --dry-run makes it. Returns 1, 0 if there is no config.json to make it from, or -1 with the
 * reason for which none can be made. */
int plan_of_target(const struct doctor *doctor, struct container *container, struct err *err);

/* The same for a config.json of the node; id NULL: its directory's name. 0: not all is asked for,
 * and the spec alone says that it gets nothing */
int plan_of_config(const struct doctor *doctor, const char *config, const char *id, bool all,
		   struct container *container, struct err *err);

/* What to do about a target that lacks what a plan gives: from its decision, or the reason that
 * there is none. In the arena; NULL without memory, and where the plan grants what it lacks. */
const char *plan_remedy(struct arena *arena, int status, const struct container *container,
			const struct err *err);

/* True if the target is not the container's first process, and that one has a higher soft limit: a
 * hook reaches the first process, and no exec. */
bool limits_of_first_are_higher(const struct doctor *doctor, uint64_t soft);
