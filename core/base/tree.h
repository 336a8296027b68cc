/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files below a root that may be another's: a recorded tree, or a container's root file system. No
 * look-up leaves the root, and nothing is opened but regular files.
 */
#ifndef OCI_RDMA_TREE_H
#define OCI_RDMA_TREE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/base/arena.h"
#include "core/base/fs.h"

/* Opens a root, as --sysroot names it. Returns a descriptor that the caller owns, or -1. */
int tree_open_root(const char *path, struct err *err);

/*
 * The whole file, in the arena. A leading '/' of path means root. Returns 0 or -errno; -EINVAL for
 * what is no regular file, -EFBIG for more than max bytes.
 */
int tree_read(struct arena *arena, int root, const char *path, size_t max,
	      struct fs_text *ret_text);

/*
 * The same, of a root that its owner may fill with anything. A link to what the kernel
 * makes when it is read is -EINVAL: /proc/kmsg gives each message once, and some attributes keep
 * their device busy.
 */
int tree_read_stored(struct arena *arena, int root, const char *path, size_t max,
		     struct fs_text *ret_text);

/* The same file's descriptor, which the caller owns. -EINVAL for all but a regular file of a disk,
 * which is then not opened: a device does something when it is opened. */
int tree_open_stored(int root, const char *path);

/* The first line, without spaces at its end; returns its length, or -errno. */
ssize_t tree_read_line(int root, const char *path, char *line, size_t size);

/* Returns 0 for a regular file that somebody may execute, or -errno: -EACCES without that right. */
int tree_check_executable(int root, const char *path);

/* True for whatever it is; a link counts if it leads to something below root. */
bool tree_exists(int root, const char *path);

/* A directory's descriptor that the caller owns, or -errno. */
int tree_open_dir(int root, const char *path);

/* Opens a directory for readdir(3); links stay below root. Returns 0 or -errno. */
int tree_open_entries(int root, const char *path, DIR **ret_dir);

/*
 * The same for one that may not be there. *ret_dir is NULL where it cannot be opened: in sysfs that
 * means that there is none. Returns 0, or -1 without memory.
 */
int tree_open_listing(int root, const char *path, DIR **ret_dir);

/* The most names that are listed: a directory may be one that somebody else fills. */
#define TREE_NAMES_MAX 65536

/*
 * The names in a directory that end in suffix, in byte order, in the arena. *ret_names is NULL
 * where the directory cannot be opened or is empty. Returns how many, or -1 without memory;
 * TREE_NAMES_MAX: there may be more.
 */
int tree_list_all(struct arena *arena, int root, const char *path, const char *suffix,
		  const char ***ret_names);

/* The same without those that begin with '.' */
int tree_list(struct arena *arena, int root, const char *path, const char *suffix,
	      const char ***ret_names);

#endif
