/* SPDX-License-Identifier: Apache-2.0 */
/* Files below a root, for tools without a container */
#pragma once

#include "core/base/fs.h"

/* A leading '/' means root. Returns 0 or -errno: -EINVAL if not regular, -EFBIG above max */
int tree_read(struct arena *arena, int root, const char *path, size_t max,
	      struct fs_text *ret_text);

/* For an untrusted root: -EINVAL for kernel-generated files. Reading /proc/kmsg removes messages;
 * some attributes keep their device busy. */
int tree_read_stored(struct arena *arena, int root, const char *path, size_t max,
		     struct fs_text *ret_text);

/* First line, right-trimmed; returns its length or -errno */
ssize_t tree_read_line(int root, const char *path, char *line, size_t size);

/* Returns 0 if a regular file with an execute bit, or -errno (-EACCES without) */
int tree_check_executable(int root, const char *path);

/* Of any type; links stay below root */
bool tree_exists(int root, const char *path);

/* Links stay below root. Returns 0, or -errno with *ret_dir NULL */
int tree_open_entries(int root, const char *path, DIR **ret_dir);

bool fs_same_file(int a, int b);

/* Replaces an own file, mode 0644 (replace_file()) */
int replace_own_path(const char *path, const char *bytes, size_t len, struct err *err);
