/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/leave_runtimes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "admin/engine/crio.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/stderr_line.h"
#include "core/command_line.h"
#include "core/policy/runtimes.h"
#include "lib/files.h"

/* CRI-O asks a pod's handler again after a restart, so the drop-ins stay as long as the links. "!":
 * only at boot (tmpfiles.d(5)), when no container of before is left. */
static const char tmpfiles_head[] =
	"# oci-rdma-hook was removed. Containers that were created through its shim\n"
	"# still run these links.\n";
static const char tmpfiles_tail[] = "r! /" CRIO_OWN_DROPIN "*.conf\n"
				    "r! /etc/tmpfiles.d/oci-rdma-hook.conf\n";

struct leaving {
	struct arena *arena;
	int root;
	const char *path; /* dir's, to print */
	int dir;
	struct runtimes runtimes;
};

/* As the shim does (hook/shim/shim.c, find_runtime). No name of the shim: that would be a loop. */
static const char *find_runtime(const struct leaving *leaving, const char *called)
{
	const char **path = runtimes_to_try(leaving->arena, &leaving->runtimes, called);

	while (path && *path &&
	       (is_shim_name(*path) || tree_check_executable(leaving->root, *path) < 0))
		path++;
	return path ? *path : NULL;
}

/* Returns whether a link is left, or -1 with err set. */
static int leave(const struct leaving *leaving, const char *name, struct err *err)
{
	const char *runtime = find_runtime(leaving, name);
	const char *new = arena_printf(leaving->arena, ".%s.new", name);

	if (err_of_arena(leaving->arena, err) < 0)
		return -1;
	if (!runtime) {
		/* Nor has the shim run one. */
		fprintf(stderr, ADMIN_NAME ": %s/%s: no runtime is installed, so no link is left\n",
			leaving->path, name);
		return unlinkat(leaving->dir, name, 0) < 0
			       ? err_sys(err, errno, "%s/%s", leaving->path, name)
			       : 0;
	}
	(void)unlinkat(leaving->dir, new, 0);
	if (symlinkat(runtime, leaving->dir, new) < 0 ||
	    renameat(leaving->dir, new, leaving->dir, name) < 0)
		return err_sys(err, errno, "%s/%s", leaving->path, name);
	return 1;
}

static int leave_all(struct leaving *leaving, struct err *err)
{
	const char **names;
	int n = tree_list(leaving->arena, leaving->dir, ".", "", &names);
	bool printed = false;

	if (n < 0)
		return err_memory(err);
	for (int i = 0; i < n; i++) {
		bool is_shim = strcmp(names[i], SHIM_NAME) == 0 || runtimes_named(names[i]);
		int left = is_shim ? leave(leaving, names[i], err) : 0;

		if (left < 0)
			return -1;
		if (left)
			printf("%sr! %s/%s\n", printed ? "" : tmpfiles_head, leaving->path,
			       names[i]);
		printed |= left;
	}
	if (printed)
		printf("%s", tmpfiles_tail);
	return 0;
}

int leave_runtimes(const struct options *options, const char *dir)
{
	cleanup_arena arena = {0};
	struct err err;
	cleanup_fd root = tree_open_root(options->sysroot, &err);
	cleanup_fd fd = root < 0 ? -1 : fs_open(root, dir, O_RDONLY | O_DIRECTORY, RESOLVE_IN_ROOT);
	struct leaving leaving = {.arena = &arena, .root = root, .path = dir, .dir = fd};

	if (root >= 0 && fd < 0)
		err_sys(&err, -fd, "%s", dir);
	if (root >= 0 && fd >= 0 && runtimes_read(&arena, root, &leaving.runtimes, &err) == 0 &&
	    leave_all(&leaving, &err) == 0)
		return !command_line_printed(ADMIN_NAME);
	stderr_line(ADMIN_NAME, err.text);
	return 1;
}
