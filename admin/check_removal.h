/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/options.h"

/* --check-removal: prints to stderr which configuration files of engines still run the shim. The
 * links of leave_runtimes() end at the next boot: then CRI-O would not start with such a default
 * handler, nor the containers of any other. Returns the exit status, 0: none does. */
int check_removal(const struct options *options);
