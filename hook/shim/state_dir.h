/* SPDX-License-Identifier: Apache-2.0 */
/* Where the shim keeps its records */
#ifndef OCI_RDMA_STATE_DIR_H
#define OCI_RDMA_STATE_DIR_H

#include "core/base/arena.h"
#include "core/policy/config.h"

/*
 * The policy's state_dir; for an engine that is its user's own (rootless podman), where the policy
 * does not name another, oci-rdma-hook in the user's runtime directory, since /run is root's. NULL
 * without memory.
 */
const char *state_dir_find(struct arena *arena, const struct config *config);

#endif
