/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/node/node.h"

/* As `nvidia-smi topo -m` and NCCL name them, nearest first */
enum pci_distance {
	PCI_UNKNOWN,
	PCI_PIX,  /* at most one switch */
	PCI_PXB,  /* several switches */
	PCI_PHB,  /* one host bridge */
	PCI_NODE, /* one NUMA node */
	PCI_SYS,  /* two NUMA nodes, or unknown */
};

void pci_read_place(const struct node *node, struct pci_place *place);

enum pci_distance pci_distance(const struct pci_place *a, const struct pci_place *b);

/* /dev/nvidiaN (Documentation/admin-guide/devices.txt) */
#define GPU_MAJOR 195

struct gpu {
	char pci[24];
	char model[8]; /* PCI device id: "0x2330" */
	int64_t minor; /* -1: unknown */
	struct pci_place place;
};

struct gpus {
	struct gpu *item;
	size_t n;
	size_t room;
};

/* By address; false if the driver is not loaded */
bool gpu_list_driver(const struct node *node, struct arena *arena, struct gpus *gpus);

void gpu_add(const struct node *node, struct arena *arena, const char *address, int64_t minor,
	     struct gpus *gpus);
