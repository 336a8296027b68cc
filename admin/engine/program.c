/* SPDX-License-Identifier: Apache-2.0 */

#include "admin/engine/program.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "lib/files.h"

bool program_exists(int root, const char *path)
{
	return tree_check_executable(root, path) == 0;
}

const char *program_find(struct arena *arena, int root, const char *name)
{
	static const char *const dirs[] = {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
					   "/usr/bin", NULL};

	for (const char *const *dir = dirs; *dir; dir++) {
		const char *path = arena_printf(arena, "%s/%s", *dir, name);

		if (path && program_exists(root, path))
			return path;
	}
	return NULL;
}

bool program_is_called(int root, const char *path, const char *beginning)
{
	cleanup_fd fd = fs_open(root, path, O_PATH, RESOLVE_IN_ROOT);
	char real[PATH_MAX];
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return fd >= 0 && fs_read_link(AT_FDCWD, link, real, sizeof(real)) >= 0 &&
	       text_starts_with(text_base_name(real), beginning);
}

bool program_is_same(int root, const char *a, const char *b)
{
	cleanup_fd one = fs_open(root, a, O_PATH, RESOLVE_IN_ROOT);
	cleanup_fd other = fs_open(root, b, O_PATH, RESOLVE_IN_ROOT);

	return one >= 0 && other >= 0 && fs_same_file(one, other);
}
