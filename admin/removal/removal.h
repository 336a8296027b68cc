/* SPDX-License-Identifier: Apache-2.0 */
/* --check-removal */
#pragma once

#include "core/options.h"

/*
 * Without its runtime's path a container can be neither stopped nor removed, and CRI-O does not
 * end. Prints to stderr what needs the shim, and what to do. Returns the exit status: 0 if the shim
 * may go, else 1.
 */
int removal_check(const struct options *options);
