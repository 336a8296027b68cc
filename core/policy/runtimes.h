/* SPDX-License-Identifier: Apache-2.0 */
/* The shim's OCI runtime: name and list decide, never the policy. */
#pragma once

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

/* A line: an absolute path or a '#' comment, maybe between blanks. Only root may write the file. */
#define RUNTIMES_PATH "etc/oci-rdma-hook/runtimes" /* below the sysroot */
#define RUNTIMES_SIZE_MAX (64 * 1024)

struct runtimes {
	const char **path; /* NULL: no file */
	size_t n;
};

/* root: the sysroot. A missing file is no error. */
int runtimes_read(struct arena *arena, int root, struct runtimes *ret_runtimes, struct err *err);

/* "crun" of "oci-rdma-runtime-crun"; or NULL */
const char *runtimes_named(const char *called);

/* Paths to try, ended by NULL. called: the shim's base name. For oci-rdma-runtime-crun: the file's
 * crun, then installed ones. For others: the file's entries, or without a file an installed crun,
 * then runc. */
const char **runtimes_to_try(struct arena *arena, const struct runtimes *runtimes,
			     const char *called);
