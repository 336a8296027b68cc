/* SPDX-License-Identifier: Apache-2.0 */
/* What the real runtime says of a container, where no record says it. */
#ifndef OCI_RDMA_RUNTIME_STATE_H
#define OCI_RDMA_RUNTIME_STATE_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/spec/state.h"

#define RUNTIME_STATE_NONE (-2)

/*
 * What the runtime itself says of a container: `RUNTIME [--root ROOT] state ID`. Costs a start of
 * the runtime. root: "" if it was not given. Returns 0; RUNTIME_STATE_NONE if it fails, which it
 * does for an id that it does not know; or -1 if its answer could not be had or read.
 */
int runtime_state(struct arena *arena, const char *runtime, const char *root, const char *id,
		  struct state *ret_state, struct err *err);

#endif
