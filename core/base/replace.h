/* SPDX-License-Identifier: Apache-2.0 */
/* By rename: a kill leaves the old or new file, complete. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/base/err.h"

struct replacement {
	const char *name; /* without a slash; a link is not followed */
	const char *bytes;
	size_t len;
	mode_t mode;
	const struct stat *owner; /* st_uid and st_gid; NULL: ours */
	const int *attributes;    /* copy extended attributes from it; or NULL */
	bool sync;                /* before the rename */
};

/* what: the name in errors. Until complete, others can neither read nor guess the file, even in
 * /tmp. A kill just before the rename, or without O_TMPFILE, leaves a temporary file. */
int replace_file(int dir, const struct replacement *file, const char *what, struct err *err);
