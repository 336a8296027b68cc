/* SPDX-License-Identifier: Apache-2.0 */
/* Prints on stdout, or on stderr why not, and returns the exit status. */
#pragma once

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/options.h"

/*
 * --crio-handler: a drop-in with a handler for this node: the table of CRI-O's own handler for the
 * runtime that shim ends in, with shim as its runtime_path. printed: what `crio status config`
 * printed, "-" for stdin; NULL for the node's files. Nothing is printed if CRI-O would not start
 * with it, or its pods could not.
 */
int crio_handler(const struct options *options, const char *shim, const char *printed);

/* What an engine has printed, for both. printed: a path, or "-" for stdin */
int read_printed(struct arena *arena, const char *printed, struct fs_text *ret_text,
		 struct err *err);
