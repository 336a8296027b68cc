/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan would do, for people. Returns 0, or -1 if out could not be written. */
#pragma once

#include <stdio.h>

#include "core/container/container.h"
#include "explain/topology.h"

/* ways: those that the node has (explain/entry_points.h); 0: none is known */
int report_text(FILE *out, struct container *container, enum rdma_mode mode, unsigned ways);
