/* SPDX-License-Identifier: Apache-2.0 */
#include "core/node/node.h"

#include <errno.h>
#include <linux/magic.h>
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

int node_device_path(struct arena *arena, const char *link, char **ret_path)
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
	return node_device_path(arena, link, ret_path);
}
