/* SPDX-License-Identifier: Apache-2.0 */
#include "core/engine/program.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"

static int open_program(int root, const char *path)
{
	return fs_open(root, path, O_PATH, RESOLVE_IN_ROOT);
}

bool program_exists(int root, const char *path)
{
	cleanup_fd fd = open_program(root, path);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111);
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

bool program_is_same(int root, const char *a, const char *b)
{
	cleanup_fd one = open_program(root, a);
	cleanup_fd other = open_program(root, b);

	return one >= 0 && other >= 0 && fs_same_file(one, other);
}
