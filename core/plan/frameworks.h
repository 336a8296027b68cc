/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The variables of UCX, NVSHMEM and gloo: the same facts as for NCCL, where the config asks for it.
 * By the environment only: they do not read /etc/nccl.conf, so that a hook cannot tell them.
 */
#ifndef OCI_RDMA_FRAMEWORKS_H
#define OCI_RDMA_FRAMEWORKS_H

#include "core/plan/types.h"

/* Add to plan->settings. Returns 0, or -1 without memory. */
int framework_settings(const struct planning *planning);

#endif
