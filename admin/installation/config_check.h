/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/base/arena.h"
#include "core/policy/policy.h"

/* Rejects empty namespaces: valid, but they grant nothing. */
int config_check(const struct config *config, struct err *err);

/* RUNTIMES_PATH, if there, must be readable and name a program that can run, never the shim. A
 * sysroot without /usr/bin needs none. */
int runtimes_check(struct arena *arena, int sysroot, struct err *err);
