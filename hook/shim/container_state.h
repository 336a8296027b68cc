/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/base/err.h"
#include "core/container/container.h"
#include "hook/shim/runtime_args.h"

/* Reads a created container's process. Returns 1; 0 without RDMA or if the runtime does not know
 * the id; or -1. Its config.json has the grant even if the policy has changed: crun copies it to
 * ROOT/ID/config.json (libcrun/container.c, libcrun_copy_config_file), runc's ROOT/ID/state.json
 * names the bundle. The runtime trusts both. */
int created_read_process(struct container *container, const struct runtime_args *args,
			 struct err *err);
