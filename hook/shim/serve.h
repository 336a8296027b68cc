/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of the shim, and what it does for the runtime's commands before the runtime is started:
 * shim->outcome has what became of it, and it is logged.
 */
#ifndef OCI_RDMA_SHIM_SERVE_H
#define OCI_RDMA_SHIM_SERVE_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/container/container.h"
#include "core/options.h"
#include "core/outcome.h"
#include "hook/shim/record.h"
#include "hook/shim/runtime_args.h"

#define WAY_IN "runtime"

struct shim {
	struct options options;
	struct runtime_args args;
	struct container container;
	const char *runtime; /* the real one */
	struct record_key key;
	struct outcome outcome;
	struct err err;
};

/* create, run and restore: the container's spec is edited, and what it was granted is recorded. */
void serve_create(struct shim *shim);

/* exec: what the record says goes into the process, or into our own limit, which the runtime hands
 * on. */
void serve_exec(struct shim *shim);

/* delete: the record goes, unless the runtime will refuse because the container runs. */
void serve_delete(struct shim *shim);

#endif
