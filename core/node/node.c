/* SPDX-License-Identifier: Apache-2.0 */
#include "core/node/node.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"

int node_open(const char *sysroot, struct node *ret_node, struct err *err)
{
	cleanup_fd root = tree_open_root(sysroot, err);
	cleanup_fd chars = root < 0 ? -1 : tree_open_dir(root, "sys/dev/char");
	bool recorded = strcmp(sysroot, "/") != 0;
	struct statfs fs;

	if (root < 0)
		return -1;
	if (chars < 0 && chars != -ENOENT)
		return err_sys(err, -chars, "%s/sys/dev/char", sysroot);
	if (chars >= 0 && !recorded && (fstatfs(chars, &fs) < 0 || fs.f_type != SYSFS_MAGIC))
		return err_set(err, "/sys is not sysfs, so that device numbers cannot be looked "
				    "up: mount sysfs there");
	*ret_node = (struct node){recorded, steal_fd(&root), steal_fd(&chars)};
	return 0;
}

void node_close(struct node *node)
{
	cleanup_close_fd(&node->root);
	cleanup_close_fd(&node->char_devices);
}

const char *sysfs_find(struct arena *arena, int dir, const char *name)
{
	char text[NODE_LINK_MAX];
	const char *link = text;

	if (fs_read_link(dir, name, text, sizeof(text)) < 0)
		return NULL;
	while (text_starts_with(link, "../"))
		link += strlen("../");
	return text_starts_with(link, "devices/") ? arena_printf(arena, "sys/%s", link) : NULL;
}

/* verbs: infiniband_verbs/uverbsN, from which physfn needs no second walk */
static void read_parent(int verbs, struct arena *arena, struct device *device)
{
	const char *name = text_base_name(device->path);
	bool auxiliary = !text_is_pci_address(name);
	const char *path = device->path;
	char link[256];

	if (auxiliary)
		path = arena_strndup(arena, path, (size_t)(name - path) - 1);
	device->kind = DEVICE_VIRTUAL;
	if (!path || !text_is_pci_address(text_base_name(path)))
		return;
	device->kind = auxiliary ? DEVICE_SF : DEVICE_PF;
	device->place.path = path;
	device->address = name;
	strcpy(device->pci, text_base_name(path));
	strcpy(device->pf, device->pci);
	if (fs_read_link(verbs, auxiliary ? "../../../physfn" : "../../physfn", link,
			 sizeof(link)) < 0 ||
	    !text_is_pci_address(text_base_name(link)))
		return;
	strcpy(device->pf, text_base_name(link));
	if (!auxiliary)
		device->kind = DEVICE_VF;
}

/* NULL if no verbs device */
static const struct device *add_device(const struct node *node, struct arena *arena,
				       const char *path, struct devices *devices)
{
	static const char name[] = "/" VERBS_CLASS "/uverbs";
	const char *parent_end = path ? strstr(path, name) : NULL;
	const char *number = parent_end ? parent_end + strlen(name) : "";
	struct device device = {.address = ""};
	struct device *added;
	cleanup_fd dir = -1;

	if (!number[0] || number[strspn(number, "0123456789")] || strlen(number) > 16)
		return NULL;
	dir = tree_open_dir(node->root, path);
	if (dir < 0 || fs_read_line(dir, "ibdev", device.ibdev, sizeof(device.ibdev)) < 0 ||
	    !text_is_device_name(device.ibdev))
		return NULL;
	strcpy(device.uverbs, text_base_name(path));
	device.path = arena_strndup(arena, path, (size_t)(parent_end - path));
	if (!device.path)
		return NULL;
	read_parent(dir, arena, &device);
	added = arena_push(arena, devices->item, devices->n, devices->room);
	if (added)
		*added = device;
	return added;
}

/* "…/virtual/vfio/57" (drivers/vfio/group.c), "…/0000:3b:02.5/vfio-dev/vfio0"
 * (drivers/vfio/device_cdev.c), "…/vdpa0/vhost-vdpa-0" (drivers/vhost/vdpa.c) */
static enum node_number find_vfio(struct arena *arena, const char *path, struct devices *devices)
{
	const char *name = text_base_name(path);
	const char *dir = arena_strndup(arena, path, (size_t)(name - path));
	bool group = dir && text_ends_with(dir, "/virtual/vfio/");
	const char **added;

	if (text_starts_with(name, "vhost-vdpa-"))
		return NUMBER_VDPA;
	if (!dir || (!group && !text_ends_with(dir, "/vfio-dev/")))
		return NUMBER_OTHER;
	name = arena_printf(arena, "vfio/%s%s", group ? "" : "devices/", name);
	/* linux.devices may repeat a number. */
	for (size_t i = 0; name && i < devices->n_vfio; i++) {
		if (strcmp(devices->vfio[i], name) == 0)
			return NUMBER_VFIO;
	}
	added = name ? arena_push(arena, devices->vfio, devices->n_vfio, devices->vfio_room) : NULL;
	if (added)
		*added = name;
	return NUMBER_VFIO;
}

