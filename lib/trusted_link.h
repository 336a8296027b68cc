/* SPDX-License-Identifier: Apache-2.0 */
/* Files that grant something, over links (core/base/fs.h: without) */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

/*
 * The demand of trust_open() on what an engine opens by its path, where links are usual (/usr/local
 * is one on RHCOS): links are followed, and they and every directory on the way through them are
 * held against it as well.
 *
 * root: a directory descriptor; where an absolute path and an absolute link begin, and what ".."
 * does not leave. A relative path begins at the working directory. Returns an O_PATH descriptor of
 * the file that the caller owns; -ENOENT, with *err set; or -1.
 */
int trust_open_linked(int root, const char *path, const char *what, struct err *err);

/*
 * The same, and reads it: a regular file of at most max bytes. *ret_linked: a link was on the way.
 * Returns 0 or -1.
 */
int trust_read_linked(struct arena *arena, int root, const char *path, size_t max,
		      struct fs_text *ret_text, bool *ret_linked, struct err *err);
