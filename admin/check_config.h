/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

#include "core/options.h"

/* --check-config: checks files (config.json or hooks.d, by their keys), alone and together; without
 * files the node's config.json, our hooks.d files, and engines' handlers with the shim. Returns the
 * exit status. */
int check_config(const struct options *options, char *const *files, size_t n_files);
