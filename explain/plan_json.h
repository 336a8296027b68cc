/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan would do, for programs. Returns 0, or -1 if out could not be written. */
#pragma once

#include <stdio.h>

#include "core/container/container.h"
#include "explain/topology.h"

/* Schema 1; a later one may add members, never change these. What is not known is null. */
int report_json(FILE *out, struct container *container, enum rdma_mode mode);
