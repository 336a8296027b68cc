/* SPDX-License-Identifier: Apache-2.0 */
#include "core/node/node.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

#define DRIVER_DIR "proc/driver/nvidia/gpus"
#define BUS_DIR "sys/bus/pci/devices"
#define INFORMATION_MAX 4096
#define VENDOR_NVIDIA "0x10de"

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

/* Class 0x0300xx is a display controller, 0x0302xx a 3D controller. */
static bool is_gpu(int bus, const char *address)
{
	char path[64];
	char line[32];

	(void)snprintf(path, sizeof(path), "%.23s/class", address);
	if (fs_read_line(bus, path, line, sizeof(line)) < 0 ||
	    (!text_starts_with(line, "0x0300") && !text_starts_with(line, "0x0302")))
		return false;
	(void)snprintf(path, sizeof(path), "%.23s/vendor", address);
	return fs_read_line(bus, path, line, sizeof(line)) > 0 && strcmp(line, VENDOR_NVIDIA) == 0;
}

static int add(const struct node *node, struct arena *arena, const char *address, int64_t minor,
	       struct gpus *gpus)
{
	struct gpu *larger = arena_grow(arena, gpus->item, gpus->n, &gpus->room, sizeof(*larger));
	struct gpu gpu = {.minor = minor};
	char *path;

	if (!larger || pci_find(node, arena, address, &path) < 0)
		return -1;
	gpu.place.path = path;
	(void)snprintf(gpu.pci, sizeof(gpu.pci), "%.23s", address);
	pci_read_place(node, &gpu.place);
	gpus->item = larger;
	gpus->item[gpus->n++] = gpu;
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct gpu *)a)->pci, ((const struct gpu *)b)->pci);
}

/* driver: the directory is the driver's, where each entry is a GPU. */
static int add_each(const struct node *node, struct arena *arena, DIR *dir, bool driver,
		    struct gpus *gpus)
{
	struct dirent *entry;

	while ((entry = readdir(dir))) {
		const char *address = entry->d_name;
		int64_t minor = -1;

		if (!text_is_pci_address(address) || (!driver && !is_gpu(dirfd(dir), address)))
			continue;
		if ((driver && read_minor(dirfd(dir), address, &minor) < 0) ||
		    add(node, arena, address, minor, gpus) < 0)
			return -1;
	}
	return 0;
}

/* Returns 1 if there is such a directory, 0 if not. */
static int list(const struct node *node, struct arena *arena, const char *path, bool driver,
		struct gpus *gpus, struct err *err)
{
	cleanup_dir *dir = NULL;

	if (tree_open_listing(node->root, path, &dir) < 0 ||
	    (dir && add_each(node, arena, dir, driver, gpus) < 0))
		return err_memory(err);
	if (gpus->n)
		qsort(gpus->item, gpus->n, sizeof(*gpus->item), compare);
	return dir != NULL;
}

int gpu_list_driver(const struct node *node, struct arena *arena, struct gpus *gpus,
		    struct err *err)
{
	return list(node, arena, DRIVER_DIR, true, gpus, err);
}

int gpu_list(const struct node *node, struct arena *arena, struct gpus *gpus, struct err *err)
{
	int loaded = gpu_list_driver(node, arena, gpus, err);

	if (loaded == 0)
		loaded = list(node, arena, BUS_DIR, false, gpus, err);
	return loaded < 0 ? -1 : 0;
}
