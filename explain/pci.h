/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only people want to know of a node: where its PCI functions sit, how far they are from each
 * other, its GPUs, and which network namespaces see its RDMA devices. Read from sysfs and /proc: no
 * driver library is asked.
 */
#ifndef OCI_RDMA_PCI_H
#define OCI_RDMA_PCI_H

#include "core/node/node.h"

/* Which network namespaces see an RDMA device: ib_core's mode */
enum rdma_mode {
	RDMA_MODE_UNKNOWN,
	RDMA_MODE_SHARED,    /* every network namespace */
	RDMA_MODE_EXCLUSIVE, /* only the one that it was moved to */
};

/* The mode that holds now: the parameter is the variable that `rdma system set netns` changes
 * (drivers/infiniband/core/device.c, rdma_compatdev_set). */
enum rdma_mode node_rdma_mode(const struct node *node);

/* As `nvidia-smi topo -m` and NCCL's graph call it, nearest first */
enum pci_distance {
	PCI_UNKNOWN, /* one of them is no PCI function */
	PCI_PIX,     /* one switch between them at most */
	PCI_PXB,     /* several switches */
	PCI_PHB,     /* the host bridge: the CPU that both hang on */
	PCI_NODE,    /* two host bridges of one NUMA node */
	PCI_SYS,     /* two NUMA nodes, or it is not known that it is one */
};

/* Fills in all but .path. */
void pci_read_place(const struct node *node, struct pci_place *place);

enum pci_distance pci_distance(const struct pci_place *a, const struct pci_place *b);

/* "PIX", "PXB", "PHB", "NODE", "SYS", or "" */
const char *pci_distance_name(enum pci_distance distance);

/*
 * True if the group translates addresses, so that a transfer from one device to another may be
 * refused or go through the root complex: GPUDirect RDMA then ends in IBV_WC_LOC_PROT_ERR.
 */
bool pci_translates(const struct pci_place *place);

/* ---- NVIDIA GPUs ---- */

/* The major number of /dev/nvidia0 and the others (Documentation/admin-guide/devices.txt) */
#define GPU_MAJOR 195

struct gpu {
	char pci[24];
	int64_t minor; /* of /dev/nvidiaN; -1: not known, since the driver is not loaded */
	struct pci_place place;
};

struct gpus {
	struct gpu *item;
	size_t n;
	size_t room;
};

/*
 * Adds the GPUs of the loaded driver, in order of address. Returns 1, or 0 where it is not loaded:
 * without a look at the node's other PCI functions, which are many.
 */
int gpu_list_driver(const struct node *node, struct arena *arena, struct gpus *gpus,
		    struct err *err);

/*
 * Adds every GPU of the node, in order of address: those of the driver, or, where it is not loaded,
 * the PCI functions that are NVIDIA's display or 3D controllers.
 */
int gpu_list(const struct node *node, struct arena *arena, struct gpus *gpus, struct err *err);

#endif
