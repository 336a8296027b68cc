/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a container gets, and why. A pure function of what was read: no I/O here, so that tables can
 * test it.
 */
#ifndef OCI_RDMA_PLAN_H
#define OCI_RDMA_PLAN_H

#include <stdbool.h>

#include "core/plan/types.h"

/* Decision and reason alone: they need the number of devices, nothing else about them. */
int plan_decide(const struct planning *planning, struct err *err);

/* The rest of a plan that was decided from the same facts, and what in it is worth a warning; all
 * of it lives in the arena. Both return 0, or -1 without memory. */
int plan_fill(const struct planning *planning, struct err *err);

/* "grant", "tcp", "none", "denied" */
const char *decision_name(enum decision decision);

/* True if the container gets something: the decision is "grant" or "tcp". */
bool plan_gives(const struct plan *plan);

/* True if there is a variable that the container's environment does not have. */
bool plan_has_new_settings(const struct plan *plan);

/*
 * Lines NAME=value for /etc/nccl.conf, in the arena; "" if there are none. What the environment has
 * is not among them: it holds anyway. NULL without memory.
 */
const char *plan_nccl_lines(struct arena *arena, const struct plan *plan);

#endif
