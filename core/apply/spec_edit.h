/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds a grant to a process object (of config.json, or a process.json) by splicing bytes:
 * everything else stays as it was, byte for byte, including unknown members, the spelling of
 * numbers and white space. A second run changes nothing.
 */
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
 * plan: its memlock, granted, settings and seccomp. inherited: the limit of a process whose spec
 * lists none; NULL: not known. text: what spec was parsed from. *ret_text: the edited text in the
 * arena, or text itself if there was nothing to add. Returns 0, or -1 with the reason. What is
 * edited:
 *
 * - env: a variable is added if its name is not set.
 * - rlimits: each RLIMIT_MEMLOCK is raised in its place, or else one is added. A limit that is
 *   higher, also an inherited one, is left as it is.
 * - capabilities: added to all five sets, so that a process of another user than root has them too.
 *   A process.json without this member stays so: the container's own capabilities then count.
 * - seccomp: one more rule at the end of linux.seccomp.syscalls.
 */
int spec_edit(struct arena *arena, const struct fs_text *text, const struct spec *spec,
	      const struct plan *plan, const struct rlimit64 *inherited, struct fs_text *ret_text,
	      struct err *err);
