/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan would do, for programs. Returns 0, or -1 if out could not be written. */
#ifndef OCI_RDMA_EXPLAIN_PLAN_JSON_H
#define OCI_RDMA_EXPLAIN_PLAN_JSON_H

#include <stdio.h>

#include "core/container/container.h"
#include "explain/topology.h"

/* Schema 1; a later one may add members, never change these. What is not known is null. */
int report_json(FILE *out, struct container *container, enum rdma_mode mode);

#endif
