/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files, opened once and then held: a path is never resolved twice. Every descriptor is
 * close-on-exec, no open blocks on a FIFO, and every read is bounded.
 */
#pragma once

#include <dirent.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/base/arena.h"
#include "core/base/err.h"

/* ---- one owner: what a variable owns is closed when it leaves its scope ---- */

#define cleanup_fd __attribute__((cleanup(cleanup_close_fd))) int
#define cleanup_dir __attribute__((cleanup(cleanup_close_dir))) DIR

void cleanup_close_fd(const int *fd);
void cleanup_close_dir(DIR **dir);

/* Hands the descriptor to the caller: the variable no longer owns it. */
#define steal_fd(fd)                                                                               \
	({                                                                                         \
		int taken_ = *(fd);                                                                \
		*(fd) = -1;                                                                        \
		taken_;                                                                            \
	})

/* ---- opening, reading, writing. A returned descriptor is the caller's ---- */

/* openat2(2). resolve: RESOLVE_*; RESOLVE_NO_MAGICLINKS and O_CLOEXEC | O_NONBLOCK | O_NOCTTY are
 * always added. Returns a descriptor, or -errno (-ENOSYS on kernels before 5.6). */
int fs_open(int dir, const char *path, int flags, uint64_t resolve);

/* /dev/null for each standard stream that is closed: no file of ours takes its number. */
void fs_open_standard_streams(void);

struct fs_text {
	char *bytes; /* followed by a NUL that len does not count */
	size_t len;
};

/* Reads fd to its end. More than max bytes is an error that names what. Returns 0 or -1. */
int fs_read(struct arena *arena, int fd, size_t max, const char *what, struct fs_text *ret_text,
	    struct err *err);

/* The same, but more than max bytes is no error: *ret_text has more than max of them then. */
int fs_read_up_to(struct arena *arena, int fd, size_t max, const char *what,
		  struct fs_text *ret_text, struct err *err);

/* fs_read for a file that must be a regular one. */
int fs_read_regular(struct arena *arena, int fd, size_t max, const char *what,
		    struct fs_text *ret_text, struct err *err);

/* The first line of a sysfs or proc attribute, and the target of a link, NUL-terminated. Return the
 * length, or -errno; what does not fit is -EMSGSIZE or -ENAMETOOLONG. */
ssize_t fs_read_line(int dir, const char *path, char *line, size_t size);
ssize_t fs_read_link(int dir, const char *path, char *target, size_t size);

/* Writes all of it. Returns 0 or -errno. */
int fs_write(int fd, const void *bytes, size_t len);

/* Also true if that cannot be determined. A hook's own root is the node's, never a container's. */
bool fs_is_own_root(int dir);

/* ---- below a root that others may control (a recorded tree, a container): no look-up leaves it
 * ---- */

/* Opens a root, as --sysroot names it. Returns a descriptor, or -1. */
int tree_open_root(const char *path, struct err *err);

/* Returns a directory's descriptor, or -errno. */
int tree_open_dir(int root, const char *path);

/* ---- what others have made: no regular file perhaps, or a directory without end ---- */

/*
 * Reopens an O_PATH descriptor for reading if it is a regular file: a FIFO would block, and opening
 * some devices has side effects. Returns a descriptor, -ELOOP for a link, -EINVAL for anything
 * else, or another -errno.
 */
int fs_reopen_regular(int path);

/* The same for a name below dir, whose last component is not followed. */
int fs_open_regular(int dir, const char *name);

/* The most names that are listed: others may fill the directory. */
#define TREE_NAMES_MAX 65536

/*
 * The names in a directory that end in suffix, in byte order, in the arena, without "." and "..".
 * *ret_names is NULL if the directory cannot be opened or is empty. Returns how many, or -1 without
 * memory; TREE_NAMES_MAX: there may be more.
 */
int tree_list(struct arena *arena, int root, const char *path, const char *suffix,
	      const char ***ret_names);
