/* SPDX-License-Identifier: Apache-2.0 */
/* A file's new content by rename: killed at any point, the old file or the new one is there, whole.
 */
#ifndef OCI_RDMA_REPLACE_H
#define OCI_RDMA_REPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/base/err.h"

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
 * dir: a directory's descriptor. what: the file as errors should name it. Until it is whole nobody
 * else can read it, and nobody can tell its name: it may be done in /tmp, and by two at a time. On
 * failure no temporary file stays; nor if it is killed, except in the moment before the rename, or
 * on a file system without O_TMPFILE. Returns 0, or -1 with the reason.
 */
int replace_file(int dir, const struct replacement *file, const char *what, struct err *err);

/* The same of a file that is the caller's own: what it says of uid, gid and attributes is not
 * read. */
int replace_own(int dir, const struct replacement *file, const char *what, struct err *err);

/* The same, where a path is given, and everybody may read the file (0644). */
int replace_own_path(const char *path, const char *bytes, size_t len, struct err *err);

#endif
