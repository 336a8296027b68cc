/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/options.h"

/* Reads config.json on stdin, writes it to stdout, unchanged on an error. Any exit status but 0
 * keeps the container from being created. CRI-O does not start with such a hook in its hooks_dir.
 */
int precreate_run(const struct options *options);
