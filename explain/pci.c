/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/pci.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

enum rdma_mode node_rdma_mode(const struct node *node)
{
	char line[8];

	if (fs_read_line(node->root, "sys/module/ib_core/parameters/netns_mode", line,
			 sizeof(line)) < 0)
		return RDMA_MODE_UNKNOWN;
	return line[0] == 'Y' ? RDMA_MODE_SHARED : RDMA_MODE_EXCLUSIVE;
}

const char *pci_distance_name(enum pci_distance distance)
{
	static const char *const names[] = {
		[PCI_UNKNOWN] = "", [PCI_PIX] = "PIX",   [PCI_PXB] = "PXB",
		[PCI_PHB] = "PHB",  [PCI_NODE] = "NODE", [PCI_SYS] = "SYS",
	};

	return names[distance];
}

/* drivers/iommu/iommu.c, iommu_group_show_type(): "DMA" and "DMA-FQ" translate. */
bool pci_translates(const struct pci_place *place)
{
	return text_starts_with(place->iommu, "DMA");
}

/* ---- GPUs ---- */

#define VENDOR_NVIDIA "0x10de"

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

/* Finds GPUs on the PCI bus, for a node on which NVIDIA's driver is not loaded */
static int list_bus(const struct node *node, struct arena *arena, struct gpus *gpus,
		    struct err *err)
{
	cleanup_dir *dir = NULL;
	struct dirent *entry;

	if (tree_open_listing(node->root, "sys/bus/pci/devices", &dir) < 0)
		return err_memory(err);
	while (dir && (entry = readdir(dir))) {
		if (text_is_pci_address(entry->d_name) && is_gpu(dirfd(dir), entry->d_name) &&
		    gpu_add(node, arena, entry->d_name, -1, gpus) < 0)
			return err_memory(err);
	}
	gpus_sort(gpus);
	return 0;
}

int gpu_list(const struct node *node, struct arena *arena, struct gpus *gpus, struct err *err)
{
	int loaded = gpu_list_driver(node, arena, gpus, err);

	return loaded == 0 ? list_bus(node, arena, gpus, err) : loaded < 0 ? -1 : 0;
}
