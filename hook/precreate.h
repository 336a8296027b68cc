/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/options.h"

/* For podman users bound to their runtime: unlike createRuntime it adds variables and CAP_IPC_LOCK.
 * Copies config.json from stdin to stdout, unchanged on an error. Returns the exit status; any but
 * 0 prevents the container. CRI-O does not start with such a hook in its hooks_dir. */
int precreate_run(const struct options *options);
