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

uint64_t node_memory(const struct node *node)
{
	/* The first line, since there is a /proc/meminfo (the kernel's fs/proc/meminfo.c) */
	static const char front[] = "MemTotal:";
	char line[64];

	if (fs_read_line(node->root, "proc/meminfo", line, sizeof(line)) < 0 ||
	    !text_starts_with(line, front))
		return 0;
	return strtoull(line + strlen(front), NULL, 10) * 1024;
}

int node_open(const char *sysroot, struct node *ret_node, struct err *err)
{
	cleanup_fd root = tree_open_root(sysroot, err);
	struct statfs fs;
	int chars;

	if (root < 0)
		return -1;
	chars = tree_open_dir(root, "sys/dev/char");
	if (chars < 0 && chars != -ENOENT)
		return err_sys(err, -chars, "%s/sys/dev/char", sysroot);
	if (chars >= 0 && strcmp(sysroot, "/") == 0 &&
	    (fstatfs(chars, &fs) < 0 || fs.f_type != SYSFS_MAGIC)) {
		(void)close(chars);
		return err_set(err, "/sys is not sysfs, so that device numbers cannot be looked "
				    "up: mount sysfs there");
	}
	ret_node->recorded = strcmp(sysroot, "/") != 0;
	ret_node->root = take_fd(&root);
	ret_node->char_devices = chars < 0 ? -1 : chars;
	return 0;
}

void node_close(struct node *node)
{
	cleanup_close_fd(&node->root);
	cleanup_close_fd(&node->char_devices);
}

/* What a link of sysfs leads to, below the sysroot: "../../devices/…" is "sys/devices/…". NULL if
 * it leads elsewhere, or without memory */
static const char *device_path(struct arena *arena, const char *link)
{
	while (text_starts_with(link, "../"))
		link += strlen("../");
	return text_starts_with(link, "devices/") ? arena_printf(arena, "sys/%s", link) : NULL;
}

const char *pci_find(const struct node *node, struct arena *arena, const char *address)
{
	static const char *const buses[] = {"sys/bus/auxiliary/devices", "sys/bus/pci/devices"};
	cleanup_fd bus = tree_open_dir(node->root, buses[text_is_pci_address(address)]);
	char link[NODE_LINK_MAX];

	/* "../../../devices/pci0000:3a/…/0000:3b:02.6" */
	if (bus < 0 || fs_read_link(bus, address, link, sizeof(link)) < 0)
		return NULL;
	return device_path(arena, link);
}

/* ---- verbs devices ---- */

#define VERBS_CLASS "infiniband_verbs"
#define VERBS_DIR "/" VERBS_CLASS "/"

static bool is_uverbs_name(const char *name)
{
	size_t prefix = strlen("uverbs");

	return text_starts_with(name, "uverbs") && name[prefix] &&
	       strspn(name + prefix, "0123456789") == strlen(name + prefix) &&
	       strlen(name) < sizeof(((struct device *)NULL)->uverbs);
}

static void copy_name(char *to, size_t size, const char *from)
{
	size_t len = strnlen(from, size - 1);

	memcpy(to, from, len);
	to[len] = '\0';
}

/*
 * Where the device sits, by its path: below a PCI function, maybe with an auxiliary device between.
 * verbs: its directory infiniband_verbs/uverbsN, from which the function's is reached without
 * another walk through sysfs.
 */
static void read_parent(int verbs, struct arena *arena, struct device *device)
{
	const char *name = text_base_name(device->path);
	bool auxiliary = !text_is_pci_address(name);
	const char *path = device->path;
	char link[256]; /* "../0000:3b:00.0" */
	const char *physfn;

	if (auxiliary)
		path = arena_strndup(arena, path, (size_t)(name - path) - 1);
	device->kind = DEVICE_VIRTUAL;
	if (!path || !text_is_pci_address(text_base_name(path)))
		return;
	device->kind = auxiliary ? DEVICE_SF : DEVICE_PF;
	device->place.path = path;
	copy_name(device->address, sizeof(device->address), name);
	copy_name(device->pci, sizeof(device->pci), text_base_name(path));
	copy_name(device->pf, sizeof(device->pf), device->pci);
	if (fs_read_link(verbs, auxiliary ? "../../../physfn" : "../../physfn", link,
			 sizeof(link)) < 0)
		return;
	physfn = text_base_name(link);
	if (!text_is_pci_address(physfn))
		return;
	copy_name(device->pf, sizeof(device->pf), physfn);
	if (!auxiliary)
		device->kind = DEVICE_VF;
}

/* path: "sys/devices/…/infiniband_verbs/uverbs6". NULL if that is no verbs device, if it has just
 * gone, or without memory */
static const struct device *add_verbs_device(const struct node *node, struct arena *arena,
					     const char *path, struct devices *devices)
{
	const char *parent_end = path ? strstr(path, VERBS_DIR) : NULL;
	const char *uverbs = parent_end ? parent_end + strlen(VERBS_DIR) : "";
	struct device device = {0};
	struct device *added;
	cleanup_fd dir = -1;

	if (!is_uverbs_name(uverbs))
		return NULL;
	dir = tree_open_dir(node->root, path);
	if (dir < 0 || fs_read_line(dir, "ibdev", device.ibdev, sizeof(device.ibdev)) < 0 ||
	    !text_is_device_name(device.ibdev))
		return NULL;
	copy_name(device.uverbs, sizeof(device.uverbs), uverbs);
	device.path = arena_strndup(arena, path, (size_t)(parent_end - path));
	if (!device.path)
		return NULL;
	read_parent(dir, arena, &device);
	added = arena_push(arena, devices->item, devices->n, devices->room);
	if (added)
		*added = device;
	return added;
}

