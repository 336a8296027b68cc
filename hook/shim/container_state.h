/* SPDX-License-Identifier: Apache-2.0 */
/* What a container was created with, found in the runtime's own state */
#pragma once

#include "core/base/err.h"
#include "core/container/container.h"
#include "hook/shim/runtime_args.h"

/*
 * Reads it into *container, of the spec only the process. Returns 1; 0 if the runtime does not
 * know the id or the container has no RDMA; -1 on error.
 *
 * The shim keeps no state: the container's config.json contains its grant, even if the policy has
 * changed since. The runtime's state leads there: crun keeps a copy as ROOT/ID/config.json
 * (libcrun/container.c, libcrun_copy_config_file); runc's exec uses the bundle in
 * ROOT/ID/state.json. So a container never gets the grant of an earlier one with the same id.
 * Trusting these files adds no risk: the runtime trusts them.
 */
int created_read_process(struct container *container, const struct runtime_args *args,
			 struct err *err);
