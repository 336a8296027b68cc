/* SPDX-License-Identifier: Apache-2.0 */
/* Which runtime the shim stands in front of */
#ifndef OCI_RDMA_REAL_RUNTIME_H
#define OCI_RDMA_REAL_RUNTIME_H

#include "core/base/arena.h"
#include "core/policy/config.h"

/*
 * The first of the config's list that can be run and is not the shim itself; called as
 * oci-rdma-runtime-crun, the first crun of the list, else an installed one. In the arena or the
 * config; NULL if there is none.
 */
const char *real_runtime_find(struct arena *arena, const struct config *config, const char *called);

/*
 * Any runtime may lead back to the shim, for ever: NVIDIA's picks one by a list of its own, and
 * what is called crun may be a wrapper, compiled as well. Only a count that all of them are handed,
 * in the environment, survives that. Returns -1 when it says that we go round in circles.
 */
int real_runtime_count_round(void);

#endif
