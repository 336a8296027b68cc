/* SPDX-License-Identifier: Apache-2.0 */
/* The engines' handlers with the shim, for --check-config */
#pragma once

#include "admin/engine/crio.h"
#include "admin/results.h"
#include "core/policy/policy.h"

/* Silent about engines without the shim. root: the node. config: NULL if unreadable. */
void check_engines(struct results *results, int root, const struct crio *crio,
		   const struct config *config);
