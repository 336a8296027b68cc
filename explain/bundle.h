/* SPDX-License-Identifier: Apache-2.0 */
/* Asks no engine: reads engines' and runtimes' files. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

/* DIR/NAMESPACE/ID (containerd's core/runtime/v2/bundle.go); NULL-terminated */
extern const char *const bundle_task_dirs[];

struct bundle {
	const char *id;
	int64_t pid;    /* 0: unknown */
	uint64_t start; /* field 22 of /proc/PID/stat; 0: unknown */
	const char *pid_path;
	const char *config; /* NULL: not found */
	/* a config.json that others could have written (with podman a user namespace's root), or
	 * NULL */
	const char *not_believed;
};

/* By full id or unique prefix, in files of crun, runc, containerd, Docker, podman and CRI-O that
 * only root or our user could have written */
int bundle_find(struct arena *arena, int root, const char *id, struct bundle *ret_bundle,
		struct err *err);

/* By its cgroup or start */
bool bundle_has_process(struct arena *arena, int root, const struct bundle *bundle);

/* Until look returns -1; bundle lives for the call */
int bundle_each(struct arena *arena, int root,
		int (*look)(void *context, const struct bundle *bundle), void *context);

struct state_file {
	int64_t pid;        /* 0: unknown */
	uint64_t start;     /* 0: unknown */
	const char *bundle; /* NULL: unknown */
};

#define STATE_FILE_CRUN "status"
#define STATE_FILE_RUNC "state.json"
