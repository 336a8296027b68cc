/* SPDX-License-Identifier: Apache-2.0 */
/* Where a PCI function sits: on which NUMA node, in which IOMMU group, how far from another. */
#ifndef OCI_RDMA_PCI_H
#define OCI_RDMA_PCI_H

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/node/node.h"

struct pci_place {
	const char *path; /* its directory, relative to the sysroot; NULL without one */
	bool has_numa_node;
	int numa_node;
	char iommu[16]; /* type of its IOMMU group: identity, DMA, DMA-FQ, …; "" unknown or none */
};

/* As `nvidia-smi topo -m` and NCCL's graph call it, nearest first */
enum pci_distance {
	PCI_UNKNOWN, /* one of them is no PCI function */
	PCI_PIX,     /* one switch between them at most */
	PCI_PXB,     /* several switches */
	PCI_PHB,     /* the host bridge: the CPU that both hang on */
	PCI_NODE,    /* two host bridges of one NUMA node */
	PCI_SYS,     /* two NUMA nodes, or it is not known that it is one */
};

/*
 * The directory of a PCI function or auxiliary device, below the sysroot: what its link on the bus
 * says; *ret_path is NULL if there is none. Negative: no memory
 */
int pci_find(const struct node *node, struct arena *arena, const char *address, char **ret_path);

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

#endif
