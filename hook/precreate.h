/* SPDX-License-Identifier: Apache-2.0 */
/* podman's precreate hook: edits config.json on its way to the runtime. */
#ifndef OCI_RDMA_PRECREATE_H
#define OCI_RDMA_PRECREATE_H

#include "core/options.h"

/*
 * config.json on stdin, the edited one on stdout; the same bytes if there
 * is nothing to change or something is wrong. Returns the exit status; not 0 keeps the container
 * from being created, as on_error and on_no_device say. CRI-O refuses to start if it sees such a
 * hook in its hooks_dir.
 */
int precreate_run(const struct options *options);

#endif
