/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's variables that the container's first process has, and this one, of an exec, has not */
#include <errno.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "doctor/check/nccl.h"

#define NAMES_MAX 8 /* in one line */

/* entry: of process 1. *ret_name: what the target has not, or otherwise; else NULL. Returns -1
 * without memory. */
static int compare(struct arena *arena, const struct target *target, const char *entry,
		   const char **ret_name)
{
	const char *equals = text_starts_with(entry, "NCCL_") ? strchr(entry, '=') : NULL;
	const char *here;
	const char *name;

	*ret_name = NULL;
	if (!equals)
		return 0;
	name = arena_strndup(arena, entry, (size_t)(equals - entry));
	if (!name)
		return -1;
	here = target_getenv(target, name);
	if (!here || strcmp(here, equals + 1) != 0)
		*ret_name = name;
	return 0;
}

/*
 * An entry point that sets them by itself ("wrapper.sh python train.py") sets them for what it
 * starts. An exec begins with the environment of the container's spec, which has none of it.
 */
int nccl_check_exec(const struct nccl_context *context)
{
	struct arena *arena = context->findings->arena;
	const struct target *target = &context->doctor->target;
	cleanup_fd first = tree_open_dir(context->doctor->node.root, "proc/1");
	const char *names = "";
	const char **env = NULL;
	ssize_t n;
	size_t found = 0;

	/* Process 1 of the node is no container's, and says nothing of another process. */
	if (!context->doctor->location.container || target->pid || target->id || first < 0)
		return 0;
	n = target_environ(arena, first, &env);
	if (n == -ENOMEM)
		return -1;
	for (ssize_t i = 0; names && i < n; i++) {
		const char *name;

		if (compare(arena, target, env[i], &name) < 0)
			return -1;
		if (name && found++ < NAMES_MAX)
			names = arena_printf(arena, "%s%s%s", names, names[0] ? ", " : "", name);
	}
	if (!names)
		return -1;
	if (!found)
		return 0;
	return findings_add(context->findings, "nccl_exec", NULL, FINDING_WARN,
			    "Set the variables in the pod's spec, or leave them to the hook's "
			    "/etc/nccl.conf, so that every process of the container has them",
			    "process 1 has %s%s, and this process has no such value or another "
			    "one: the entry point of the image sets it, and an exec does not run "
			    "the entry point (/proc/1/environ)",
			    names, found > NAMES_MAX ? ", …" : "");
}
