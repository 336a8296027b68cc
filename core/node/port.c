/* SPDX-License-Identifier: Apache-2.0 */
/* Ports, from <device>/infiniband/<ibdev>/ports/N, their GIDs, and the one that NCCL takes of them
 */
#include "core/node/node.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

#define RATE_MAX 1e6
#define PORT_MAX 255 /* ibv_query_port(3) takes a uint8_t */

int gid_open_port(const struct node *node, const struct device *device, unsigned number)
{
	char path[NODE_PATH_MAX];
	/* %.0u prints nothing for 0. */
	int len = snprintf(path, sizeof(path), "%s/infiniband/%s/ports/%.0u", device->path,
			   device->ibdev, number);

	if (len < 0 || (size_t)len >= sizeof(path))
		return -1;
	return tree_open_dir(node->root, path);
}

/* "4: ACTIVE" -> "ACTIVE"; stays as it is where there is no such attribute. */
static void read_port_state(int dir, const char *attribute, char state[PORT_STATE_MAX])
{
	char line[PORT_STATE_MAX];
	const char *name;

	if (fs_read_line(dir, attribute, line, sizeof(line)) < 0)
		return;
	name = strchr(line, ' ');
	strcpy(state, name ? name + 1 : line);
}

/* Returns 1, 0 if there is no port of that number, or -1 without memory. */
// NOLINTNEXTLINE(readability-non-const-parameter): arena_push changes *room
static int add_device_port(struct arena *arena, struct device *device, size_t *room, int ports,
			   unsigned number)
{
	struct port port = {.number = number, .gid_index = -1};
	struct port *added;
	char path[32];
	ssize_t len;

	(void)snprintf(path, sizeof(path), "%u/link_layer", number);
	len = fs_read_line(ports, path, port.link_layer, sizeof(port.link_layer));
	if (len < 0) {
		port.link_layer[0] = '\0';
		/* All ports of a device have the attribute, or none has. */
		if (len == -ENOENT && device->n_ports && device->port[0].link_layer[0])
			return 0;
		(void)snprintf(path, sizeof(path), "%u/.", number);
		if (faccessat(ports, path, F_OK, 0) < 0)
			return 0;
	}
	added = arena_push(arena, device->port, device->n_ports, *room);
	if (!added)
		return -1;
	*added = port;
	return 1;
}

/* What the device itself is asked for */
static void query_port(int ports, struct port *port, bool all)
{
	cleanup_fd dir = -1;
	char line[64];
	double rate;

	(void)snprintf(line, sizeof(line), "%u", port->number);
	dir = openat(ports, line, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	read_port_state(dir, "state", port->state);
	if (!all)
		return;
	read_port_state(dir, "phys_state", port->phys_state);
	if (fs_read_line(dir, "rate", line, sizeof(line)) <= 0)
		return;
	/* "400 Gb/sec (4X NDR)"; strtod reads "inf" and also "nan", which are no rates. */
	rate = strtod(line, NULL);
	port->rate_gbps = rate > 0 && rate < RATE_MAX ? rate : 0;
}

int node_read_ports(const struct node *node, struct arena *arena, struct device *device, bool all,
		    struct err *err)
{
	/* In exclusive RDMA namespace mode the device has left the host's sysfs: not known, no
	 * error. */
	cleanup_fd ports = gid_open_port(node, device, 0);
	size_t room = 0;
	int status = 1;

	/* From 1 on, without a gap (rdma_for_each_port, include/rdma/ib_verbs.h); a switch, which
	 * has 0 alone, is no HCA. */
	for (unsigned number = 1; ports >= 0 && status == 1 && number <= PORT_MAX; number++)
		status = add_device_port(arena, device, &room, ports, number);
	if (status < 0)
		return err_memory(err);
	for (size_t i = 0; (all || device->n_ports > 1) && i < device->n_ports; i++)
		query_port(ports, &device->port[i], all);
	return 0;
}

bool port_is_foreign(const struct port *port)
{
	return port->link_layer[0] && strcmp(port->link_layer, "Ethernet") != 0 &&
	       strcmp(port->link_layer, "InfiniBand") != 0;
}

bool port_is_active(const struct port *port)
{
	return strcmp(port->state, "ACTIVE") == 0;
}

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
	cleanup_fd dir = port->gid_index < 0 ? -1 : gid_open_port(node, device, port->number);
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
		cleanup_fd dir = gid_open_port(node, device, device->port[i].number);

		if (dir >= 0)
			read_ipv4_gid(dir, &device->port[i]);
	}
}
