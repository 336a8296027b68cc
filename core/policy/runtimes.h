/* SPDX-License-Identifier: Apache-2.0 */
/* The OCI runtime that the shim runs: its name and a list decide, never the policy. */
#pragma once

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

/* Per line an absolute path or a '#' comment; blanks around it are ignored. Only root may be able
 * to write the file (trust_open()). */
#define RUNTIMES_PATH "etc/oci-rdma-hook/runtimes" /* below the sysroot */
#define RUNTIMES_SIZE_MAX (64 * 1024)

struct runtimes {
	const char **path; /* NULL: no file */
	size_t n;
};

/* A missing file is no error. */
int runtimes_read(struct arena *arena, int root, struct runtimes *ret_runtimes, struct err *err);

/* For oci-rdma-runtime-crun, or NULL */
const char *runtimes_named(const char *called);

/* Ended by NULL; NULL without memory. called: the shim's base name. For oci-rdma-runtime-crun: crun
 * in the file, then installed ones. Else the file's entries, or without a file an installed crun,
 * then runc. */
const char **runtimes_to_try(struct arena *arena, const struct runtimes *runtimes,
			     const char *called);
