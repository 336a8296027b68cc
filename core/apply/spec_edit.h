/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds a grant to a process object (of config.json, or a process.json) by splicing bytes:
 * everything else stays as it was, byte for byte, including unknown members, the spelling of
 * numbers and white space. A second run changes nothing.
 */
#ifndef OCI_RDMA_SPEC_EDIT_H
#define OCI_RDMA_SPEC_EDIT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/plan/plan.h"
#include "core/spec/spec.h"

/* What a container was granted, apart from any one process of it */
struct grant {
	uint64_t memlock;      /* bytes, or MEMLOCK_UNLIMITED; 0: leave the limit */
	uint64_t capabilities; /* bit n is capability n */
	const struct setting *settings;
	size_t n_settings;
	uint32_t seccomp; /* system calls that linux.seccomp is to allow; not for a process.json */
	/* RLIMIT_MEMLOCK of a process whose spec lists none, as its runtime starts with our own; 0:
	 * not known */
	struct rlimit64 inherited;
};

/* The grant that a plan makes; its settings are those of the plan. */
struct grant grant_of_plan(const struct plan *plan);

/* Sets grant->inherited to our own limit. */
int limit_inherit(struct grant *grant, struct err *err);

/*
 * text: what spec was parsed from. *ret_text: the edited text in the arena, or text itself if there
 * was nothing to add. Returns 0, or -1 with the reason. What is edited:
 *
 * - env: a variable is added if its name is not set.
 * - rlimits: each RLIMIT_MEMLOCK is raised in its place, or else one is added. A limit that is
 *   higher, also an inherited one, is left as it is.
 * - capabilities: added to all five sets, so that a process of another user than root has them too.
 *   A process.json without this member stays so: the container's own capabilities then count.
 * - seccomp: one more rule at the end of linux.seccomp.syscalls.
 */
int spec_edit(struct arena *arena, const struct fs_text *text, const struct spec *spec,
	      const struct grant *grant, struct fs_text *ret_text, struct err *err);

#endif
