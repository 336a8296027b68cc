/* SPDX-License-Identifier: Apache-2.0 */
/* One variable of a plan: taken in, or left out with a warning. */
#ifndef OCI_RDMA_SETTING_H
#define OCI_RDMA_SETTING_H

#include "core/plan/types.h"

/*
 * Adds a variable to plan->settings, unless its value is longer than CONFIG_VALUE_MAX. What the
 * container's environment or its image's nccl.conf sets stays, with a warning if it differs. value:
 * in the arena; NULL fails. Returns 0, or -1 without memory.
 */
int setting_add(struct arena *arena, const struct facts *facts, struct plan *plan,
		struct warnings *warnings, enum setting_scope scope, const char *name,
		const char *value);

#endif
