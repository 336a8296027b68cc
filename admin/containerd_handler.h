/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/options.h"

/* --containerd-handler: tables for config.toml: containerd's non-default settings for the shim's
 * runtime, with shim as BinaryName and our annotations. printed: from `containerd config dump`.
 * Prints nothing if pods could not start. Returns the exit status. */
int containerd_handler(const struct options *options, const char *shim, const char *printed);
