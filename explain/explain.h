/* SPDX-License-Identifier: Apache-2.0 */
/* A container's plan with all that can be known about it, for the dry run and the doctor. */
#pragma once

#include "core/container/container.h"
#include "core/options.h"
#include "explain/claims.h"
#include "explain/topology.h"

/*
 * Finds, orders and describes the devices, and makes the plan, whatever it decides. The container's
 * spec has been read. *ret_mode: of the node, on which no plan depends. Returns 0 or -1.
 */
int container_explain(struct container *container, const struct options *options,
		      enum rdma_mode *ret_mode, struct err *err);

/* What about the node stands in the way of a grant, as warnings. Returns 0, or -1 without memory.
 */
int surroundings_warn(struct container *container, enum rdma_mode mode);
