/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/installation/installation.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "admin/engine/engine.h"
#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"

static bool is_our_name(const char *path)
{
	return names_shim(path) || strcmp(text_base_name(path), HOOK_NAME) == 0;
}

/* By its name, or by that of what a link leads to */
static bool is_ours(int sysroot, const char *path)
{
	cleanup_fd fd = fs_open(sysroot, path, O_PATH, RESOLVE_IN_ROOT);
	char target[PATH_MAX];

	return is_our_name(path) ||
	       (fd >= 0 && fs_path_of(fd, target, sizeof(target)) > 0 && is_our_name(target));
}

static bool has_programs(int sysroot)
{
	cleanup_fd fd = fs_open(sysroot, "usr/bin", O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);

	return fd >= 0;
}

static int check_runtimes(int sysroot, const struct config *config, struct err *err)
{
	bool found = !has_programs(sysroot);

	if (!config->n_runtimes)
		return err_set(err,
			       "%s: line %zu: runtimes: the list is empty, so that the shim could "
			       "run no container: name crun or runc, or remove the key",
			       config->path, config->runtimes_line);
	for (size_t i = 0; i < config->n_runtimes; i++) {
		if (is_ours(sysroot, config->runtimes[i]))
			return err_set(err,
				       "%s: line %zu: runtimes[%zu]: %.128s is the shim itself: "
				       "name crun or runc",
				       config->path, config->runtimes_line, i, config->runtimes[i]);
		found |= program_exists(sysroot, config->runtimes[i]);
	}
	if (found)
		return 0;
	return err_set(err,
		       "%s: line %zu: runtimes: none of these programs can be run (%.128s): name "
		       "one that is installed",
		       config->path, config->runtimes_line, config->runtimes[0]);
}

int config_check(int sysroot, const struct config *config, struct err *err)
{
	if (!config->n_namespaces)
		return err_set(err,
			       "%s: line %zu: namespaces: the list is empty, so that no container "
			       "is ever granted anything: name namespaces, or \"*\" for all",
			       config->path, config->namespaces_line);
	return config->runtimes_line ? check_runtimes(sysroot, config, err) : 0;
}
