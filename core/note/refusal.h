/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record for each container of a pod that was left without what it asks for, for its author:
 * oci-rdma-events posts it as an event of the pod. Each entry point leaves it, beside its line in
 * the journal. A record is one file in REFUSAL_DIR (core/note/shelf.h), for each container and
 * result; it stays until it is the oldest of too many, or until the node boots.
 */
#ifndef OCI_RDMA_REFUSAL_H
#define OCI_RDMA_REFUSAL_H

#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/note/note.h"
#include "core/note/shelf.h"

/* Below the sysroot. The reporter's pod mounts this directory of the node, and no other. */
#define REFUSAL_DIR SHELF_PARENT "/refusals"
#define REFUSAL_SIZE_MAX (8 * 1024)
#define REFUSALS_MAX 1024
/* Bytes of a reason: an event's note is as long (pkg/apis/core/validation/events.go,
 * NoteLengthLimit)
 */
#define REFUSAL_REASON_MAX 1024

struct refusal {
	const char *id;        /* the container's */
	const char *container; /* its name; NULL: not known */
	const char *pod;
	const char *pod_namespace;
	const char *pod_uid; /* NULL: not known */
	enum note_result result;
	const char *reason;
	const char *entry_point; /* "createRuntime", "nri", … */
	int64_t time;            /* seconds since 1970; refusal_leave() sets it */
};

/*
 * sysroot: a path. A refusal without a pod, a namespace and an engine's id leaves nothing: podman
 * and Docker have no events. A reason that is too long is cut, and one of several lines is made
 * one. Returns 0, or -1 with the reason.
 */
int refusal_leave(const char *sysroot, const struct refusal *refusal, struct err *err);

/*
 * Reads one of the files. dir: of refusal_open(). Returns 1 with *ret_refusal in the arena; 0 if
 * there is no such file; or -1 with the reason.
 */
int refusal_read(struct arena *arena, int dir, const char *name, struct refusal *ret_refusal,
		 struct err *err);

/* The directory, below a sysroot's descriptor, as shelf_open() */
int refusal_open(int sysroot, struct err *err);

#endif
