/* SPDX-License-Identifier: Apache-2.0 */
/* A container by its id: what engines and runtimes leave of it on the node. Read, never asked. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

/*
 * containerd's own, Docker's own and k3s' directories of bundles, ending with NULL: in each a
 * directory for every namespace, and in that one for every container (core/runtime/v2/bundle.go).
 */
extern const char *const bundle_task_dirs[];

struct bundle {
	const char *id;       /* in full */
	int64_t pid;          /* of its first process; 0: not known */
	uint64_t start;       /* when that began, as field 22 of its stat has it; 0: not known */
	const char *pid_path; /* where that stood */
	const char *config;   /* path of its config.json; NULL: not found */
	/* path of a config.json that others than root could have written, as the mapped root of a
	 * user namespace, to whom podman gives the directory; NULL: none */
	const char *not_believed;
};

/*
 * id: in full, or a beginning that only one container has. root: the node's, below which all paths
 * are. Looked for in the states of crun (/run/crun, /run/user/UID/crun) and runc (/run/runc, …), in
 * the bundles of containerd, for every namespace, and of Docker's own, and in the storage of podman
 * and CRI-O. Only files count that nobody but root, or the user who runs this, could have written.
 */
int bundle_find(struct arena *arena, int root, const char *id, struct bundle *ret_bundle,
		struct err *err);

/* A pid that stands in a file may mean another process by now: its cgroup names the container, or
 * it began when the runtime says. */
bool bundle_has_process(struct arena *arena, int root, const struct bundle *bundle);

/*
 * Each container that is found in the same places, once. look: returns -1 to end; the bundle and
 * its texts live as long as the call. Returns 0, or -1 if look says so, or without memory.
 */
int bundle_each(struct arena *arena, int root,
		int (*look)(void *context, const struct bundle *bundle), void *context);

/* ---- the file of a runtime about a container: crun's "status", runc's "state.json" ---- */

struct state_file {
	int64_t pid;        /* of the first process; 0: not known */
	uint64_t start;     /* when that began, in the kernel's ticks; 0: not known */
	const char *bundle; /* the directory; NULL: not known */
};

#define STATE_FILE_CRUN "status"
#define STATE_FILE_RUNC "state.json"