/* name: below /dev. linux.devices may list one number twice. */
static void add_vfio(struct arena *arena, const char *name, struct devices *devices)
{
	const char **added;

	for (size_t i = 0; name && i < devices->n_vfio; i++) {
		if (strcmp(devices->vfio[i], name) == 0)
			return;
	}
	added = arena_push(arena, devices->vfio, devices->n_vfio, devices->vfio_room);
	if (added)
		*added = name ? name : "";
}

/*
 * What a link of sys/dev/char leads to that is given to user space whole. A group of
 * drivers/vfio/group.c is "…/virtual/vfio/57", a device of drivers/vfio/device_cdev.c
 * "…/0000:3b:02.5/vfio-dev/vfio0"; one of drivers/vhost/vdpa.c "…/vdpa0/vhost-vdpa-0".
 */
static enum node_number find_passthrough(struct arena *arena, char *link, struct devices *devices)
{
	char *slash = strrchr(link, '/');
	bool group;

	if (!slash)
		return NUMBER_OTHER;
	*slash = '\0';
	if (text_starts_with(slash + 1, "vhost-vdpa-"))
		return NUMBER_VDPA;
	group = text_ends_with(link, "/virtual/vfio");
	if (!group && !text_ends_with(link, "/vfio-dev"))
		return NUMBER_OTHER;
	add_vfio(arena, arena_printf(arena, "vfio/%s%s", group ? "" : "devices/", slash + 1),
		 devices);
	return NUMBER_VFIO;
}

enum node_number node_find_number(const struct node *node, struct arena *arena, int64_t major,
				  int64_t minor, struct devices *devices)
{
	char name[64];
	char link[NODE_LINK_MAX];

	if (major < 0 || minor < 0 || node->char_devices < 0)
		return NUMBER_OTHER;
	(void)snprintf(name, sizeof(name), "%" PRId64 ":%" PRId64, major, minor);
	if (fs_read_link(node->char_devices, name, link, sizeof(link)) < 0)
		return NUMBER_OTHER;
	/* Most character devices are not ours: allocate nothing for them. */
	if (!strstr(link, VERBS_DIR))
		return find_passthrough(arena, link, devices);
	return add_verbs_device(node, arena, device_path(arena, link), devices) ? NUMBER_VERBS
										: NUMBER_OTHER;
}

void node_find_address(const struct node *node, struct arena *arena, const char *address,
		       struct devices *devices)
{
	const char *path = pci_find(node, arena, address);
	const char *dir = path ? arena_printf(arena, "%s/" VERBS_CLASS, path) : NULL;
	const char **names;
	int n = dir ? tree_list(arena, node->root, dir, "", &names) : 0;

	for (int i = 0; i < n; i++)
		(void)add_verbs_device(node, arena, arena_printf(arena, "%s/%s", dir, names[i]),
				       devices);
}

void node_find_all(const struct node *node, struct arena *arena, bool vfs_only,
		   struct devices *devices)
{
	cleanup_fd dir = tree_open_dir(node->root, "sys/class/" VERBS_CLASS);
	char link[NODE_LINK_MAX];
	const char **names;
	int n = dir < 0 ? 0 : tree_list(arena, dir, ".", "", &names);

	for (int i = 0; i < n; i++) {
		const struct device *added;

		if (!is_uverbs_name(names[i]) ||
		    fs_read_link(dir, names[i], link, sizeof(link)) < 0)
			continue;
		added = add_verbs_device(node, arena, device_path(arena, link), devices);
		if (added && vfs_only && added->kind != DEVICE_VF)
			devices->n--;
	}
}

/* ---- their ports, from <device>/infiniband/<ibdev>/ports/N ---- */

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

void node_read_ports(const struct node *node, struct arena *arena, struct device *device)
{
	cleanup_fd ports = port_open(node, device, 0);
	struct port *added;
	size_t room = 0;
	char path[32];

	/* From 1 on, without a gap (rdma_for_each_port, include/rdma/ib_verbs.h); a switch, which
	 * has 0 alone, is no HCA. */
	for (unsigned number = 1; ports >= 0 && number <= PORT_MAX; number++) {
		struct port port = {.number = number, .gid_index = -1};

		(void)snprintf(path, sizeof(path), "%u/link_layer", number);
		if (fs_read_line(ports, path, port.link_layer, sizeof(port.link_layer)) < 0)
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

/* ---- their order ---- */

/*
 * The kubelet's order is that of a Go map, so the environment's order means nothing
 * (core/spec/spec.h); a PCI address is the same rail on all nodes of one kind.
 */
static int compare_by_address(const void *a, const void *b)
{
	const struct device *x = a;
	const struct device *y = b;
	int order = !x->pci[0] - !y->pci[0];

	if (!order)
		order = strcmp(x->pci, y->pci);
	return order ? order : text_compare_natural(x->ibdev, y->ibdev);
}

void devices_sort(struct devices *devices)
{
	size_t kept = 0;

	if (devices->n)
		qsort(devices->item, devices->n, sizeof(*devices->item), compare_by_address);
	for (size_t i = 0; i < devices->n; i++) {
		if (kept && strcmp(devices->item[kept - 1].uverbs, devices->item[i].uverbs) == 0)
			continue;
		devices->item[kept++] = devices->item[i];
	}
	devices->n = kept;
}

bool devices_any(const struct devices *devices)
{
	return devices->n || devices->n_vfio;
}

/* ---- as people read them ---- */

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
