/* SPDX-License-Identifier: Apache-2.0 */
#include "core/node/node.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "core/base/cleanup.h"
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

/* What a link of sysfs leads to, below the sysroot: "../../devices/…" is "sys/devices/…"; *ret_path
 * is NULL if it leads elsewhere. Negative: no memory */
static int device_path(struct arena *arena, const char *link, char **ret_path)
{
	*ret_path = NULL;
	while (text_starts_with(link, "../"))
		link += strlen("../");
	if (!text_starts_with(link, "devices/"))
		return 0;
	*ret_path = arena_printf(arena, "sys/%s", link);
	return *ret_path ? 0 : -1;
}

/* ---- PCI functions ---- */

int pci_find(const struct node *node, struct arena *arena, const char *address, char **ret_path)
{
	static const char *const buses[] = {"sys/bus/auxiliary/devices", "sys/bus/pci/devices"};
	cleanup_fd bus = tree_open_dir(node->root, buses[text_is_pci_address(address)]);
	char link[NODE_LINK_MAX];

	*ret_path = NULL;
	/* "../../../devices/pci0000:3a/…/0000:3b:02.6" */
	if (bus < 0 || fs_read_link(bus, address, link, sizeof(link)) < 0)
		return 0;
	return device_path(arena, link, ret_path);
}

/* ---- verbs devices ---- */

#define VERBS_CLASS "infiniband_verbs"

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

/* physfn: the path of the PCI function's */
static void read_physfn(struct device *device, int verbs, const char *physfn)
{
	char link[NODE_LINK_MAX];

	device->kind = DEVICE_PF;
	if (fs_read_link(verbs, physfn, link, sizeof(link)) >= 0 &&
	    text_is_pci_address(text_base_name(link))) {
		device->kind = DEVICE_VF;
		copy_name(device->pf, sizeof(device->pf), text_base_name(link));
		return;
	}
	copy_name(device->pf, sizeof(device->pf), device->pci);
}

/*
 * Where the device sits, by its path: below a PCI function, maybe with an auxiliary device between.
 * verbs: its directory infiniband_verbs/uverbsN, from which the function's is reached without
 * another walk through sysfs.
 */
static int read_parent(int verbs, struct arena *arena, struct device *device)
{
	const char *name = text_base_name(device->path);
	char *pci_path = arena_strdup(arena, device->path);
	bool auxiliary = false;

	if (!pci_path)
		return -1;
	if (!text_is_pci_address(name)) {
		char *slash = strrchr(pci_path, '/');

		*slash = '\0';
		auxiliary = text_is_pci_address(text_base_name(pci_path));
		if (!auxiliary) {
			device->kind = DEVICE_VIRTUAL;
			return 0;
		}
	}
	device->place.path = pci_path;
	copy_name(device->address, sizeof(device->address), name);
	copy_name(device->pci, sizeof(device->pci), text_base_name(pci_path));
	read_physfn(device, verbs, auxiliary ? "../../../physfn" : "../../physfn");
	if (auxiliary)
		device->kind = DEVICE_SF;
	return 0;
}

/*
 * path: "sys/devices/…/infiniband_verbs/uverbs6". Returns 1 if a device was added, 0 if that is no
 * verbs device or it has just gone, -1 without memory.
 */
static int add_verbs_device(const struct node *node, struct arena *arena, const char *path,
			    struct devices *devices)
{
	cleanup_fd dir = -1;
	struct device device = {0};
	struct device *added;
	const char *uverbs = text_base_name(path);
	char *parent = arena_strndup(arena, path, (size_t)(uverbs - path - 1));

	if (!parent)
		return -1;
	if (!is_uverbs_name(uverbs) || strcmp(text_base_name(parent), VERBS_CLASS) != 0)
		return 0;
	dir = tree_open_dir(node->root, path);
	if (dir < 0 || fs_read_line(dir, "ibdev", device.ibdev, sizeof(device.ibdev)) < 0 ||
	    !text_is_device_name(device.ibdev))
		return 0;
	copy_name(device.uverbs, sizeof(device.uverbs), uverbs);
	parent[strlen(parent) - strlen("/" VERBS_CLASS)] = '\0';
	device.path = parent;
	if (read_parent(dir, arena, &device) < 0)
		return -1;
	added = arena_push(arena, devices->item, devices->n, devices->room);
	if (!added)
		return -1;
	*added = device;
	return 1;
}

