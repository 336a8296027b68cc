/* SPDX-License-Identifier: Apache-2.0 */
/* The hook's stages, and the state that a runtime gives them on stdin, as JSON */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/options.h"

/*
 * One run as an OCI runtime hook: reads the state JSON on stdin and applies the plan to the
 * container. stage: "createRuntime", "prestart" (its older name), "poststart". Returns the exit
 * status: 0, or 1 to keep the container from being created. poststart always returns 0: on crun a
 * failing one kills a container that already runs.
 */
int stage_run(const struct options *options, const char *stage);

/*
 * The state holds the container's annotations. Kubernetes lets a pod have 256 KiB of them
 * (TotalAnnotationSizeLimitB in apimachinery's pkg/api/validation/objectmeta.go), CRI-O writes them
 * once more as one of its own (io.kubernetes.cri-o.Annotations), and escapes make text longer: Go
 * writes "<" as "\u003c", six bytes, and seven where that text is quoted once more.
 */
#define STATE_SIZE_MAX (4 * 1024 * 1024)

struct state {
	const char *id;     /* the container's id */
	const char *bundle; /* directory of config.json; as the runtime says it, unchecked */
	/* The container's init in the hook's pid namespace; 0 if the state says none, or no
	 * integer: only a container that needs it fails for that. */
	int64_t pid;
	const char *status; /* "creating", "created", "running", …; NULL if it says none */
	bool sandbox;       /* a pod's pause container: it never gets a device */
	bool asks;          /* oci-rdma-hook.io/inject is "true" */
	/*
	 * By the annotation run.oci.hooks.stderr of a pod's or an image's author: crun has opened
	 * that file of the node as the hooks' stderr (src/libcrun/container.c, open_hooks_output;
	 * CRI-O since 1.30 takes it away). Also true if the state could not be read whole.
	 */
	bool stderr_chosen;
};

/* fd: read to its end. Strings live in the arena. stderr_chosen is set also if this fails. */
int state_read(struct arena *arena, int fd, struct state *ret_state, struct err *err);
