/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU or HCA and where it sits, and all of them. */
#ifndef OCI_RDMA_DOCTOR_SPOT_H
#define OCI_RDMA_DOCTOR_SPOT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/node/node.h"

/* Empty strings where something does not apply or is not known. */
struct spot {
	char name[64]; /* "GPU0", as nvidia-smi counts them, or "mlx5_6" */
	bool gpu;
	char pci[24];
	enum device_kind kind; /* of an HCA */
	const char *pf;        /* of a VF or SF: its physical function's device, or its address */
	struct pci_place place;
	char group[16];    /* number of its IOMMU group */
	char firmware[64]; /* "28.39.1002" */
	struct port *port; /* of an HCA; without GIDs */
	size_t n_ports;
};

/* GPUs first, in order of address, then HCAs, by name. Everything lives in the doctor's arena. */
struct topology {
	struct spot *item;
	size_t n;
	size_t n_gpus;
	bool complete; /* each HCA has said what its ports and its firmware are */
};

#endif
