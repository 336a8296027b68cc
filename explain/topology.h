/* SPDX-License-Identifier: Apache-2.0 */
/* Facts for people only, from sysfs and /proc */
#pragma once

#include "core/node/pci.h"

/* ib_core's mode: which network namespaces see an RDMA device */
enum rdma_mode {
	RDMA_MODE_UNKNOWN,
	RDMA_MODE_SHARED,    /* all */
	RDMA_MODE_EXCLUSIVE, /* only the one it was moved to */
};

/* Current: `rdma system set netns` changes the parameter (drivers/infiniband/core/device.c,
 * rdma_compatdev_set). */
enum rdma_mode node_rdma_mode(const struct node *node);

/* "PIX", "PXB", "PHB", "NODE", "SYS", or "" */
const char *pci_distance_name(enum pci_distance distance);

/* An IOMMU group's type: "identity", "DMA-FQ", …; "": unknown or none */
void pci_read_iommu(const struct node *node, struct pci_place *place);

/* True if addresses are translated: transfers between devices may fail (GPUDirect RDMA:
 * IBV_WC_LOC_PROT_ERR) or pass through the root complex. */
bool pci_translates(const struct pci_place *place);

/* Adds all GPUs by address: the driver's, or without it NVIDIA's display and 3D controllers. */
void gpu_list(const struct node *node, struct arena *arena, struct gpus *gpus);

/* Reads the ports unless already read, with state, rate (the kernel asks firmware) and GID */
void ports_read_all(const struct node *node, struct arena *arena, struct device *device);

/* Interface of the port's GID (port->gid_index) in its own network namespace; "": unknown */
void gid_read_netdev(const struct node *node, const struct device *device, const struct port *port,
		     char netdev[NETDEV_NAME_SIZE]);
