/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/state_dir.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/names.h"
#include "core/base/rootless.h"

/*
 * podman gives XDG_RUNTIME_DIR to each runtime that it starts, directly or below conmon (libpod,
 * configureConmonEnv), and crun keeps its own state there (libcrun/status.c). An engine of root's
 * has none, and is asked nothing more.
 */
const char *state_dir_find(struct arena *arena, const struct config *config)
{
	const char *own = getenv("XDG_RUNTIME_DIR");

	if (!own || own[0] != '/' || strcmp(config->state_dir, CONFIG_STATE_DIR) != 0 ||
	    !rootless())
		return config->state_dir;
	return arena_printf(arena, "%s/" HOOK_NAME, own);
}
