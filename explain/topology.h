/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only people want to know of a node: the names of distances, the IOMMU, GPUs without a
 * driver, and which network namespaces see its RDMA devices. Read from sysfs and /proc: no driver
 * library is asked.
 */
#pragma once

#include "core/node/pci.h"

/* Which network namespaces see an RDMA device: ib_core's mode */
enum rdma_mode {
	RDMA_MODE_UNKNOWN,
	RDMA_MODE_SHARED,    /* every network namespace */
	RDMA_MODE_EXCLUSIVE, /* only the one that it was moved to */
};

/* The mode that holds now: the parameter is the variable that `rdma system set netns` changes
 * (drivers/infiniband/core/device.c, rdma_compatdev_set). */
enum rdma_mode node_rdma_mode(const struct node *node);

/* "PIX", "PXB", "PHB", "NODE", "SYS", or "" */
const char *pci_distance_name(enum pci_distance distance);

/* Fills in place->iommu, the type of its IOMMU group: "identity", "DMA", "DMA-FQ", …; "": unknown,
 * or none */
void pci_read_iommu(const struct node *node, struct pci_place *place);

/*
 * True if the group translates addresses, so that a transfer from one device to another may be
 * refused or go through the root complex: GPUDirect RDMA then ends in IBV_WC_LOC_PROT_ERR.
 */
bool pci_translates(const struct pci_place *place);

/*
 * Adds every GPU of the node, in order of address: those of the driver, or, where it is not loaded,
 * the PCI functions that are NVIDIA's display or 3D controllers.
 */
void gpu_list(const struct node *node, struct arena *arena, struct gpus *gpus);

/* Reads its ports, if that is not done yet, and all that no plan needs of them: each one's states
 * and rate, for which the kernel asks the device's firmware, and its GID. */
void ports_read_all(const struct node *node, struct arena *arena, struct device *device);

/*
 * The interface of the port's GID (port->gid_index), by the name that it has in its own network
 * namespace; "" if that is not known.
 */
void gid_read_netdev(const struct node *node, const struct device *device, const struct port *port,
		     char netdev[NETDEV_NAME_SIZE]);
