/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdio.h>

#include "core/container/container.h"
#include "explain/topology.h"

/* Schema 1: later ones only add members. null: unknown. Returns -1 if out fails. */
int report_json(FILE *out, struct container *container, enum rdma_mode mode);
