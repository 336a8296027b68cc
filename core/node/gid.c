/* SPDX-License-Identifier: Apache-2.0 */
/* The GIDs of a port, and the one that NCCL takes of them */
#include "core/node/gid.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

int gid_read(int port, int index, struct gid *ret_gid)
{
	struct gid gid = {0};
	struct in6_addr address;
	char path[48];
	char line[64];

	(void)snprintf(path, sizeof(path), "gids/%d", index);
	if (fs_read_line(port, path, line, sizeof(line)) < 0 ||
	    inet_pton(AF_INET6, line, &address) != 1 ||
	    !inet_ntop(AF_INET6, &address, gid.text, sizeof(gid.text)))
		return -1;
	gid.empty = IN6_IS_ADDR_UNSPECIFIED(&address);
	gid.ipv4 = IN6_IS_ADDR_V4MAPPED(&address);
	gid.link_local = IN6_IS_ADDR_LINKLOCAL(&address);
	/* Reading the attributes of an empty entry is EINVAL (ib_core, sysfs.c). */
	(void)snprintf(path, sizeof(path), "gid_attrs/types/%d", index);
	gid.v2 = !gid.empty && fs_read_line(port, path, line, sizeof(line)) > 0 &&
		 strcmp(line, "RoCE v2") == 0;
	*ret_gid = gid;
	return 0;
}

void gid_read_netdev(const struct node *node, const struct device *device, const struct port *port,
		     char netdev[NETDEV_NAME_SIZE])
{
	cleanup_fd dir = port->gid_index < 0 ? -1 : port_open(node, device, port->number);
	char path[48];

	(void)snprintf(path, sizeof(path), "gid_attrs/ndevs/%d", port->gid_index);
	if (dir < 0 || fs_read_line(dir, path, netdev, NETDEV_NAME_SIZE) < 0 ||
	    !text_is_netdev_name(netdev))
		netdev[0] = '\0';
}

/*
 * What NCCL chooses by itself since 2.21.5 (ncclIbGetGidIndex in src/transport/net_ib): the first
 * RoCE v2 entry of the wanted family, which is IPv4 by default.
 */
static void read_ipv4_gid(int dir, struct port *port)
{
	struct gid gid;

	for (int i = 0; i < GID_TABLE_MAX && gid_read(dir, i, &gid) == 0; i++) {
		if (!gid.ipv4 || !gid.v2)
			continue;
		port->gid_index = i;
		memcpy(port->gid, gid.text, sizeof(port->gid));
		return;
	}
}

void node_read_gids(const struct node *node, struct device *device)
{
	for (size_t i = 0; i < device->n_ports; i++) {
		cleanup_fd dir = port_open(node, device, device->port[i].number);

		if (dir >= 0)
			read_ipv4_gid(dir, &device->port[i]);
	}
}
