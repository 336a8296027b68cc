/* SPDX-License-Identifier: Apache-2.0 */
/* Prints on stdout, or on stderr why not, and returns the exit status. */
#pragma once

#include "core/options.h"

/*
 * --containerd-handler: tables to be appended to config.toml: all that containerd's own handler for
 * the runtime that shim ends in says otherwise than by default, with shim as its BinaryName and our
 * annotations handed on. printed: what `containerd config dump` printed. Nothing is printed if its
 * pods could not start.
 */
int containerd_handler(const struct options *options, const char *shim, const char *printed);
