/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/base/err.h"
#include "core/options.h"
#include "nri/nri_options.h"

/* -1 if the policy is unusable */
int nri_policy_check(const struct options *node, struct err *err);

/* 0 if a plugin is connected and the policy is usable, else 1 */
int nri_check(const struct nri_options *options);
