/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/options.h"

/* A nonzero exit status fails the creation. CRI-O does not start with such a hook in hooks_dir. */
int precreate_run(const struct options *options);
