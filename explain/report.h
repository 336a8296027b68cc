/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan would do, for people and for programs. Both return 0, or -1 if out could not be
 * written. */
#ifndef OCI_RDMA_EXPLAIN_REPORT_H
#define OCI_RDMA_EXPLAIN_REPORT_H

#include <stdio.h>

#include "core/container/container.h"
#include "explain/explain.h"

/* ways: those that the node has (explain/entry_points.h); 0: none is known */
int report_text(FILE *out, struct container *container, enum rdma_mode mode, unsigned ways);

/* Schema 1; a later one may add members, never change these. What is not known is null. */
int report_json(FILE *out, struct container *container, enum rdma_mode mode);

#endif
