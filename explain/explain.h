/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/container/container.h"
#include "core/options.h"
#include "explain/claims.h"
#include "explain/topology.h"

/* Finds and describes the devices, and makes the plan, from the spec already read. No plan depends
 * on *ret_mode. */
int container_explain(struct container *container, const struct options *options,
		      enum rdma_mode *ret_mode, struct err *err);

/* The node's obstacles to a grant */
int surroundings_warn(struct container *container, enum rdma_mode mode);
