/* SPDX-License-Identifier: Apache-2.0 */
/* Files are opened once: no path is resolved twice. The caller owns returned descriptors, which are
 * close-on-exec. FIFOs block no open; reads are bounded. Functions without err return -errno. */
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

/* openat2(2), adding RESOLVE_NO_MAGICLINKS, O_CLOEXEC, O_NONBLOCK and O_NOCTTY; -ENOSYS before
 * Linux 5.6 */
int fs_open(int dir, const char *path, int flags, uint64_t resolve);

/* /dev/null for closed standard streams: no file may get their numbers */
void fs_open_standard_streams(void);

struct fs_text {
	char *bytes; /* NUL-terminated; len excludes the NUL */
	size_t len;
};

/* Reads to the end. More than max bytes is an error. */
int fs_read(struct arena *arena, int fd, size_t max, const char *what, struct fs_text *ret_text,
	    struct err *err);

/* len > max means cut. */
int fs_read_up_to(struct arena *arena, int fd, size_t max, const char *what,
		  struct fs_text *ret_text, struct err *err);

int fs_read_regular(struct arena *arena, int fd, size_t max, const char *what,
		    struct fs_text *ret_text, struct err *err);

/* Read the first line of a file, or a link's target, NUL-terminated. Return the length; -EMSGSIZE
 * or -ENAMETOOLONG above size */
ssize_t fs_read_line(int dir, const char *path, char *line, size_t size);
ssize_t fs_read_link(int dir, const char *path, char *target, size_t size);

int fs_write(int fd, const void *bytes, size_t len);

/* Also true if unknown. A hook's own root is the node's. */
bool fs_is_own_root(int dir);

/* ---- below a root that others may control: lookups never leave it ---- */

int tree_open_root(const char *path, struct err *err);

int tree_open_dir(int root, const char *path);

/* ---- untrusted files: FIFOs, devices, huge directories ---- */

/* Reopens an O_PATH descriptor: opening a FIFO blocks, a device can have side effects. -ELOOP for a
 * link, -EINVAL for other types */
int fs_reopen_regular(int path);

/* By name; the last component is not followed */
int fs_open_regular(int dir, const char *name);

#define TREE_NAMES_MAX 65536

/* Sorted names that end in suffix, or NULL. Returns how many (0 if it cannot be opened;
 * TREE_NAMES_MAX: maybe more), or -1 without memory. */
int tree_list(struct arena *arena, int root, const char *path, const char *suffix,
	      const char ***ret_names);
