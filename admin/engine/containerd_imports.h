/* SPDX-License-Identifier: Apache-2.0 */
/* Which files containerd's configuration consists of */
#ifndef OCI_RDMA_CONTAINERD_IMPORTS_H
#define OCI_RDMA_CONTAINERD_IMPORTS_H

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

/* Absolute paths, each once, in the order in which they are read */
struct containerd_files {
	const char **path;
	size_t n;
	size_t room;
};

/* One more, where it is not among them. Returns 0, or -1 with the reason: without memory, or with
 * more files than anybody has. */
int containerd_files_add(struct arena *arena, const char *path, struct containerd_files *files,
			 struct err *err);

/*
 * The files that an entry of the `imports` of parent stands for (services/server/config,
 * resolveImports): relative to parent's directory; with a '*' a pattern for what is there, in byte
 * order. Early 1.x takes a relative pattern as one below the daemon's working directory. Returns 0
 * or -1.
 */
int containerd_files_import(struct arena *arena, int root, const char *parent, const char *import,
			    struct containerd_files *files, struct err *err);

#endif
