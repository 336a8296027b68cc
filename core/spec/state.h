/* SPDX-License-Identifier: Apache-2.0 */
/* The state JSON that a runtime gives to its hooks on stdin (OCI runtime specification, "State").
 */
#ifndef OCI_RDMA_STATE_H
#define OCI_RDMA_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

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
	 * run.oci.hooks.stderr: crun has opened the file of the node that this annotation names as
	 * the hooks' stderr (src/libcrun/container.c, open_hooks_output). A pod's author may have
	 * written it; CRI-O since 1.30 takes it away.
	 */
	bool stderr_chosen;
};

/* fd: read to its end. Strings live in the arena. */
int state_read(struct arena *arena, int fd, struct state *ret_state, struct err *err);

#endif
