/* SPDX-License-Identifier: Apache-2.0 */
/* The file that a runtime keeps about a container: crun's "status", runc's "state.json" */
#ifndef OCI_RDMA_STATE_FILE_H
#define OCI_RDMA_STATE_FILE_H

#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

struct state_file {
	int64_t pid;        /* of the first process; 0: not known */
	uint64_t start;     /* when that began, in the kernel's ticks; 0: not known */
	const char *bundle; /* the directory; NULL: not known */
};

#define STATE_FILE_CRUN "status"
#define STATE_FILE_RUNC "state.json"

/* path: below root, ends in one of these names. Returns 0 or -1. */
int state_file_read(struct arena *arena, int root, const char *path, struct state_file *ret_file,
		    struct err *err);

#endif
