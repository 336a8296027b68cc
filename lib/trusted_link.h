/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

/*
 * Like trust_open(), but follows links (/usr/local on RHCOS) and checks each link and directory.
 * root: for absolute paths and links, which ".." does not leave; relative paths begin in the
 * working directory. Returns an O_PATH descriptor to close, -ENOENT or -1.
 */
int trust_open_linked(int root, const char *path, const char *what, struct err *err);

/* Reads a regular file up to max bytes. *ret_linked: over a link. */
int trust_read_linked(struct arena *arena, int root, const char *path, size_t max,
		      struct fs_text *ret_text, bool *ret_linked, struct err *err);
