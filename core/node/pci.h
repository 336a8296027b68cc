/* SPDX-License-Identifier: Apache-2.0 */
/* Distances, and NVIDIA GPUs: for the policy's frameworks.deepep, the dry run and the doctor */
#pragma once

#include "core/node/node.h"

/* As `nvidia-smi topo -m` and NCCL's graph call it, nearest first */
enum pci_distance {
	PCI_UNKNOWN, /* one of them is no PCI function */
	PCI_PIX,     /* one switch between them at most */
	PCI_PXB,     /* several switches */
	PCI_PHB,     /* the host bridge: the CPU that both hang on */
	PCI_NODE,    /* two host bridges of one NUMA node */
	PCI_SYS,     /* two NUMA nodes, or it is not known that it is one */
};

/* Its NUMA node */
void pci_read_place(const struct node *node, struct pci_place *place);

enum pci_distance pci_distance(const struct pci_place *a, const struct pci_place *b);

/* The major number of /dev/nvidia0 and the others (Documentation/admin-guide/devices.txt) */
#define GPU_MAJOR 195

struct gpu {
	char pci[24];
	char model[8]; /* its PCI device id, "0x2330"; "" unknown */
	int64_t minor; /* of /dev/nvidiaN; -1: not known, since the driver is not loaded */
	struct pci_place place;
};

struct gpus {
	struct gpu *item;
	size_t n;
	size_t room;
};

/* Adds the GPUs of the loaded driver, in order of address. False if it is not loaded */
bool gpu_list_driver(const struct node *node, struct arena *arena, struct gpus *gpus);

void gpu_add(const struct node *node, struct arena *arena, const char *address, int64_t minor,
	     struct gpus *gpus);
