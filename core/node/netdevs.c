/* SPDX-License-Identifier: Apache-2.0 */
/* The network interface of an RDMA device */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
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
int node_read_host_netdev(const struct node *node, struct device *device)
{
	char path[NODE_PATH_MAX];
	cleanup_dir *dir = NULL;
	struct dirent *entry;

	if (device->kind == DEVICE_VIRTUAL)
		return 0;
	(void)snprintf(path, sizeof(path), "%s/net", device->path);
	if (tree_open_listing(node->root, path, &dir) < 0)
		return -1;
	while (dir && (entry = readdir(dir))) {
		if (!text_is_netdev_name(entry->d_name))
			continue;
		if (!device->netdev[0] || text_compare_natural(entry->d_name, device->netdev) < 0)
			(void)snprintf(device->netdev, sizeof(device->netdev), "%.15s",
				       entry->d_name);
	}
	if (dir && device->netdev[0])
		follow_bond(dirfd(dir), device);
	return 0;
}

/* The PCI address in a device-info file (k8snetworkplumbingwg device-info specification 1.1), in
 * the arena; "" if there is none, NULL without memory. */
static const char *read_devinfo(struct arena *arena, int dir, const char *name)
{
	cleanup_fd fd = fs_open(dir, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	const char *address;
	struct json_document doc;
	struct fs_text text;
	struct err err;

	if (fd < 0)
		return "";
	if (fs_read_regular(arena, fd, DEVINFO_SIZE_MAX, name, &text, &err) < 0 ||
	    json_parse(&doc, arena, name, text.bytes, text.len, 0, &err) < 0)
		return err.memory ? NULL : "";
	address = json_string(&doc, json_get(&doc, json_get(&doc, doc.root, "pci", JSON_OBJECT),
					     "pci-address", JSON_STRING));
	if (doc.failed)
		return err.memory ? NULL : "";
	return address ? address : "";
}

static int take_devinfo(int dir, const char *file, const char *netdev, struct devices *devices)
{
	cleanup_arena arena = {0};
	const char *address = read_devinfo(&arena, dir, file);

	if (!address)
		return -1;
	for (size_t i = 0; address[0] && i < devices->n; i++) {
		struct device *device = &devices->item[i];

		if (!device->netdev[0] && strcmp(device->pci, address) == 0)
			(void)snprintf(device->netdev, sizeof(device->netdev), "%.15s", netdev);
	}
	return 0;
}

/* multus names the files <network>-<sandbox id>_<interface in the pod>. */
int node_read_pod_netdevs(const struct node *node, struct devices *devices, const char *sandbox_id)
{
	cleanup_dir *dir = NULL;
	struct dirent *entry;

	if (!sandbox_id || !sandbox_id[0])
		return 0;
	if (tree_open_listing(node->root, DEVINFO_DIR, &dir) < 0)
		return -1;
	while (dir && (entry = readdir(dir))) {
		const char *id = strstr(entry->d_name, sandbox_id);
		const char *name = id ? id + strlen(sandbox_id) : "";

		if (name[0] == '_' && text_is_netdev_name(name + 1) &&
		    take_devinfo(dirfd(dir), entry->d_name, name + 1, devices) < 0)
			return -1;
	}
	return 0;
}
