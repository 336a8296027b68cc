/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OCI_RDMA_CONFIG_CHECK_H
#define OCI_RDMA_CONFIG_CHECK_H

#include "core/base/err.h"
#include "core/policy/policy.h"

/*
 * What a policy can say and cannot mean: namespaces that are none, runtimes of which none can be
 * run or that are the shim itself. It is no reason not to use the policy; a check says it. sysroot:
 * the node; a tree without /usr/bin is taken for files alone, in which no runtime is looked for.
 * Returns 0 or -1.
 */
int config_check(int sysroot, const struct config *config, struct err *err);

#endif
