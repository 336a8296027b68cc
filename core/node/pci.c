/* SPDX-License-Identifier: Apache-2.0 */
#include "core/node/pci.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"

#define GPUS "proc/driver/nvidia/gpus"

void pci_read_place(const struct node *node, struct pci_place *place)
{
	cleanup_fd dir = place->path ? tree_open_dir(node->root, place->path) : -1;
	char line[32];

	if (dir < 0 || fs_read_line(dir, "numa_node", line, sizeof(line)) <= 0 || line[0] == '-')
		return;
	place->numa_node = (int)strtol(line, NULL, 10);
	place->has_numa_node = true;
}

static size_t count_slashes(const char *path)
{
	size_t n = 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

/* "…/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.0": host bridge (Arm: below
 * "platform/…"), root port, switch's upstream and downstream ports, function. On one switch at most
 * two parts differ. */
enum pci_distance pci_distance(const struct pci_place *a, const struct pci_place *b)
{
	const char *x = a->path;
	const char *y = b->path;
	const char *bridge = x ? strstr(x, "/pci") : NULL;
	size_t common = 0;

	if (!x || !y)
		return PCI_UNKNOWN;
	for (size_t i = 0;; i++) {
		if (strchr("/", x[i]) && strchr("/", y[i]))
			common = i;
		if (!x[i] || x[i] != y[i])
			break;
	}
	x += common;
	y += common;
	if (!bridge || x <= bridge)
		return a->has_numa_node && b->has_numa_node && a->numa_node == b->numa_node
			       ? PCI_NODE
			       : PCI_SYS;
	if (x == strchrnul(bridge + 1, '/'))
		return PCI_PHB;
	return count_slashes(x) <= 2 && count_slashes(y) <= 2 ? PCI_PIX : PCI_PXB;
}

/* "Device Minor: \t 3" in <address>/information, or -1 */
static int64_t read_minor(struct arena *arena, int root, const char *address)
{
	static const char label[] = "\nDevice Minor:";
	char path[64];
	cleanup_fd fd = -1;
	struct fs_text text;
	struct err ignored;
	const char *line;

	snprintf(path, sizeof(path), GPUS "/%.23s/information", address);
	fd = fs_open(root, path, O_RDONLY, RESOLVE_IN_ROOT);
	if (fd < 0 || fs_read_regular(arena, fd, 4096, path, &text, &ignored) < 0)
		return -1;
	line = strstr(text.bytes, label);
	line = line ? line + strlen(label) + strspn(line + strlen(label), " \t") : "";
	return *line >= '0' && *line <= '9' ? strtol(line, NULL, 10) : -1;
}

void gpu_add(const struct node *node, struct arena *arena, const char *address, int64_t minor,
	     struct gpus *gpus)
{
	struct gpu *gpu = arena_push(arena, gpus->item, gpus->n, gpus->room);
	const char *path;

	if (!gpu)
		return;
	*gpu = (struct gpu){.minor = minor, .place.path = pci_find(node, arena, address)};
	snprintf(gpu->pci, sizeof(gpu->pci), "%.23s", address);
	pci_read_place(node, &gpu->place);
	path = gpu->place.path ? arena_printf(arena, "%s/device", gpu->place.path) : NULL;
	if (!path || fs_read_line(node->root, path, gpu->model, sizeof(gpu->model)) < 0)
		gpu->model[0] = '\0';
}

bool gpu_list_driver(const struct node *node, struct arena *arena, struct gpus *gpus)
{
	cleanup_fd dir = tree_open_dir(node->root, GPUS);
	const char **names;
	int n = dir < 0 ? 0 : tree_list(arena, dir, ".", "", &names);

	/* Sorted by address */
	for (int i = 0; i < n; i++) {
		if (text_is_pci_address(names[i]))
			gpu_add(node, arena, names[i], read_minor(arena, node->root, names[i]),
				gpus);
	}
	return dir >= 0;
}

const char *pci_find(const struct node *node, struct arena *arena, const char *address)
{
	static const char *const buses[] = {"sys/bus/auxiliary/devices", "sys/bus/pci/devices"};
	cleanup_fd bus = tree_open_dir(node->root, buses[text_is_pci_address(address)]);

	return bus < 0 ? NULL : sysfs_find(arena, bus, address);
}
