/* SPDX-License-Identifier: Apache-2.0 */
/* GIDs and network interfaces of a device: for few policies, the dry run and the doctor */
#pragma once

#include "core/node/node.h"

/* mlx5 has 256 entries per port; a table ends at the first that does not exist. */
#define GID_TABLE_MAX 4096

struct gid {
	bool empty;
	char text[48];   /* "::ffff:10.0.0.7" */
	bool ipv4;       /* it maps an IPv4 address */
	bool link_local; /* fe80::/10 */
	bool v2;         /* RoCE v2 */
};

/* port: of port_open. Returns 0, or -1 if the table has no such entry. */
int gid_read(int port, int index, struct gid *ret_gid);

/* Fills in the GID of each port. */
void node_read_gids(const struct node *node, struct device *device);

/* The interface as the host knows it: right for a container in the host's namespace only */
void node_read_host_netdev(const struct node *node, struct arena *arena, struct device *device);

/* As a pod knows them, by the device-info files that multus leaves, which prove nothing.
 * sandbox_id: NULL: not known */
void node_read_pod_netdevs(const struct node *node, struct arena *arena, struct devices *devices,
			   const char *sandbox_id);
