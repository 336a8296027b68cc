/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's variables that the container's first process has, and this one, of an exec, has not */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "doctor/check/nccl.h"
#include "doctor/file.h"

#define NAMES_MAX 8 /* in one line */

/* "NAME=value" of process 1, or NULL if it is the target's, too */
static const char *only_there(struct arena *arena, const struct target *target, const char *entry)
{
	const char *equals = strchr(entry, '=');
	const char *name = equals ? arena_strndup(arena, entry, (size_t)(equals - entry)) : NULL;
	const char *here = name ? target_getenv(target, name) : NULL;

	return name && (!here || strcmp(here, equals + 1) != 0) ? name : NULL;
}

/*
 * An entry point that sets them by itself ("wrapper.sh python train.py") sets them for what it
 * starts. An exec begins with the environment of the container's spec, which has none of it.
 */
int nccl_check_exec(const struct nccl_look *look)
{
	struct arena *arena = look->findings->arena;
	const struct target *target = &look->doctor->target;
	cleanup_fd first = file_open_dir(look->doctor->node.root, "proc/1");
	const char *names = "";
	const char **env = NULL;
	ssize_t n;
	size_t found = 0;

	/* Process 1 of the node is no container's, and says nothing of another process. */
	if (!look->doctor->place.container || target->pid || target->id || first < 0)
		return 0;
	n = target_environ(arena, first, &env);
	for (ssize_t i = 0; names && i < n; i++) {
		const char *name = text_starts_with(env[i], "NCCL_")
					   ? only_there(arena, target, env[i])
					   : NULL;

		if (name && found++ < NAMES_MAX)
			names = arena_printf(arena, "%s%s%s", names, names[0] ? ", " : "", name);
	}
	if (!names)
		return -1;
	if (!found)
		return 0;
	return findings_add(
		look->findings, "nccl_exec", NULL, FINDING_WARN,
		"Set it in the pod's spec, or leave it to the hook's /etc/nccl.conf: "
		"what every process of the container finds",
		"process 1 has %s%s, and this process has it not, or otherwise: its entry "
		"point sets it, which an exec does not pass (/proc/1/environ)",
		names, found > NAMES_MAX ? ", …" : "");
}
