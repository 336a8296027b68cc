/* SPDX-License-Identifier: Apache-2.0 */
/* Prints on stdout, or on stderr why not, and returns the exit status. */
#pragma once

#include <stddef.h>

#include "core/options.h"

/*
 * --check-config: checks the files, each our config.json or a hooks.d file, as its keys say;
 * without files the node's config.json, all hooks.d files that engines read and that speak of us,
 * and the engines' handlers with the shim. Also whether those that are checked together fit each
 * other. A line for each, "ok" or what is wrong.
 */
int check_config(const struct options *options, char *const *files, size_t n_files);
