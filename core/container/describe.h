/* SPDX-License-Identifier: Apache-2.0 */
/* What the node and the pod's network say about the container's devices */
#ifndef OCI_RDMA_CONTAINER_DESCRIBE_H
#define OCI_RDMA_CONTAINER_DESCRIBE_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/container/container.h"
#include "core/node/node.h"

/* What is to be known of the devices, beyond names and ports */
struct wanted {
	bool gids;
	int patience; /* for GIDs that are not there yet, in milliseconds */
	bool netdevs;
	bool topology;
};

/* Fills what is wanted into container->devices. Returns 0 or -1. */
int container_describe(struct container *container, const struct node *node,
		       const struct wanted *wanted, struct err *err);

#endif
