/* SPDX-License-Identifier: Apache-2.0 */
/* The node's NVIDIA GPUs, from /proc and sysfs: no driver library is asked. */
#ifndef OCI_RDMA_GPU_H
#define OCI_RDMA_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/node/pci.h"

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
