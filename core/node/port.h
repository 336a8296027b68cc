/* SPDX-License-Identifier: Apache-2.0 */
/* The ports of a device, and the GID of each. */
#ifndef OCI_RDMA_PORT_H
#define OCI_RDMA_PORT_H

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/node/device.h"

/* mlx5 has 256 entries per port; a table ends at the first that does not exist. */
#define GID_TABLE_MAX 4096

struct gid {
	bool empty;
	char text[48];   /* "::ffff:10.0.0.7" */
	bool ipv4;       /* it maps an IPv4 address */
	bool link_local; /* fe80::/10 */
	bool v2;         /* RoCE v2 */
};

/* The directory ports/N, which the caller owns, or negative. number: counted from 1. */
int gid_open_port(const struct node *node, const struct device *device, unsigned number);

/* port: of gid_open_port. Returns 0, or -1 if the table has no such entry. */
int gid_read(int port, int index, struct gid *ret_gid);

/*
 * The interface of the port's GID (port->gid_index), by the name that it has in its own network
 * namespace; "" if that is not known.
 */
void gid_read_netdev(const struct node *node, const struct device *device, const struct port *port,
		     char netdev[NETDEV_NAME_SIZE]);

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
