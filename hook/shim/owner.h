/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose record it is: an id can be used again. The container's process says so, by the file that
 * the runtime was told to write its pid to, or else by the runtime's own answer.
 */
#ifndef OCI_RDMA_SHIM_OWNER_H
#define OCI_RDMA_SHIM_OWNER_H

#include <stdbool.h>

#include "hook/shim/record.h"
#include "hook/shim/serve.h"

/* False for a record of an earlier container of that id, which was created past us since. Where
 * nobody can say whose the id is, the record is this container's. */
bool owner_is_current(struct shim *shim, const struct record *record);

/* True if the recorded container's process is known to run. The runtime is asked rather than that a
 * record of one that runs is lost. */
bool owner_runs(struct shim *shim, const struct record *record);

#endif
