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

/* create, run and restore */
void serve_create(struct shim *shim);

/* The grant goes into the process spec, or our own limit, which the runtime inherits */
void serve_exec(struct shim *shim);
