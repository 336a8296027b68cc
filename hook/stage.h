/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/options.h"

/* stage: "createRuntime", "prestart" (older name) or "poststart". Returns 1 to fail the creation;
 * poststart 0, or crun would kill the running container. */
int stage_run(const struct options *options, const char *stage);

/* Kubernetes' 256 KiB of annotations (apimachinery's pkg/api/validation/objectmeta.go,
 * TotalAnnotationSizeLimitB), repeated by CRI-O in io.kubernetes.cri-o.Annotations; Go escapes "<"
 * as six bytes, seven if quoted again. */
#define STATE_SIZE_MAX (4 * 1024 * 1024)

struct state {
	const char *id;
	const char *bundle; /* directory of config.json; not validated */
	/* init in the hook's pid namespace; 0: absent or invalid, which only fails grants */
	int64_t pid;
	const char *status; /* "created", "running", …; or NULL */
	bool sandbox;       /* a pod's pause container */
	bool asks;          /* oci-rdma-hook.io/inject is "true" */
	/* The pod's or image's author chose a node's file as our stderr by run.oci.hooks.stderr
	 * (crun's src/libcrun/container.c, open_hooks_output; CRI-O since 1.30 removes it), or the
	 * state is incomplete. */
	bool stderr_chosen;
};

/* Sets stderr_chosen even on failure. */
int state_read(struct arena *arena, int fd, struct state *ret_state, struct err *err);
