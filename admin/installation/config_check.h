/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the policy and the list of runtimes can work */
#pragma once

#include "core/base/arena.h"
#include "core/policy/policy.h"

/* What a policy can say and cannot mean: no namespaces; the policy is used all the same. */
int config_check(const struct config *config, struct err *err);

/*
 * The list of runtimes, which need not be there: whether it can be read, and names one that can be
 * run, and never the shim itself. sysroot: the node; a tree without /usr/bin is taken for files
 * alone, in which no runtime is looked for. Returns 0 or -1.
 */
int runtimes_check(struct arena *arena, int sysroot, struct err *err);
