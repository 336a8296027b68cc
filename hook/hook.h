/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points of the hook, and what it drops before it works. */
#ifndef OCI_RDMA_HOOK_H
#define OCI_RDMA_HOOK_H

#include <sys/types.h>

#include "core/confine/confine.h"
#include "core/report/report.h"

/*
 * One run as an OCI runtime hook: reads the state JSON on stdin and applies the plan to the
 * container. stage: "createRuntime", "prestart" (its older name), "poststart". Returns the exit
 * status: 0, or 1 to keep the container from being created. poststart always returns 0: on crun a
 * failing one kills a container that already runs.
 */
int stage_run(const struct options *options, const char *stage);

/*
 * podman's precreate hook: config.json on stdin, the edited one on stdout; the same bytes if there
 * is nothing to change or something is wrong. Returns the exit status; not 0 keeps the container
 * from being created. CRI-O refuses to start if it sees such a hook in its hooks_dir.
 */
int precreate_run(const struct options *options);

/*
 * Makes the plan of a container that was found, and edits its config.json before the runtime reads
 * it. container->lacking is set. *ret_edited: container->text itself if nothing is to be added.
 * Returns as container_plan(); outcome says what was given.
 */
int edit_config_json(struct container *container, struct outcome *outcome,
		     struct fs_text *ret_edited);

/* The system calls and capabilities that a hook needs for a grant (confinement.c) */
extern const struct confinement hook_confinement;

/* ---- what /proc shows of the runtime that called the hook (caller.c) ---- */

/* Its --bundle (or -b), in the arena; NULL: none */
const char *caller_bundle(struct arena *arena, pid_t pid);

bool caller_is_crun(pid_t pid);

#endif
