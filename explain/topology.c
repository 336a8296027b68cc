/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/node/network.h"

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

void pci_read_iommu(const struct node *node, struct pci_place *place)
{
	cleanup_fd dir = place->path ? tree_open_dir(node->root, place->path) : -1;
	char link[NODE_LINK_MAX];
	char path[64];

	if (dir < 0 || fs_read_link(dir, "iommu_group", link, sizeof(link)) < 0)
		return;
	snprintf(path, sizeof(path), "sys/kernel/iommu_groups/%.16s/type", text_base_name(link));
	if (fs_read_line(node->root, path, place->iommu, sizeof(place->iommu)) < 0)
		place->iommu[0] = '\0';
}

/* "DMA" and "DMA-FQ" translate (drivers/iommu/iommu.c, iommu_group_show_type()). */
bool pci_translates(const struct pci_place *place)
{
	return text_starts_with(place->iommu, "DMA");
}

#define VENDOR_NVIDIA "0x10de"

/* Display (0x0300xx) or 3D controller (0x0302xx) */
static bool is_gpu(int bus, const char *address)
{
	char path[64];
	char line[32];

	snprintf(path, sizeof(path), "%.23s/class", address);
	if (fs_read_line(bus, path, line, sizeof(line)) < 0 ||
	    (!text_starts_with(line, "0x0300") && !text_starts_with(line, "0x0302")))
		return false;
	snprintf(path, sizeof(path), "%.23s/vendor", address);
	return fs_read_line(bus, path, line, sizeof(line)) > 0 && strcmp(line, VENDOR_NVIDIA) == 0;
}

void gpu_list(const struct node *node, struct arena *arena, struct gpus *gpus)
{
	cleanup_fd bus = gpu_list_driver(node, arena, gpus)
				 ? -1
				 : tree_open_dir(node->root, "sys/bus/pci/devices");
	const char **names;
	int n = bus < 0 ? 0 : tree_list(arena, bus, ".", "", &names);

	for (int i = 0; i < n; i++) {
		if (text_is_pci_address(names[i]) && is_gpu(bus, names[i]))
			gpu_add(node, arena, names[i], -1, gpus);
	}
	for (size_t i = 0; i < gpus->n; i++)
		pci_read_iommu(node, &gpus->item[i].place);
}

#define RATE_MAX 1e6

void ports_read_all(const struct node *node, struct arena *arena, struct device *device)
{
	if (!device->n_ports)
		node_read_ports(node, arena, device);
	for (size_t i = 0; i < device->n_ports; i++) {
		struct port *port = &device->port[i];
		cleanup_fd dir = port_open(node, device, port->number);
		char line[64];
		double rate;

		if (dir < 0)
			continue;
		port_read_state(dir, "state", port->state);
		port_read_state(dir, "phys_state", port->phys_state);
		if (fs_read_line(dir, "rate", line, sizeof(line)) <= 0)
			continue;
		/* "400 Gb/sec (4X NDR)"; strtod also reads "inf" and "nan". */
		rate = strtod(line, NULL);
		port->rate_gbps = rate > 0 && rate < RATE_MAX ? rate : 0;
	}
	node_read_gids(node, device);
}

void gid_read_netdev(const struct node *node, const struct device *device, const struct port *port,
		     char netdev[NETDEV_NAME_SIZE])
{
	cleanup_fd dir = port->gid_index < 0 ? -1 : port_open(node, device, port->number);
	char path[48];

	snprintf(path, sizeof(path), "gid_attrs/ndevs/%d", port->gid_index);
	if (dir < 0 || fs_read_line(dir, path, netdev, NETDEV_NAME_SIZE) < 0 ||
	    !text_is_netdev_name(netdev))
		netdev[0] = '\0';
}