/* name: below /dev. linux.devices may list one number twice. Negative: no memory */
static int add_vfio(struct arena *arena, const char *name, struct devices *devices)
{
	const char **added;

	for (size_t i = 0; name && i < devices->n_vfio; i++) {
		if (strcmp(devices->vfio[i], name) == 0)
			return 0;
	}
	added = name ? arena_push(arena, devices->vfio, devices->n_vfio, devices->vfio_room) : NULL;
	if (!added)
		return -1;
	*added = name;
	return 0;
}

/*
 * What a link of sys/dev/char leads to that is given to user space whole. A group of
 * drivers/vfio/group.c is "…/virtual/vfio/57", a device of drivers/vfio/device_cdev.c
 * "…/0000:3b:02.5/vfio-dev/vfio0"; one of drivers/vhost/vdpa.c "…/vdpa0/vhost-vdpa-0".
 */
static int find_passthrough(struct arena *arena, char *link, struct devices *devices,
			    struct err *err)
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
	if (add_vfio(arena, arena_printf(arena, "vfio/%s%s", group ? "" : "devices/", slash + 1),
		     devices) < 0)
		return err_memory(err);
	return NUMBER_VFIO;
}

int node_find_number(const struct node *node, struct arena *arena, int64_t major, int64_t minor,
		     struct devices *devices, struct err *err)
{
	char name[64];
	char link[NODE_LINK_MAX];
	char *path;
	int added;

	if (major < 0 || minor < 0 || node->char_devices < 0)
		return NUMBER_OTHER;
	(void)snprintf(name, sizeof(name), "%" PRId64 ":%" PRId64, major, minor);
	if (fs_read_link(node->char_devices, name, link, sizeof(link)) < 0)
		return NUMBER_OTHER;
	/* Most character devices are not ours: allocate nothing for them. */
	if (!strstr(link, "/" VERBS_CLASS "/"))
		return find_passthrough(arena, link, devices, err);
	if (device_path(arena, link, &path) < 0)
		return err_memory(err);
	added = path ? add_verbs_device(node, arena, path, devices) : 0;
	if (added < 0)
		return err_memory(err);
	return added ? NUMBER_VERBS : NUMBER_OTHER;
}

/* Adds the verbs devices of a directory infiniband_verbs; a missing directory has none. */
static int add_each_uverbs(const struct node *node, struct arena *arena, const char *verbs_dir,
			   struct devices *devices, struct err *err)
{
	cleanup_dir *dir = NULL;
	struct dirent *entry;
	int total = 0;

	if (tree_open_listing(node->root, verbs_dir, &dir) < 0)
		return err_memory(err);
	while (dir && (entry = readdir(dir))) {
		char *path;
		int added;

		if (!is_uverbs_name(entry->d_name))
			continue;
		path = arena_printf(arena, "%s/%s", verbs_dir, entry->d_name);
		added = path ? add_verbs_device(node, arena, path, devices) : -1;
		if (added < 0)
			return err_memory(err);
		total += added;
	}
	return total;
}

int node_find_address(const struct node *node, struct arena *arena, const char *address,
		      struct devices *devices, struct err *err)
{
	char *path;
	char *verbs_dir;

	if (pci_find(node, arena, address, &path) < 0)
		return err_memory(err);
	if (!path)
		return 0;
	verbs_dir = arena_printf(arena, "%s/" VERBS_CLASS, path);
	return verbs_dir ? add_each_uverbs(node, arena, verbs_dir, devices, err) : err_memory(err);
}

int node_find_all(const struct node *node, struct arena *arena, bool vfs_only,
		  struct devices *devices, struct err *err)
{
	cleanup_dir *dir = NULL;
	struct dirent *entry;
	int total = 0;

	if (tree_open_listing(node->root, "sys/class/" VERBS_CLASS, &dir) < 0)
		return err_memory(err);
	while (dir && (entry = readdir(dir))) {
		char link[NODE_LINK_MAX];
		char *path;
		int added;

		if (!is_uverbs_name(entry->d_name) ||
		    fs_read_link(dirfd(dir), entry->d_name, link, sizeof(link)) < 0)
			continue;
		if (device_path(arena, link, &path) < 0)
			return err_memory(err);
		added = path ? add_verbs_device(node, arena, path, devices) : 0;
		if (added < 0)
			return err_memory(err);
		if (added && vfs_only && devices->item[devices->n - 1].kind != DEVICE_VF)
			devices->n--;
		else
			total += added;
	}
	return total;
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
