/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/node/node.h"

void pci_read_place(const struct node *node, struct pci_place *place)
{
	cleanup_fd dir = -1;
	char line[32];
	char link[NODE_LINK_MAX];
	char path[64];

	if (!place->path)
		return;
	dir = tree_open_dir(node->root, place->path);
	if (dir < 0)
		return;
	/* -1: the firmware does not say */
	if (fs_read_line(dir, "numa_node", line, sizeof(line)) > 0 && line[0] != '-') {
		place->numa_node = (int)strtol(line, NULL, 10);
		place->has_numa_node = true;
	}
	if (fs_read_link(dir, "iommu_group", link, sizeof(link)) < 0)
		return;
	(void)snprintf(path, sizeof(path), "sys/kernel/iommu_groups/%.16s/type",
		       text_base_name(link));
	if (fs_read_line(node->root, path, place->iommu, sizeof(place->iommu)) < 0)
		place->iommu[0] = '\0';
}

static size_t count_parts(const char *path)
{
	size_t parts = 0;

	for (; *path; path++)
		parts += *path == '/';
	return parts + 1;
}

/* How many leading parts both have */
static size_t count_common(const char *a, const char *b)
{
	size_t parts = 0;

	for (; *a == *b && *a; a++, b++)
		parts += *a == '/';
	return parts + ((!*a || *a == '/') && (!*b || *b == '/'));
}

/* How many parts lead to the host bridge, it included; on Arm there may be "platform/…" before. */
static size_t host_bridge_parts(const char *path)
{
	const char *bridge = strstr(path, "/pci");
	size_t parts = 1;

	for (const char *c = path; bridge && c <= bridge; c++)
		parts += *c == '/';
	return bridge ? parts : 0;
}

/*
 * sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.0: a host bridge, a root
 * port, a switch's upstream and downstream port, and the function. Two functions on one switch
 * have its upstream port in common, each with one downstream port between.
 */
enum pci_distance pci_distance(const struct pci_place *a, const struct pci_place *b)
{
	size_t common;
	size_t bridge;

	if (!a->path || !b->path)
		return PCI_UNKNOWN;
	common = count_common(a->path, b->path);
	bridge = host_bridge_parts(a->path);
	if (!bridge || common < bridge)
		return a->has_numa_node && b->has_numa_node && a->numa_node == b->numa_node
			       ? PCI_NODE
			       : PCI_SYS;
	if (common == bridge)
		return PCI_PHB;
	return count_parts(a->path) - common <= 2 && count_parts(b->path) - common <= 2 ? PCI_PIX
											: PCI_PXB;
}

/* ---- GPUs ---- */

#define INFORMATION_MAX 4096

/* "Device Minor: \t 3", one of the lines of <address>/information; -1 without one. Negative: no
 * memory */
static int read_minor(int gpus, const char *address, int64_t *ret_minor)
{
	static const char label[] = "\nDevice Minor:";
	cleanup_arena arena = {0};
	cleanup_fd fd = -1;
	char path[64];
	struct fs_text text;
	struct err err;
	const char *line;

	(void)snprintf(path, sizeof(path), "%.23s/information", address);
	*ret_minor = -1;
	fd = fs_open_regular(gpus, path);
	if (fd < 0)
		return 0;
	if (fs_read(&arena, fd, INFORMATION_MAX, path, &text, &err) < 0)
		return err.memory ? -1 : 0;
	line = strstr(text.bytes, label);
	if (!line)
		return 0;
	line += strlen(label);
	line += strspn(line, " \t");
	if (*line >= '0' && *line <= '9')
		*ret_minor = strtol(line, NULL, 10);
	return 0;
}

/* Negative: no memory */
static int read_model(const struct node *node, struct arena *arena, struct gpu *gpu)
{
	const char *path = arena_printf(arena, "%s/device", gpu->place.path);

	if (!path)
		return -1;
	if (fs_read_line(node->root, path, gpu->model, sizeof(gpu->model)) < 0)
		gpu->model[0] = '\0';
	return 0;
}

int gpu_add(const struct node *node, struct arena *arena, const char *address, int64_t minor,
	    struct gpus *gpus)
{
	struct gpu *gpu = arena_push(arena, gpus->item, gpus->n, gpus->room);
	char *path;

	if (!gpu || pci_find(node, arena, address, &path) < 0)
		return -1;
	*gpu = (struct gpu){.minor = minor, .place.path = path};
	(void)snprintf(gpu->pci, sizeof(gpu->pci), "%.23s", address);
	pci_read_place(node, &gpu->place);
	return path ? read_model(node, arena, gpu) : 0;
}

static int compare_gpus(const void *a, const void *b)
{
	return strcmp(((const struct gpu *)a)->pci, ((const struct gpu *)b)->pci);
}

void gpus_sort(struct gpus *gpus)
{
	if (gpus->n)
		qsort(gpus->item, gpus->n, sizeof(*gpus->item), compare_gpus);
}

int gpu_list_driver(const struct node *node, struct arena *arena, struct gpus *gpus,
		    struct err *err)
{
	cleanup_dir *dir = NULL;
	struct dirent *entry;
	int64_t minor;

	if (tree_open_listing(node->root, "proc/driver/nvidia/gpus", &dir) < 0)
		return err_memory(err);
	while (dir && (entry = readdir(dir))) {
		if (!text_is_pci_address(entry->d_name))
			continue;
		if (read_minor(dirfd(dir), entry->d_name, &minor) < 0 ||
		    gpu_add(node, arena, entry->d_name, minor, gpus) < 0)
			return err_memory(err);
	}
	gpus_sort(gpus);
	return dir != NULL;
}
