/* SPDX-License-Identifier: Apache-2.0 */
/* Files are opened once and then held: no path is resolved twice. Descriptors are close-on-exec, no
 * open blocks on a FIFO, and reads are bounded. */
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

/* ---- closed at the end of their scope ---- */

#define cleanup_fd __attribute__((cleanup(cleanup_close_fd))) int
#define cleanup_dir __attribute__((cleanup(cleanup_close_dir))) DIR

void cleanup_close_fd(const int *fd);
void cleanup_close_dir(DIR **dir);

#define steal_fd(fd)                                                                               \
	({                                                                                         \
		int taken_ = *(fd);                                                                \
		*(fd) = -1;                                                                        \
		taken_;                                                                            \
	})

/* ---- opening, reading, writing; callers own returned descriptors ---- */

/* openat2(2), adding RESOLVE_NO_MAGICLINKS, O_CLOEXEC, O_NONBLOCK and O_NOCTTY. Returns a
 * descriptor or -errno (-ENOSYS before Linux 5.6). */
int fs_open(int dir, const char *path, int flags, uint64_t resolve);

/* Opens /dev/null for closed standard streams, so that no file gets their numbers. */
void fs_open_standard_streams(void);

struct fs_text {
	char *bytes; /* NUL-terminated; len excludes the NUL */
	size_t len;
};

/* More than max bytes is an error. */
int fs_read(struct arena *arena, int fd, size_t max, const char *what, struct fs_text *ret_text,
	    struct err *err);

/* Longer input is not an error: len > max means that it was cut. */
int fs_read_up_to(struct arena *arena, int fd, size_t max, const char *what,
		  struct fs_text *ret_text, struct err *err);

int fs_read_regular(struct arena *arena, int fd, size_t max, const char *what,
		    struct fs_text *ret_text, struct err *err);

/* NUL-terminated. Return the length or -errno (-EMSGSIZE or -ENAMETOOLONG if size is too small). */
ssize_t fs_read_line(int dir, const char *path, char *line, size_t size);
ssize_t fs_read_link(int dir, const char *path, char *target, size_t size);

/* Returns 0 or -errno. */
int fs_write(int fd, const void *bytes, size_t len);

/* Also true if unknown. A hook's own root is the node's. */
bool fs_is_own_root(int dir);

/* ---- below a root that others may control: lookups never leave it ---- */

int tree_open_root(const char *path, struct err *err);

/* Returns a descriptor, or -errno. */
int tree_open_dir(int root, const char *path);

/* ---- untrusted files: FIFOs, devices, huge directories ---- */

/* Reopens an O_PATH descriptor for reading: FIFOs block, and opening a device can have side
 * effects. Returns a descriptor, -ELOOP for a link, -EINVAL for other types, or -errno. */
int fs_reopen_regular(int path);

/* The same by name; the last component is not followed. */
int fs_open_regular(int dir, const char *name);

#define TREE_NAMES_MAX 65536

/* Sorted; or NULL. Returns how many (0 if it cannot be opened; TREE_NAMES_MAX: maybe more), or -1
 * without memory. */
int tree_list(struct arena *arena, int root, const char *path, const char *suffix,
	      const char ***ret_names);
