/* SPDX-License-Identifier: Apache-2.0 */
/* Finds containers in the files of crun, runc, containerd, Docker, podman and CRI-O, without
 * asking an engine. Uses only files that root and our user alone could have written. Paths are
 * below root. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

struct bundle {
	const char *id;       /* in full */
	int64_t pid;          /* of the first process; 0: unknown */
	uint64_t start;       /* field 22 of /proc/PID/stat; 0: unknown */
	const char *pid_path; /* the file that names pid */
	const char *config;   /* NULL: not found */
	/* a config.json that others could have written (podman: a user namespace's root), or
	 * NULL */
	const char *not_believed;
};

/* id: in full or a unique prefix */
int bundle_find(struct arena *arena, int root, const char *id, struct bundle *ret_bundle,
		struct err *err);

/* True if pid is still the container's, by cgroup or start */
bool bundle_has_process(struct arena *arena, int root, const struct bundle *bundle);

/* Calls look for each container until it returns -1; the bundle lives as long as the call. Returns
 * -1 from look, or without memory. */
int bundle_each(struct arena *arena, int root,
		int (*look)(void *context, const struct bundle *bundle), void *context);

struct state_file {
	int64_t pid;        /* 0: unknown */
	uint64_t start;     /* in clock ticks; 0: unknown */
	const char *bundle; /* NULL: unknown */
};

#define STATE_FILE_CRUN "status"
#define STATE_FILE_RUNC "state.json"
