/* SPDX-License-Identifier: Apache-2.0 */
/* Which runtime the shim stands in front of, for the shim and for those who check it before */
#ifndef OCI_RDMA_RUNTIMES_H
#define OCI_RDMA_RUNTIMES_H

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/policy/config.h"

/* True if there is a program at path that can be run. */
typedef bool runtimes_can_run(void *context, const char *path);

/* The runtime that the shim's own name says, as "crun" of oci-rdma-runtime-crun, or NULL. */
const char *runtimes_named(const char *called);

/*
 * The first of the config's list that can be run; called as oci-rdma-runtime-crun, the first crun
 * of the list, else an installed one. called: without a directory. In the arena or the config; NULL
 * if there is none.
 */
const char *runtimes_find(struct arena *arena, const struct config *config, const char *called,
			  runtimes_can_run *can_run, void *context);

#endif
