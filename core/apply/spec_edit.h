/* SPDX-License-Identifier: Apache-2.0 */
/* Splices a grant into config.json or process.json; all other bytes stay. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/plan/plan.h"
#include "core/plan/planning.h"
#include "core/spec/spec.h"

/*
 * text: what spec was parsed from. inherited: the limit if the spec lists none; NULL: unknown.
 * *ret_text: in the arena, or text itself if unchanged.
 *
 *   env           adds unset variables
 *   rlimits       raises each RLIMIT_MEMLOCK, or adds one; never lowers a listed or inherited limit
 *   capabilities  adds to all five sets, for non-root users; in process.json only if it has any
 *   seccomp       appends a rule to linux.seccomp.syscalls
 */
int spec_edit(struct arena *arena, const struct fs_text *text, const struct spec *spec,
	      const struct plan *plan, const struct rlimit64 *inherited, struct fs_text *ret_text,
	      struct err *err);
