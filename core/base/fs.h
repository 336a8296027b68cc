/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files, opened once and then held: a path is never resolved twice. Every descriptor is
 * close-on-exec, no open blocks on a FIFO, and every read is bounded.
 */
#ifndef OCI_RDMA_FS_H
#define OCI_RDMA_FS_H

#include <linux/openat2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/arena.h"
#include "core/base/err.h"

struct fs_text {
	char *bytes; /* followed by a NUL that len does not count */
	size_t len;
};

/*
 * openat2(2). resolve: RESOLVE_*; RESOLVE_NO_MAGICLINKS is always added, O_CLOEXEC | O_NONBLOCK |
 * O_NOCTTY too. Returns a descriptor that the caller owns, or -errno (-ENOSYS on kernels
 * before 5.6).
 */
int fs_open(int dir, const char *path, int flags, uint64_t resolve);

/*
 * Opens what an O_PATH descriptor holds for reading, if it is a regular file: a FIFO would block,
 * and opening some devices does something. -ELOOP for a link, -EINVAL for all else.
 */
int fs_reopen_regular(int path);

/* The same for a name below dir, whose last component is not followed. */
int fs_open_regular(int dir, const char *name);

/* False for a file of procfs, sysfs, debugfs or tracefs, which the kernel makes when it is read:
 * that may do something. fd may be an O_PATH one. */
bool fs_is_stored(int fd);

/* Reads fd to its end. More than max bytes is an error that names what. */
int fs_read(struct arena *arena, int fd, size_t max, const char *what, struct fs_text *ret_text,
	    struct err *err);

/* The same, but what is larger is no error: *ret_more says that there is more, and how far it got.
 */
int fs_read_up_to(struct arena *arena, int fd, size_t max, const char *what,
		  struct fs_text *ret_text, bool *ret_more, struct err *err);

/* fs_read for a file that must be a regular one. */
int fs_read_regular(struct arena *arena, int fd, size_t max, const char *what,
		    struct fs_text *ret_text, struct err *err);

/*
 * A sysfs or proc attribute: its first line, without the newline, NUL-terminated in line.
 * Returns its length, or -errno; a line that does not fit is -EMSGSIZE.
 */
ssize_t fs_read_line(int dir, const char *path, char *line, size_t size);

/* The target of a symbolic link, NUL-terminated. Returns its length, or -errno. */
ssize_t fs_read_link(int dir, const char *path, char *target, size_t size);

/* Where an open file lies now, since paths may be relative, or lead through links. As fs_read_link
 */
ssize_t fs_path_of(int fd, char *path, size_t size);

/* Writes all of it. Returns 0 or -errno. */
int fs_write(int fd, const char *bytes, size_t len);

/* A caller that closed one of the standard three must not see our files in its place. What cannot
 * be had is done without. */
void fs_open_standard_streams(void);

/* True if both descriptors refer to the same inode. */
bool fs_same_file(int a, int b);

/* True if both paths lead to the same directory: "/run/crun" and "/run/crun/" do. */
bool fs_same_directory(const char *a, const char *b);

/*
 * True if it is this process' own root, or that cannot be told: for a hook the node's, which no
 * container's directory may be.
 */
bool fs_is_own_root(int dir);

/* What stat(2) says where a user namespace has no name for an owner, as for the node's root
 * (DEFAULT_OVERFLOWUID of the kernel's highuid.h) */
#define OVERFLOW_UID ((uid_t)65534)

/*
 * True if this process has no right on the node that its user has not: it is not root, or it is
 * root in a user namespace only. The user of such an engine also runs it, so the user needs to
 * prove nothing to it, and it can give nothing that the user has not. This is about the engine, not
 * about the container, which may have a user namespace on a node whose engine is root. False if it
 * cannot be told.
 */
bool rootless(void);

#endif
