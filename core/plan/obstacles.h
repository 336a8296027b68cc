/* SPDX-License-Identifier: Apache-2.0 */
/* What about the devices themselves stands in the way of RDMA, although they are allocated. */
#ifndef OCI_RDMA_OBSTACLES_H
#define OCI_RDMA_OBSTACLES_H

#include "core/plan/types.h"

/* Returns 0, or -1 without memory. */
int obstacles_warn(const struct planning *planning);

#endif
