/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files, opened once and then held: a path is never resolved twice. Every descriptor is
 * close-on-exec, no open blocks on a FIFO, and every read is bounded.
 */
#ifndef OCI_RDMA_CORE_BASE_FS_H
#define OCI_RDMA_CORE_BASE_FS_H

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
#define take_fd(fd)                                                                                \
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

/* ---- whose root, whose rights ---- */

/* Also true if that cannot be determined. A hook's own root is the node's, never a container's. */
bool fs_is_own_root(int dir);

/*
 * True if this process has no more rights on the node than its user: it is not root, or is root
 * only in a user namespace. Such an engine can give nothing that its user lacks. This is about the
 * engine: a container may have a user namespace under an engine that is root. False if it cannot be
 * determined.
 */
bool rootless(void);

/* By its number in /proc; false if that cannot be read */
bool fs_in_first_user_namespace(void);

/* ---- below a root that others may control (a recorded tree, a container): no look-up leaves it
 * ---- */

/* Opens a root, as --sysroot names it. Returns a descriptor, or -1. */
int tree_open_root(const char *path, struct err *err);

/* Returns a directory's descriptor, or -errno. */
int tree_open_dir(int root, const char *path);

/* ---- what others have made (foreign.c) ---- */

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

/* ---- files that grant something: opened only if nobody but root, or our own user, could have
 * written them. Return a descriptor; or, with *err set, -ENOENT or -1 ---- */

/*
 * A file, for reading. It and every directory on its way must belong to root (or to our own user)
 * and be writable by nobody else, and none may be a symbolic link: a user who could swap one of
 * them could grant anything. A directory like /tmp, where the sticky bit keeps others from renaming
 * what is not theirs, is fine.
 *
 * dir: where a relative path begins; not checked itself. what: the path as errors should say it.
 * in_etc: the path is one below /etc, where root alone puts files: a rootless engine, whose user
 * namespace has no id for root, then accepts an unknown owner. Elsewhere that may be any user.
 */
int trust_open(int dir, const char *path, bool in_etc, const char *what, struct err *err);

/* A directory below root, which must be root's alone itself, for reading */
int trust_open_dir(int root, const char *path, struct err *err);

/* The same, after making what is missing below the first part of the path. Takes the directory's
 * rights from others, if the file system lets us. sysroot: a path. */
int trust_make_dir(const char *sysroot, const char *path, struct err *err);

/* True if only root, or our own user, could have written what the descriptor holds. */
bool trust_is_roots_alone(int fd);

/* Checks one part of a path, by its descriptor; lib/trusted_link.c uses it too. Returns 0 or -1. */
int trust_check(int fd, bool directory, bool in_etc, const char *what, const char *part,
		struct err *err);

/* "/etc/x.json: etc: Permission denied". The file itself is named once: "/etc/x.json: No such …".
 * Returns -ENOENT or -1. */
int trust_fail(int errnum, const char *what, const char *part, struct err *err);

/* ---- new content by rename (replace.c): killed at any point, one of both is there, whole ---- */

struct replacement {
	const char *name; /* in the directory, without a slash; not followed if it is a link */
	const char *bytes;
	size_t len;
	mode_t mode;
	const struct stat *owner; /* whose st_uid and st_gid it is to have; NULL: our own */
	const int *attributes;    /* a descriptor, whose extended attributes it gets */
	bool sync;                /* to the disk before the rename */
};

/*
 * dir: a directory's descriptor. what: the file as errors should name it. Until the new file is
 * complete, nobody else can read it or guess its name, so /tmp and two writers at a time are safe.
 * A failure leaves no temporary file, and neither does a kill, except just before the rename or on
 * a file system without O_TMPFILE. Returns 0, or -1 with the reason.
 */
int replace_file(int dir, const struct replacement *file, const char *what, struct err *err);

#endif
