/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/check/memlock.h"

#include <inttypes.h>

bool limits_of_first_are_higher(const struct doctor *doctor, uint64_t soft)
{
	const struct target *target = &doctor->target;
	cleanup_arena arena = {0};
	const char *path = "/proc/1/limits";

	if (target->main_pid && target->main_pid != target->pid)
		path = arena_printf(&arena, "/proc/%" PRId64 "/limits", target->main_pid);
	else if (!doctor->location.container || target->pid)
		return false;
	return path && limits_read(&arena, doctor->node.root, path).soft > soft;
}
