/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/options.h"

/* --leave-runtimes: replaces each shim in dir, a path below the sysroot, by a link to the runtime
 * that it ran: engines run the path that a container was created with until the container is
 * removed. Also if no container needs that, which only a reader of each engine's state could tell.
 * Prints the tmpfiles.d file that removes the links at the next boot, if there are any. Returns
 * the exit status. */
int leave_runtimes(const struct options *options, const char *dir);
