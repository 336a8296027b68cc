/* SPDX-License-Identifier: Apache-2.0 */
/* --check-removal: whether anything still needs the runtime shim, asked before it is taken off. */
#pragma once

#include "core/options.h"

/*
 * A container keeps the path of its runtime: without that program it can be neither stopped nor
 * removed, and CRI-O does not end. Prints a line on stderr for each container, pod or handler that
 * needs the shim, with what to do. Returns the exit status: 0 if it may go, else 1.
 */
int removal_check(const struct options *options);
