/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

#include "core/options.h"

/* --check-config: checks files (config.json or hooks.d, by their keys), alone and together. Without
 * files: the node's config.json, all hooks.d files that name us, and the engines' handlers with the
 * shim. Returns the exit status. */
int check_config(const struct options *options, char *const *files, size_t n_files);
