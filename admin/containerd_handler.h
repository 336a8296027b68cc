/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/options.h"

/* --containerd-handler: config.toml tables: containerd's non-default settings for the shim's
 * runtime, shim as BinaryName, our annotations. printed: `containerd config dump`. Prints nothing
 * if pods could not start. Returns the exit status. */
int containerd_handler(const struct options *options, const char *shim, const char *printed);
