/* SPDX-License-Identifier: Apache-2.0 */
/* Files that grant something: opened only if nobody but root could have written them. */
#ifndef OCI_RDMA_TRUST_H
#define OCI_RDMA_TRUST_H

#include <stdbool.h>

#include "core/base/err.h"

/*
 * Opens a file that grants things, for reading. It and every directory on its way must belong to
 * root (or to our own user) and be writable by nobody else, and none may be a symbolic link: a user
 * who could swap one of them could grant anything. A directory like /tmp, where the sticky bit
 * keeps others from renaming what is not theirs, is fine.
 *
 * dir: where a relative path begins; not checked itself. what: the path as errors should say it.
 * in_etc: the path is one below /etc, where root alone puts files: a rootless engine, whose user
 * namespace has no id for root, then accepts an unknown owner. Elsewhere an unknown owner may be
 * any user. Returns a descriptor that the caller owns; -ENOENT, with *err set, if there is no such
 * file; or -1.
 */
int trust_open(int dir, const char *path, bool in_etc, const char *what, struct err *err);

/* Checks one part of a path, by its descriptor; explain/linked.c uses it too. Returns 0 or -1. */
int trust_check(int fd, bool directory, bool in_etc, const char *what, const char *part,
		struct err *err);

/* "/etc/x.json: etc: Permission denied". The file itself is named once: "/etc/x.json: No such …"
 */
int trust_fail(int errnum, const char *what, const char *part, struct err *err);

#endif
