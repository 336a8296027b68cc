/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/owner.h"
#include "hook/shim/record.h"
#include "hook/shim/serve.h"

/* Without --force the runtime refuses to delete a container that runs: it keeps its record then. */
void serve_delete(struct shim *shim)
{
	const char *state_dir = shim->container.config.state_dir;
	struct record record;
	struct err ignored;
	bool exists;

	if (shim->args.force ||
	    record_load(&shim->container.arena, state_dir, &shim->key, &record, &exists,
			&ignored) != 1 ||
	    !owner_runs(shim, &record))
		record_remove(state_dir, &shim->key);
}
