/* SPDX-License-Identifier: Apache-2.0 */
/* The engines' handlers that are the shim, for --check-config */
#pragma once

#include "admin/engine/crio.h"
#include "admin/results.h"
#include "core/policy/policy.h"

/* Looks at CRI-O's handlers, containerd's, with all its files, and Docker's runtimes. An engine
 * without the shim is not spoken of. root: the node. config: NULL: it cannot be read. */
void check_engines(struct results *results, int root, const struct crio *crio,
		   const struct config *config);
