/* SPDX-License-Identifier: Apache-2.0 */
/* Few containers need these: devices by address, all VFs, vfio; the node's memory */
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/node/node.h"

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

const char *pci_find(const struct node *node, struct arena *arena, const char *address)
{
	static const char *const buses[] = {"sys/bus/auxiliary/devices", "sys/bus/pci/devices"};
	cleanup_fd bus = tree_open_dir(node->root, buses[text_is_pci_address(address)]);

	/* "../../../devices/pci0000:3a/…/0000:3b:02.6" */
	return bus < 0 ? NULL : sysfs_find(arena, bus, address);
}

void node_find_address(const struct node *node, struct arena *arena, const char *address,
		       struct devices *devices)
{
	const char *path = pci_find(node, arena, address);
	const char *dir = path ? arena_printf(arena, "%s/" VERBS_CLASS, path) : NULL;
	const char **names;
	int n = dir ? tree_list(arena, node->root, dir, "", &names) : 0;

	for (int i = 0; i < n; i++)
		(void)devices_add(node, arena, arena_printf(arena, "%s/%s", dir, names[i]),
				  devices);
}

void node_find_all(const struct node *node, struct arena *arena, bool vfs_only,
		   struct devices *devices)
{
	cleanup_fd dir = tree_open_dir(node->root, "sys/class/" VERBS_CLASS);
	const char **names;
	int n = dir < 0 ? 0 : tree_list(arena, dir, ".", "", &names);

	for (int i = 0; i < n; i++) {
		const struct device *added =
			devices_add(node, arena, sysfs_find(arena, dir, names[i]), devices);

		if (added && vfs_only && added->kind != DEVICE_VF)
			devices->n--;
	}
}

/*
 * A group of drivers/vfio/group.c is "…/virtual/vfio/57", a device of drivers/vfio/device_cdev.c
 * "…/0000:3b:02.5/vfio-dev/vfio0"; one of drivers/vhost/vdpa.c "…/vdpa0/vhost-vdpa-0".
 */
enum node_number node_find_vfio(struct arena *arena, const char *path, struct devices *devices)
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
	/* linux.devices may list one number twice. */
	for (size_t i = 0; name && i < devices->n_vfio; i++) {
		if (strcmp(devices->vfio[i], name) == 0)
			return NUMBER_VFIO;
	}
	added = name ? arena_push(arena, devices->vfio, devices->n_vfio, devices->vfio_room) : NULL;
	if (added)
		*added = name;
	return NUMBER_VFIO;
}
