/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: which devices there are, and what their ports and GIDs are like. */
#ifndef OCI_RDMA_VERBS_INVENTORY_H
#define OCI_RDMA_VERBS_INVENTORY_H

#include "doctor/verbs/setup.h"

/* The devices, their ports, and devices that should be there. -1 without memory only */
int inventory_find(struct verbs_setup *setup);

#endif
