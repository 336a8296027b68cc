/* SPDX-License-Identifier: Apache-2.0 */
/* What others have made: no regular file perhaps, or a directory without end */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"

int fs_reopen_regular(int path)
{
	char again[32];
	struct stat st;
	int fd;

	if (fstat(path, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	(void)snprintf(again, sizeof(again), "/proc/self/fd/%d", path);
	/* A lease on a file makes an open(2) without O_NONBLOCK wait for 45 s
	 * (/proc/sys/fs/lease-break-time), and a container's own files are read here. */
	fd = open(again, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	/* The file exists, but cannot be read without /proc (a package's script in its own root):
	 * do not report it as absent. */
	if (fd < 0)
		return errno == ENOENT ? -ENOSYS : -errno;
	return fd;
}

int fs_open_regular(int dir, const char *name)
{
	cleanup_fd path = fs_open(dir, name, O_PATH | O_NOFOLLOW, RESOLVE_BENEATH);

	return path < 0 ? path : fs_reopen_regular(path);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int tree_list(struct arena *arena, int root, const char *path, const char *suffix,
	      const char ***ret_names)
{
	cleanup_fd fd = fs_open(root, path, O_RDONLY | O_DIRECTORY, RESOLVE_IN_ROOT);
	cleanup_dir *dir = fd < 0 ? NULL : fdopendir(fd);
	const char **names = NULL;
	const char **name;
	size_t n = 0;
	size_t room = 0;
	struct dirent *entry;

	if (fd >= 0 && !dir) {
		arena->failed = true;
		return -1;
	}
	(void)take_fd(&fd); /* the stream's now */
	while (dir && n < TREE_NAMES_MAX && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    !text_ends_with(entry->d_name, suffix))
			continue;
		name = arena_push(arena, names, n, room);
		if (!name || !(*name = arena_strdup(arena, entry->d_name)))
			return -1;
	}
	if (n)
		qsort(names, n, sizeof(*names), compare_names);
	*ret_names = names;
	return (int)n;
}
