/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/options.h"

/* --crio-handler: a drop-in: CRI-O's handler for the shim's runtime, shim as runtime_path. printed:
 * `crio status config`; NULL: the node's files. Prints nothing if CRI-O or pods could not start.
 * Returns the exit status. */
int crio_handler(const struct options *options, const char *shim, const char *printed);

/* a path, or "-" for stdin */
int read_printed(struct arena *arena, const char *printed, struct fs_text *ret_text,
		 struct err *err);
