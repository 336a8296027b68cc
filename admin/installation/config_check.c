/* SPDX-License-Identifier: Apache-2.0 */

#include "admin/installation/config_check.h"

#include <stdbool.h>
#include <string.h>

#include "admin/engine/program.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/policy/policy.h"
#include "core/policy/runtimes.h"
#include "lib/files.h"

static bool is_own_program(int sysroot, const char *path)
{
	return is_shim_name(path) || strcmp(text_base_name(path), HOOK_NAME) == 0 ||
	       program_is_called(sysroot, path, SHIM_NAME) ||
	       program_is_called(sysroot, path, HOOK_NAME);
}

int runtimes_check(struct arena *arena, int sysroot, struct err *err)
{
	bool found = !tree_exists(sysroot, "usr/bin");
	struct runtimes runtimes;

	if (runtimes_read(arena, sysroot, &runtimes, err) < 0)
		return -1;
	for (size_t i = 0; i < runtimes.n; i++) {
		if (is_own_program(sysroot, runtimes.path[i]))
			return err_set(err,
				       "/" RUNTIMES_PATH
				       ": %.128s is the shim itself: name crun or runc",
				       runtimes.path[i]);
		found |= program_exists(sysroot, runtimes.path[i]);
	}
	if (found || !runtimes.path)
		return 0;
	if (!runtimes.n)
		return err_set(err, "/" RUNTIMES_PATH
				    ": names no runtime, so that the shim could run no "
				    "container: name crun or runc, or remove the file");
	return err_set(err,
		       "/" RUNTIMES_PATH ": none of these programs can be run (%.128s): name one "
		       "that is installed",
		       runtimes.path[0]);
}

int config_check(const struct config *config, struct err *err)
{
	if (!config->n_namespaces)
		return err_set(err,
			       "%s: line %zu: namespaces: the list is empty, so that no container "
			       "is ever granted anything: name namespaces, or \"*\" for all",
			       config->path, config->namespaces_line);
	return 0;
}
