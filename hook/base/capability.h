/* SPDX-License-Identifier: Apache-2.0 */
/* Capability names, by libcap. */
#ifndef OCI_RDMA_CAPABILITY_H
#define OCI_RDMA_CAPABILITY_H

#include "base/arena.h"

/* The number of "CAP_IPC_LOCK", or -1 if libcap does not know the name. Upper case only, as in the
 * OCI runtime specification. */
int capability_number(const char *name);

/* "CAP_IPC_LOCK", in the arena; NULL without memory. */
const char *capability_name(struct arena *arena, int number);

#endif
