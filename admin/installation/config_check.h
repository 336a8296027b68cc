/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the policy and the list of runtimes. */
#pragma once

#include "core/base/arena.h"
#include "core/policy/policy.h"

/* Rejects empty namespaces, which are valid but grant nothing. */
int config_check(const struct config *config, struct err *err);

/* The list of runtimes, if any, must be readable and name one that can run, never the shim.
 * sysroot: without /usr/bin, no runtime is looked for. Returns 0 or -1. */
int runtimes_check(struct arena *arena, int sysroot, struct err *err);
