/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files, opened once and then held: a path is never resolved twice. Every descriptor is
 * close-on-exec, no open blocks on a FIFO, and every read is bounded.
 */
#ifndef OCI_RDMA_FS_H
#define OCI_RDMA_FS_H

#include <dirent.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
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
 * Reopens an O_PATH descriptor for reading if it is a regular file: a FIFO would block, and opening
 * some devices has side effects. -ELOOP for a link, -EINVAL for anything else.
 */
int fs_reopen_regular(int path);

/* The same for a name below dir, whose last component is not followed. */
int fs_open_regular(int dir, const char *name);

/* Reads fd to its end. More than max bytes is an error that names what. */
int fs_read(struct arena *arena, int fd, size_t max, const char *what, struct fs_text *ret_text,
	    struct err *err);

/* The same, but more than max bytes is no error: *ret_more is set, and *ret_text has the
 * beginning. */
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

/* Writes all of it. Returns 0 or -errno. */
int fs_write(int fd, const void *bytes, size_t len);

/* Opens /dev/null for each standard stream that our caller has closed, so that no file of ours
 * takes its number. Errors are ignored. */
void fs_open_standard_streams(void);

/* True if both descriptors refer to the same inode. */
bool fs_same_file(int a, int b);

/*
 * True if it is this process' own root, or if that cannot be determined. A hook's own root is the
 * node's, and never a container's.
 */
bool fs_is_own_root(int dir);

/* The owner that stat(2) reports if the user namespace has no id for it, as for the node's root
 * (DEFAULT_OVERFLOWUID of the kernel's highuid.h) */
#define OVERFLOW_UID ((uid_t)65534)

/*
 * True if this process has no more rights on the node than its user: it is not root, or is root
 * only in a user namespace. Such an engine belongs to its user, who needs to prove nothing to it,
 * and it can give nothing that the user lacks. This is about the engine, not the container, which
 * may have a user namespace under an engine that is root. False if it cannot be determined.
 */
bool rootless(void);

/* By its number in /proc; false if that cannot be read */
bool fs_in_first_user_namespace(void);

/* ---- below a root (tree.c; a root and a directory: fs.c) ---- */

/*
 * Files below a root that others may control: a recorded tree, or a container's root file system.
 * No look-up leaves the root, and only regular files are opened.
 */

/* Opens a root, as --sysroot names it. Returns a descriptor that the caller owns, or -1. */
int tree_open_root(const char *path, struct err *err);

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

/* A directory's descriptor that the caller owns, or -errno. */
int tree_open_dir(int root, const char *path);

/* Opens a directory for readdir(3); links stay below root. Returns 0 or -errno. */
int tree_open_entries(int root, const char *path, DIR **ret_dir);

/*
 * The same for a directory that may be absent. *ret_dir is NULL if it cannot be opened, which in
 * sysfs means that there is none. Returns 0, or -1 without memory.
 */
int tree_open_listing(int root, const char *path, DIR **ret_dir);

/* The most names that are listed: others may fill the directory. */
#define TREE_NAMES_MAX 65536

/*
 * The names in a directory that end in suffix, in byte order, in the arena. *ret_names is NULL if
 * the directory cannot be opened or is empty. Returns how many, or -1 without memory;
 * TREE_NAMES_MAX: there may be more.
 */
int tree_list_all(struct arena *arena, int root, const char *path, const char *suffix,
		  const char ***ret_names);

/* The same without those that begin with '.' */
int tree_list(struct arena *arena, int root, const char *path, const char *suffix,
	      const char ***ret_names);

/* ---- new content by rename (replace.c) ---- */

/* If the process is killed at any point, the old file or the new one is there, whole. */

struct replacement {
	const char *name; /* in the directory, without a slash; not followed if it is a link */
	const char *bytes;
	size_t len;
	uid_t uid;
	gid_t gid;
	mode_t mode;
	int attributes; /* descriptor whose extended attributes (SELinux label, …) it is to have; or
			   -1 */
	bool sync;      /* to the disk before the rename */
	bool is_new;    /* nothing of that name is expected: then no rename is needed */
};

/*
 * dir: a directory's descriptor. what: the file as errors should name it. Until the new file is
 * complete, nobody else can read it or guess its name, so /tmp and two writers at a time are safe.
 * A failure leaves no temporary file, and neither does a kill, except just before the rename or on
 * a file system without O_TMPFILE. Returns 0, or -1 with the reason.
 */
int replace_file(int dir, const struct replacement *file, const char *what, struct err *err);

/* The same for a file of the caller's own: .uid, .gid and .attributes are ignored. */
int replace_own(int dir, const struct replacement *file, const char *what, struct err *err);

/* The same by path, with mode 0644. */
int replace_own_path(const char *path, const char *bytes, size_t len, struct err *err);

#endif
