/* SPDX-License-Identifier: Apache-2.0 */
#include "core/node/network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/json/document.h"

int gid_read(int port, int index, struct gid *ret_gid)
{
	struct gid gid = {0};
	struct in6_addr address;
	char path[48];
	char line[64];

	snprintf(path, sizeof(path), "gids/%d", index);
	if (fs_read_line(port, path, line, sizeof(line)) < 0 ||
	    inet_pton(AF_INET6, line, &address) != 1 ||
	    !inet_ntop(AF_INET6, &address, gid.text, sizeof(gid.text)))
		return -1;
	gid.empty = IN6_IS_ADDR_UNSPECIFIED(&address);
	gid.ipv4 = IN6_IS_ADDR_V4MAPPED(&address);
	gid.link_local = IN6_IS_ADDR_LINKLOCAL(&address);
	/* Empty entries' attributes give EINVAL (ib_core, sysfs.c). */
	snprintf(path, sizeof(path), "gid_attrs/types/%d", index);
	gid.v2 = !gid.empty && fs_read_line(port, path, line, sizeof(line)) > 0 &&
		 strcmp(line, "RoCE v2") == 0;
	*ret_gid = gid;
	return 0;
}

/* As NCCL since 2.21.5 (ncclIbGetGidIndex, src/transport/net_ib): first IPv4 RoCE v2 GID */
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

/* RoCE LAG: NCCL needs the bond, which has the addresses; bridges and Open vSwitch have none. */
static void follow_bond(int net_dir, struct device *device)
{
	char path[64];
	char link[256];
	cleanup_fd bonding = -1;

	snprintf(path, sizeof(path), "%.15s/master/bonding", device->netdev);
	bonding = openat(net_dir, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	*strrchr(path, '/') = '\0';
	if (bonding >= 0 && fs_read_link(net_dir, path, link, sizeof(link)) >= 0 &&
	    text_is_netdev_name(text_base_name(link)))
		snprintf(device->netdev, sizeof(device->netdev), "%.15s", text_base_name(link));
}

/* <device>/net is netns-tagged: only our namespace's interfaces */
void node_read_host_netdev(const struct node *node, struct arena *arena, struct device *device)
{
	const char *path = arena_printf(arena, "%s/net", device->path);
	cleanup_fd dir = path ? tree_open_dir(node->root, path) : -1;
	const char **names;
	int n;

	if (dir < 0 || device->kind == DEVICE_VIRTUAL)
		return;
	n = tree_list(arena, dir, ".", "", &names);
	for (int i = 0; i < n; i++) {
		if (text_is_netdev_name(names[i]) &&
		    (!device->netdev[0] || text_compare_natural(names[i], device->netdev) < 0))
			snprintf(device->netdev, sizeof(device->netdev), "%.15s", names[i]);
	}
	if (device->netdev[0])
		follow_bond(dir, device);
}

/* k8snetworkplumbingwg device-info specification 1.1; NULL: no PCI address */
static const char *read_devinfo(struct arena *arena, int dir, const char *name)
{
	cleanup_fd fd = fs_open(dir, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	const char *address;
	struct json_document doc;
	struct fs_text text;
	struct err err;

	if (fd < 0)
		return NULL;
	if (fs_read_regular(arena, fd, 64 * 1024, name, &text, &err) < 0 ||
	    json_parse(&doc, arena, name, text.bytes, text.len, 0, &err) < 0) {
		arena->failed |= err.errnum == ENOMEM;
		return NULL;
	}
	address =
		json_get_string(&doc, json_get(&doc, doc.root, "pci", JSON_OBJECT), "pci-address");
	return doc.failed ? NULL : address;
}

/* <network>-<sandbox id>_<interface in the pod> */
void node_read_pod_netdevs(const struct node *node, struct arena *arena, struct devices *devices,
			   const char *sandbox_id)
{
	cleanup_fd dir = -1;
	const char **names;
	int n;

	if (!devices->n || devices->item[0].netdev[0] || !sandbox_id || !sandbox_id[0])
		return;
	dir = tree_open_dir(node->root, "var/run/k8s.cni.cncf.io/devinfo/cni");
	n = dir < 0 ? 0 : tree_list(arena, dir, ".", "", &names);
	for (int i = 0; i < n; i++) {
		const char *id = strstr(names[i], sandbox_id);
		const char *netdev = id ? id + strlen(sandbox_id) : "";
		const char *address;

		if (netdev[0] != '_' || !text_is_netdev_name(++netdev))
			continue;
		address = read_devinfo(arena, dir, names[i]);
		for (size_t k = 0; address && k < devices->n; k++) {
			struct device *device = &devices->item[k];

			if (!device->netdev[0] && strcmp(device->pci, address) == 0)
				snprintf(device->netdev, sizeof(device->netdev), "%.15s", netdev);
		}
	}
}
