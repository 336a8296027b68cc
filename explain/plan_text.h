/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdio.h>

#include "core/container/container.h"
#include "explain/topology.h"

/* ways: the node's (explain/entry_points.h). Returns -1 if out fails. */
int report_text(FILE *out, struct container *container, enum rdma_mode mode, unsigned ways);
