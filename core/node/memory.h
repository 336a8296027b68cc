/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory the node has. */
#ifndef OCI_RDMA_NODE_MEMORY_H
#define OCI_RDMA_NODE_MEMORY_H

#include <stdint.h>

#include "core/node/node.h"

/* In bytes; 0 where that cannot be read */
uint64_t node_memory(const struct node *node);

#endif
