/* SPDX-License-Identifier: Apache-2.0 */
/* podman's precreate stage */
#pragma once

#include "core/options.h"

/*
 * podman's precreate hook: config.json on stdin, the edited one on stdout; the same bytes if there
 * is nothing to change or something is wrong. Returns the exit status; not 0 keeps the container
 * from being created. CRI-O refuses to start if it sees such a hook in its hooks_dir.
 */
int precreate_run(const struct options *options);
