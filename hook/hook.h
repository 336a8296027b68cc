/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points of the hook, and what it drops before it works. */
#ifndef OCI_RDMA_HOOK_H
#define OCI_RDMA_HOOK_H

#include "core/confine/confine.h"
#include "core/options.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ---- one run as an OCI runtime hook (stage.c) ---- */

enum stage {
	STAGE_CREATE_RUNTIME,
	STAGE_PRESTART, /* the older name: same place, same work */
	STAGE_POSTSTART,
	STAGES,
};

extern const char *const hook_stage_names[STAGES];

/*
 * Reads the state JSON on stdin and applies the plan to the container. Returns the exit status: 0,
 * or 1 to keep the container from being created. poststart always returns 0: on crun a failing one
 * kills a container that already runs.
 */
int stage_run(const struct options *options, enum stage stage);

/* ---- podman's precreate hook: edits config.json on its way to the runtime (precreate.c) ---- */

/*
 * config.json on stdin, the edited one on stdout; the same bytes if there
 * is nothing to change or something is wrong. Returns the exit status; not 0 keeps the container
 * from being created, as on_error and on_no_device say. CRI-O refuses to start if it sees such a
 * hook in its hooks_dir.
 */
int precreate_run(const struct options *options);

/* ---- what a hook drops (confinement.c) ---- */

/* The system calls and capabilities that a hook needs for a grant (core/confine/confine.h) */
extern const struct confinement hook_confinement;

/* ---- what /proc shows of the runtime that called the hook (stage.c) ---- */

/* The runtime's --bundle (or -b), from /proc/<pid>/cmdline; false if it has none. size: of path. */
bool runtime_bundle_argument(pid_t pid, char *path, size_t size);

#endif
