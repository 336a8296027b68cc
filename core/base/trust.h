/* SPDX-License-Identifier: Apache-2.0 */
/* Files that grant something: opened only if nobody but root, or our own user, could have written
 * them. Return a descriptor; or, with *err set, -ENOENT or -1. */
#pragma once

#include <stdbool.h>

#include "core/base/err.h"

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
int check_path_part(int fd, bool directory, bool in_etc, const char *what, const char *part,
		    struct err *err);

/* "/etc/x.json: etc: Permission denied". The file itself is named once: "/etc/x.json: No such …".
 * Returns -ENOENT or -1. */
int path_part_error(int errnum, const char *what, const char *part, struct err *err);
