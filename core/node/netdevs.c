/* SPDX-License-Identifier: Apache-2.0 */
/* The network interface of an RDMA device */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/json/document.h"
#include "core/node/node.h"

#define DEVINFO_DIR "var/run/k8s.cni.cncf.io/devinfo/cni"
#define DEVINFO_SIZE_MAX (64 * 1024)

/*
 * The addresses of a slave are its bond's (RoCE LAG), so that the bond is what NCCL can use. The
 * master may also be a bridge or Open vSwitch, which has none of the port's.
 */
static void follow_bond(int net_dir, struct device *device)
{
	char path[64];
	char link[256];
	cleanup_fd bonding = -1;

	(void)snprintf(path, sizeof(path), "%.15s/master/bonding", device->netdev);
	bonding = openat(net_dir, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	*strrchr(path, '/') = '\0';
	if (bonding >= 0 && fs_read_link(net_dir, path, link, sizeof(link)) >= 0 &&
	    text_is_netdev_name(text_base_name(link)))
		(void)snprintf(device->netdev, sizeof(device->netdev), "%.15s",
			       text_base_name(link));
}

/* <device>/net: netns-tagged, so it shows an interface only while that is in our namespace. */
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
			(void)snprintf(device->netdev, sizeof(device->netdev), "%.15s", names[i]);
	}
	if (device->netdev[0])
		follow_bond(dir, device);
}

/* The PCI address in a device-info file (k8snetworkplumbingwg device-info specification 1.1), in
 * the arena; NULL if there is none. */
static const char *read_devinfo(struct arena *arena, int dir, const char *name)
{
	cleanup_fd fd = fs_open(dir, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	const char *address;
	struct json_document doc;
	struct fs_text text;
	struct err err;

	if (fd < 0)
		return NULL;
	if (fs_read_regular(arena, fd, DEVINFO_SIZE_MAX, name, &text, &err) < 0 ||
	    json_parse(&doc, arena, name, text.bytes, text.len, 0, &err) < 0) {
		arena->failed |= err.memory;
		return NULL;
	}
	address = json_string(&doc, json_get(&doc, json_get(&doc, doc.root, "pci", JSON_OBJECT),
					     "pci-address", JSON_STRING));
	return doc.failed ? NULL : address;
}

/* multus names the files <network>-<sandbox id>_<interface in the pod>. */
void node_read_pod_netdevs(const struct node *node, struct arena *arena, struct devices *devices,
			   const char *sandbox_id)
{
	cleanup_fd dir = -1;
	const char **names;
	size_t known = 0;
	int n;

	while (known < devices->n && devices->item[known].netdev[0])
		known++;
	if (known == devices->n || !sandbox_id || !sandbox_id[0])
		return;
	dir = tree_open_dir(node->root, DEVINFO_DIR);
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
				(void)snprintf(device->netdev, sizeof(device->netdev), "%.15s",
					       netdev);
		}
	}
}
