/* SPDX-License-Identifier: Apache-2.0 */
/* Files below a root (core/base/fs.h), as tools read and write them that run for no container. */
#pragma once

#include "core/base/fs.h"

/*
 * The whole file, in the arena. A leading '/' of path means root. Returns 0 or -errno; -EINVAL if
 * it is not a regular file, -EFBIG if it has more than max bytes.
 */
int tree_read(struct arena *arena, int root, const char *path, size_t max,
	      struct fs_text *ret_text);

/*
 * The same for an untrusted root. A link to a file that the kernel generates is -EINVAL: /proc/kmsg
 * returns each message once, and reading some attributes keeps their device busy.
 */
int tree_read_stored(struct arena *arena, int root, const char *path, size_t max,
		     struct fs_text *ret_text);

/* The same, but returns the descriptor, which the caller owns. Anything but a regular file on a
 * disk is -EINVAL, and is not opened: opening a device has side effects. */
int tree_open_stored(int root, const char *path);

/* The first line, without spaces at its end; returns its length, or -errno. */
ssize_t tree_read_line(int root, const char *path, char *line, size_t size);

/* Returns 0 for a regular file that somebody may execute, or -errno: -EACCES without that right. */
int tree_check_executable(int root, const char *path);

/* True for any type of file; a link counts if its target exists below root. */
bool tree_exists(int root, const char *path);

/* Opens a directory for readdir(3); links stay below root. Returns 0 or -errno. */
int tree_open_entries(int root, const char *path, DIR **ret_dir);

/* The same for a directory that may be absent. *ret_dir is NULL if it cannot be opened. Returns 0,
 * or -1 without memory. */
int tree_open_listing(int root, const char *path, DIR **ret_dir);

bool fs_same_file(int a, int b);

/* Replaces a file of the caller's own by path, with mode 0644 (replace_file()). */
int replace_own_path(const char *path, const char *bytes, size_t len, struct err *err);
