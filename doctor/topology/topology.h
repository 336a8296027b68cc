/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GPUs and HCAs, where each sits in the node's PCI tree, and what its ports say: the picture that
 * `nvidia-smi topo -m` draws, from sysfs alone.
 */
#ifndef OCI_RDMA_DOCTOR_TOPOLOGY_H
#define OCI_RDMA_DOCTOR_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/node/node.h"
#include "doctor/doctor.h"
#include "explain/pci.h"

/* ---- a GPU or HCA and where it sits, and all of them ---- */

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

/* ---- the topology ---- */

/*
 * Those of the doctor's target. Ports and firmware are asked for in a child, since a sick device
 * may not answer; what is not said in time is missing. Returns 0, or -1 without memory or child.
 */
int topology_read(struct doctor *doctor, struct topology *ret_topology, struct err *err);

/* "X" for the same one, "PIX" to "SYS", or "" where one of them is no PCI function */
const char *topology_level(const struct spot *a, const struct spot *b);

/* "GPU", "VF", "PF", "SF", "virtual" */
const char *topology_kind(const struct spot *spot);

/* What the levels mean, a line each; NULL ends them. */
extern const char *const topology_legend[][2];

/* ---- what it answers ---- */

/*
 * What the devices themselves have to be asked for, which a sick one does not answer for a minute
 * (mlx5_core's command timeout): in a child.
 */

#endif
