/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves a note (core/note/note.h) of what was decided about a container, and a record for its
 * author (core/note/refusal.h). */
#ifndef OCI_RDMA_REMEMBER_H
#define OCI_RDMA_REMEMBER_H

#include "core/base/err.h"
#include "core/container/container.h"
#include "core/note/note.h"

/*
 * reason NULL: the plan's. entry_point: "nri". sysroot: a path. A container that does not ask and
 * has no proven device gets no note. Returns 0, or -1 with the reason: whatever failed, the
 * container has what it got.
 */
int remember(const char *sysroot, struct container *container, enum note_result result,
	     const char *reason, const char *entry_point, struct err *err);

/*
 * Leaves a record (core/note/refusal.h) of why a pod's container was left without, for its author.
 * One who has chosen that, by an annotation, needs to hear nothing. If the record cannot be
 * written, that is logged: the container's own line in the log has the reason.
 */
void remember_refusal(const char *sysroot, const struct container *container,
		      enum note_result result, const char *reason, const char *entry_point);

#endif
