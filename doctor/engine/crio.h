/* SPDX-License-Identifier: Apache-2.0 */
/* CRI-O's configuration, merged as CRI-O does, as far as a container's RDMA depends on it. */
#ifndef OCI_RDMA_DOCTOR_CRIO_H
#define OCI_RDMA_DOCTOR_CRIO_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

#define CRIO_DIR "etc/crio"
#define CRIO_DROPINS CRIO_DIR "/crio.conf.d"

struct crio_handler {
	const char *name;
	const char *runtime_path; /* "" if it is looked for in PATH */
	const char *file;         /* that has its table */
};

struct crio_list {
	const char **item;
	size_t n;
	const char *file; /* NULL: not set */
};

struct crio {
	bool installed;
	const char *default_runtime; /* NULL: not set */
	const char *default_file;
	struct crio_handler *handler;
	size_t n_handlers;
	size_t handlers_room;
	struct crio_list ulimits;
	struct crio_list hooks_dirs;
	const char **problem; /* a line for each file that could not be read */
	size_t n_problems;
	size_t problems_room;
};

/*
 * /etc/crio/crio.conf, then /etc/crio/crio.conf.d in the order of the names (pkg/config/config.go,
 * UpdateFromPath). A later value replaces an earlier one, lists are not joined, and the table of a
 * handler replaces that handler whole. Returns 0, or -1 without memory.
 */
int crio_read(struct arena *arena, int root, struct crio *ret_crio, struct err *err);

const struct crio_handler *crio_find_handler(const struct crio *crio, const char *name);

#endif
