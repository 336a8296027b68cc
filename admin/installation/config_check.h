/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/base/arena.h"
#include "core/policy/policy.h"

/* Rejects empty namespaces, which are valid but grant nothing. */
int config_check(const struct config *config, struct err *err);

/* It must be readable, if there, and name one that can run, never the shim. sysroot: without
 * /usr/bin, no runtime is looked for */
int runtimes_check(struct arena *arena, int sysroot, struct err *err);
