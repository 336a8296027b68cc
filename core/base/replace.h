/* SPDX-License-Identifier: Apache-2.0 */
/* New content by rename: if killed at any point, either the old or the new file is there, whole. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/base/err.h"

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
