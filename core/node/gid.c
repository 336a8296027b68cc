/* SPDX-License-Identifier: Apache-2.0 */
/* The GIDs of a port, and the one that NCCL takes of them */
#include "core/node/gid.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "core/base/fs.h"

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

/*
 * What NCCL chooses by itself since 2.21.5 (ncclIbGetGidIndex in src/transport/net_ib): the first
 * RoCE v2 entry of the wanted family, which is IPv4 by default.
 */
void node_read_gids(const struct node *node, struct device *device)
{
	for (size_t k = 0; k < device->n_ports; k++) {
		struct port *port = &device->port[k];
		cleanup_fd dir = port_open(node, device, port->number);
		struct gid gid;

		for (int i = 0; dir >= 0 && port->gid_index < 0 && i < GID_TABLE_MAX &&
				gid_read(dir, i, &gid) == 0;
		     i++) {
			if (!gid.ipv4 || !gid.v2)
				continue;
			port->gid_index = i;
			memcpy(port->gid, gid.text, sizeof(port->gid));
		}
	}
}
