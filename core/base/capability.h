/* SPDX-License-Identifier: Apache-2.0 */
/* Capability names, which libcap knows, as the OCI runtime specification spells them */
#ifndef OCI_RDMA_CAPABILITY_H
#define OCI_RDMA_CAPABILITY_H

#include <stdint.h>

#include "core/base/arena.h"

/* The number of "CAP_IPC_LOCK", or -1 for an unknown name. Upper case only, as in the OCI runtime
 * specification. */
int capability_number(const char *name);

/*
 * The names of a set (bit n is capability n), "CAP_IPC_LOCK" and so on in the order of their
 * numbers, in the arena, without those that have no name here; behind the last stands NULL. Returns
 * NULL without memory.
 */
const char *const *capability_names(struct arena *arena, uint64_t set);

#endif
