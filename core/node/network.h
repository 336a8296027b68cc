/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/node/node.h"

/* mlx5 has 256 entries per port. */
#define GID_TABLE_MAX 4096

struct gid {
	bool empty;
	char text[48];   /* "::ffff:10.0.0.7" */
	bool ipv4;       /* IPv4-mapped */
	bool link_local; /* fe80::/10 */
	bool v2;         /* RoCE v2 */
};

/* port: from port_open(). Returns -1 if there is no such entry. */
int gid_read(int port, int index, struct gid *ret_gid);

void node_read_gids(const struct node *node, struct device *device);

/* In the host's network namespace */
void node_read_host_netdev(const struct node *node, struct arena *arena, struct device *device);

/* In the pod, by Multus' device-info files, which prove nothing; sandbox_id: or NULL */
void node_read_pod_netdevs(const struct node *node, struct arena *arena, struct devices *devices,
			   const char *sandbox_id);
