/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NCCL variables that a plan sets. What is not here is left to NCCL on purpose: it chooses GDR
 * level, DMA-BUF, algorithms and channels better than a value that was right on one node once.
 */
#ifndef OCI_RDMA_NCCL_H
#define OCI_RDMA_NCCL_H

#include "core/plan/types.h"

/*
 * Adds a variable to plan->settings, unless its value is longer than CONFIG_VALUE_MAX. What the
 * container's environment or its image's nccl.conf sets stays, with a warning if it differs. value:
 * in the arena; NULL fails. Returns 0, or -1 without memory.
 */
int setting_add(const struct planning *planning, enum setting_scope scope, const char *name,
		const char *value);

/* Add to plan->settings. Return 0, or -1 without memory. */
int nccl_rdma_settings(const struct planning *planning);
int nccl_tcp_settings(const struct planning *planning);

#endif
