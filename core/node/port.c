/* SPDX-License-Identifier: Apache-2.0 */
/* Ports, from <device>/infiniband/<ibdev>/ports/N */
#include "core/node/node.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"

#define PORT_MAX 255 /* ibv_query_port(3) takes a uint8_t */

int port_open(const struct node *node, const struct device *device, unsigned number)
{
	char path[NODE_PATH_MAX];
	/* %.0u prints nothing for 0. */
	int len = snprintf(path, sizeof(path), "%s/infiniband/%s/ports/%.0u", device->path,
			   device->ibdev, number);

	if (len < 0 || (size_t)len >= sizeof(path))
		return -1;
	return tree_open_dir(node->root, path);
}

void port_read_state(int dir, const char *attribute, char state[PORT_STATE_MAX])
{
	char line[PORT_STATE_MAX];
	const char *name;

	if (fs_read_line(dir, attribute, line, sizeof(line)) < 0)
		return;
	name = strchr(line, ' ');
	strcpy(state, name ? name + 1 : line);
}

/* False if there is no port of that number. device: with those before it */
static bool read_port(int ports, const struct device *device, struct port *port)
{
	char path[32];
	ssize_t len;

	(void)snprintf(path, sizeof(path), "%u/link_layer", port->number);
	len = fs_read_line(ports, path, port->link_layer, sizeof(port->link_layer));
	if (len >= 0)
		return true;
	port->link_layer[0] = '\0';
	/* All ports of a device have the attribute, or none has. */
	if (len == -ENOENT && device->n_ports && device->port[0].link_layer[0])
		return false;
	(void)snprintf(path, sizeof(path), "%u/.", port->number);
	return faccessat(ports, path, F_OK, 0) == 0;
}

void node_read_ports(const struct node *node, struct arena *arena, struct device *device)
{
	/* In exclusive RDMA namespace mode the device has left the host's sysfs: not known, no
	 * error. */
	cleanup_fd ports = port_open(node, device, 0);
	struct port *added;
	size_t room = 0;
	char path[32];

	/* From 1 on, without a gap (rdma_for_each_port, include/rdma/ib_verbs.h); a switch, which
	 * has 0 alone, is no HCA. */
	for (unsigned number = 1; ports >= 0 && number <= PORT_MAX; number++) {
		struct port port = {.number = number, .gid_index = -1};

		if (!read_port(ports, device, &port))
			break;
		added = arena_push(arena, device->port, device->n_ports, room);
		if (!added)
			return;
		*added = port;
	}
	for (size_t i = 0; device->n_ports > 1 && i < device->n_ports; i++) {
		(void)snprintf(path, sizeof(path), "%u/state", device->port[i].number);
		port_read_state(ports, path, device->port[i].state);
	}
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
