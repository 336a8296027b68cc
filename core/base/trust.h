/* SPDX-License-Identifier: Apache-2.0 */
/* Opens files that grant something, if only root or our user can have written them. Functions
 * return a descriptor, -ENOENT or -1. */
#pragma once

#include <stdbool.h>

#include "core/base/err.h"

/* The file and all directories of path (not dir) must belong to root or us, be no links, and be
 * writable by nobody else, except for sticky directories (/tmp). what: the path in errors. in_etc:
 * accept an unmapped owner if rootless: below /etc it is root, elsewhere any user. */
int trust_open(int dir, const char *path, bool in_etc, const char *what, struct err *err);

/* Opens a directory for reading; checks only itself. */
int trust_open_dir(int root, const char *path, struct err *err);

/* Creates what is missing below path's first part; tries to remove others' access */
int trust_make_dir(const char *sysroot, const char *path, struct err *err);

/* True if only root or our own user can write it. */
bool trust_is_roots_alone(int fd);

/* Returns 0 or -1. Also for lib/trusted_link.c */
int check_path_part(int fd, bool directory, bool in_etc, const char *what, const char *part,
		    struct err *err);

/* "/etc/x.json: etc: Permission denied"; without part if it is the file. Returns -ENOENT or -1 */
int path_part_error(int errnum, const char *what, const char *part, struct err *err);
