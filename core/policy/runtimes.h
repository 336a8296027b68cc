/* SPDX-License-Identifier: Apache-2.0 */
/* Which OCI runtime the shim runs: its own name and a list say so, never the policy. */
#pragma once

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

/*
 * An absolute path a line, blanks around it ignored; a line that begins with '#' is a comment. As
 * with the policy, only root may be able to write the file (trust_open()).
 */
#define RUNTIMES_PATH "etc/oci-rdma-hook/runtimes" /* below the sysroot */
#define RUNTIMES_SIZE_MAX (64 * 1024)

struct runtimes {
	const char **path; /* NULL: there is no file */
	size_t n;
};

/* root: the sysroot. Returns 0, also without a file, or -1. */
int runtimes_read(struct arena *arena, int root, struct runtimes *ret_runtimes, struct err *err);

/* The runtime in the shim's own name, as "crun" of oci-rdma-runtime-crun, or NULL. */
const char *runtimes_named(const char *called);

/*
 * The paths to try in this order, ended by NULL. called: the shim's name without a directory. Of
 * oci-rdma-runtime-crun: the file's entries called crun, then where packages install a crun.
 * Without such a name: the file's entries, or without a file an installed crun, then runc. NULL
 * without memory.
 */
const char **runtimes_to_try(struct arena *arena, const struct runtimes *runtimes,
			     const char *called);
