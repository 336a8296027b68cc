/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the node's RDMA devices are shared by all network namespaces. */
#ifndef OCI_RDMA_RDMA_MODE_H
#define OCI_RDMA_RDMA_MODE_H

#include "core/node/node.h"

/*
 * The mode that holds now; of a recorded node, the one that ib_core was loaded with, which
 * `rdma system set netns` may have changed.
 */
enum rdma_mode node_rdma_mode(const struct node *node);

#endif
