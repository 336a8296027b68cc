/* SPDX-License-Identifier: Apache-2.0 */
/* --check: whether NRI is on here, and what the plugins do */
#pragma once

#include "core/base/err.h"
#include "core/options.h"
#include "nri/nri_options.h"

/* Returns 0, or -1 with the reason if the policy cannot be used, so that nothing is granted. */
int nri_policy_check(const struct options *node, struct err *err);

/* Says whether NRI is on here, and what the plugins do. Returns 0 if one is connected and has a
 * policy that can be used, else 1. */
int nri_check(const struct nri_options *options);
