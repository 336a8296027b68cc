/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GPUs and HCAs, where each sits in the node's PCI tree, and what its ports say: the picture that
 * `nvidia-smi topo -m` draws, from sysfs alone.
 */
#ifndef OCI_RDMA_DOCTOR_TOPOLOGY_H
#define OCI_RDMA_DOCTOR_TOPOLOGY_H

#include "core/base/err.h"
#include "doctor/doctor.h"
#include "doctor/topology/spot.h"

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

#endif
