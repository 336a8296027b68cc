/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policy/runtimes.h"

#include <stddef.h>
#include <string.h>

#include "core/base/names.h"
#include "core/base/text.h"

/* CRI-O's own packages bring their runtimes along, newer than the distribution's; Debian's runc is
 * in sbin. */
static const char *find_installed(struct arena *arena, const char *name, runtimes_can_run *can_run,
				  void *context)
{
	static const char *const dirs[] = {"/usr/libexec/crio", "/usr/bin", "/usr/sbin",
					   "/usr/local/bin", "/usr/local/sbin"};

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		const char *path = arena_printf(arena, "%s/%s", dirs[i], name);

		if (path && can_run(context, path))
			return path;
	}
	return NULL;
}

const char *runtimes_named(const char *called)
{
	return text_starts_with(called, SHIM_NAME "-") ? called + strlen(SHIM_NAME "-") : NULL;
}

const char *runtimes_find(struct arena *arena, const struct config *config, const char *called,
			  runtimes_can_run *can_run, void *context)
{
	const char *wanted = runtimes_named(called);

	for (size_t i = 0; i < config->n_runtimes; i++) {
		const char *path = config->runtimes[i];

		if ((!wanted || strcmp(text_base_name(path), wanted) == 0) &&
		    can_run(context, path))
			return path;
	}
	return wanted ? find_installed(arena, wanted, can_run, context) : NULL;
}
