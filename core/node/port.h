/* SPDX-License-Identifier: Apache-2.0 */
/* The ports of a device, and the GID of each. */
#ifndef OCI_RDMA_PORT_H
#define OCI_RDMA_PORT_H

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/node/device.h"

/*
 * Ports: number and link layer; state where there are several, which is what a plan needs; all:
 * states and rate of each. Those ask the device's firmware (ib_core's sysfs.c: ib_query_port),
 * for as long as a sick one takes. A device without a readable directory gets none.
 */
int node_read_ports(const struct node *node, struct arena *arena, struct device *device, bool all,
		    struct err *err);

/* Fills in the GID of each port. */
void node_read_gids(const struct node *node, struct device *device);

/*
 * Waits, at most patience milliseconds, until each Ethernet port has such a GID: the kernel fills
 * the table by a work queue after an address was set (ib_core, roce_gid_mgmt.c), which the network
 * plugin has done a moment ago. Ports that are known not to be ACTIVE are not waited for.
 */
void node_wait_for_gids(const struct node *node, struct devices *devices, int patience);

#endif
