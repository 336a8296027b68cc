/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/container/container.h"
#include "core/report/outcome.h"
#include "hook/shim/runtime_args.h"

struct shim {
	struct options options;
	struct runtime_args args;
	struct container container;
	struct outcome outcome;
};

/* create, run and restore: edits the container's spec */
void serve_create(struct shim *shim);

/* Edits the process spec, or raises our own limit for the runtime. */
void serve_exec(struct shim *shim);