enum node_number node_find_number(const struct node *node, struct arena *arena, int64_t major,
				  int64_t minor, struct devices *devices)
{
	char name[64];
	const char *path;

	if (major < 0 || minor < 0 || node->char_devices < 0)
		return NUMBER_OTHER;
	snprintf(name, sizeof(name), "%" PRId64 ":%" PRId64, major, minor);
	path = sysfs_find(arena, node->char_devices, name);
	if (add_device(node, arena, path, devices))
		return NUMBER_VERBS;
	return path && (strstr(path, "/vfio") || strstr(path, "/vhost-vdpa-"))
		       ? find_vfio(arena, path, devices)
		       : NUMBER_OTHER;
}

int port_open(const struct node *node, const struct device *device, unsigned number)
{
	char path[NODE_LINK_MAX + 128];

	snprintf(path, sizeof(path), "%s/infiniband/%s/ports/%u", device->path, device->ibdev,
		 number);
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

void node_read_ports(const struct node *node, struct arena *arena, struct device *device)
{
	char path[NODE_LINK_MAX + 128];
	cleanup_fd ports = -1;
	struct port *added;
	size_t room = 0;

	snprintf(path, sizeof(path), "%s/infiniband/%s/ports", device->path, device->ibdev);
	ports = tree_open_dir(node->root, path);
	/* From 1 without gaps (rdma_for_each_port, include/rdma/ib_verbs.h) to ibv_query_port(3)'s
	 * uint8_t; switches have only 0. */
	for (unsigned number = 1; ports >= 0 && number <= UINT8_MAX; number++) {
		struct port port = {.number = number, .gid_index = -1};

		snprintf(path, sizeof(path), "%u/link_layer", number);
		if (fs_read_line(ports, path, port.link_layer, sizeof(port.link_layer)) < 0)
			break;
		added = arena_push(arena, device->port, device->n_ports, room);
		if (!added)
			return;
		*added = port;
	}
	for (size_t i = 0; device->n_ports > 1 && i < device->n_ports; i++) {
		snprintf(path, sizeof(path), "%u/state", device->port[i].number);
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

/* The kubelet's order is a Go map's; PCI addresses name the same rail on like nodes. */
static int compare_by_address(const void *a, const void *b)
{
	const struct device *x = a;
	const struct device *y = b;
	int order = x->pci[0] && y->pci[0] ? strcmp(x->pci, y->pci) : !x->pci[0] - !y->pci[0];

	return order ? order : text_compare_natural(x->ibdev, y->ibdev);
}

void devices_sort(struct devices *devices)
{
	size_t kept = 0;

	if (devices->n)
		qsort(devices->item, devices->n, sizeof(*devices->item), compare_by_address);
	for (size_t i = 0; i < devices->n; i++) {
		if (!kept || strcmp(devices->item[kept - 1].uverbs, devices->item[i].uverbs) != 0)
			devices->item[kept++] = devices->item[i];
	}
	devices->n = kept;
}

bool devices_any(const struct devices *devices)
{
	return devices->n || devices->n_vfio;
}

void devices_append_names(const struct devices *devices, struct arena_text *text)
{
	for (size_t i = 0; i < devices->n; i++)
		arena_append(text, "%s%s", i ? "," : "", devices->item[i].ibdev);
	for (size_t i = 0; i < devices->n_vfio; i++)
		arena_append(text, "%s%s", i || devices->n ? "," : "", devices->vfio[i]);
}

const char *devices_count_text(const struct devices *devices, struct arena *arena)
{
	struct arena_text text = {.arena = arena};
	size_t n = devices->n;

	if (n || !devices->n_vfio)
		arena_append(&text, "%zu RDMA device%s", n, n == 1 ? "" : "s");
	if (devices->n_vfio)
		arena_append(&text, "%s%zu vfio function%s", n ? " and " : "", devices->n_vfio,
			     devices->n_vfio == 1 ? "" : "s");
	return text.failed ? NULL : text.text;
}

uint64_t node_memory(const struct node *node)
{
	/* Always the first line (fs/proc/meminfo.c) */
	static const char front[] = "MemTotal:";
	char line[64];

	if (fs_read_line(node->root, "proc/meminfo", line, sizeof(line)) < 0 ||
	    !text_starts_with(line, front))
		return 0;
	return strtoull(line + strlen(front), NULL, 10) * 1024;
}

void node_find_address(const struct node *node, struct arena *arena, const char *address,
		       struct devices *devices)
{
	const char *path = pci_find(node, arena, address);
	const char *dir = path ? arena_printf(arena, "%s/" VERBS_CLASS, path) : NULL;
	const char **names;
	int n = dir ? tree_list(arena, node->root, dir, "", &names) : 0;

	for (int i = 0; i < n; i++)
		(void)add_device(node, arena, arena_printf(arena, "%s/%s", dir, names[i]), devices);
}

void node_find_all(const struct node *node, struct arena *arena, bool vfs_only,
		   struct devices *devices)
{
	cleanup_fd dir = tree_open_dir(node->root, "sys/class/" VERBS_CLASS);
	const char **names;
	int n = dir < 0 ? 0 : tree_list(arena, dir, ".", "", &names);

	for (int i = 0; i < n; i++) {
		const struct device *added =
			add_device(node, arena, sysfs_find(arena, dir, names[i]), devices);

		if (added && vfs_only && added->kind != DEVICE_VF)
			devices->n--;
	}
}
