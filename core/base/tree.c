/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"

static int open_regular(int root, const char *path)
{
	cleanup_fd held = fs_open(root, path, O_PATH, RESOLVE_IN_ROOT);

	return held < 0 ? held : fs_reopen_regular(held);
}

static int read_held(struct arena *arena, int fd, const char *path, size_t max,
		     struct fs_text *ret_text)
{
	struct err err;
	bool more;

	errno = 0;
	if (fs_read_up_to(arena, fd, max, path, ret_text, &more, &err) < 0)
		return errno ? -errno : -ENOMEM;
	return more ? -EFBIG : 0;
}

int tree_read(struct arena *arena, int root, const char *path, size_t max, struct fs_text *ret_text)
{
	cleanup_fd fd = open_regular(root, path);

	return fd < 0 ? fd : read_held(arena, fd, path, max, ret_text);
}

int tree_open_stored(int root, const char *path)
{
	cleanup_fd held = fs_open(root, path, O_PATH, RESOLVE_IN_ROOT);

	if (held < 0)
		return held;
	return fs_is_stored(held) ? fs_reopen_regular(held) : -EINVAL;
}

int tree_read_stored(struct arena *arena, int root, const char *path, size_t max,
		     struct fs_text *ret_text)
{
	cleanup_fd fd = tree_open_stored(root, path);

	return fd < 0 ? fd : read_held(arena, fd, path, max, ret_text);
}

ssize_t tree_read_line(int root, const char *path, char *line, size_t size)
{
	cleanup_fd fd = open_regular(root, path);
	ssize_t n;
	char *end;

	if (fd < 0)
		return fd;
	do
		n = read(fd, line, size - 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	line[n] = '\0';
	end = strchr(line, '\n');
	n = end ? end - line : (ssize_t)strlen(line);
	while (n > 0 && (line[n - 1] == ' ' || line[n - 1] == '\r'))
		n--;
	line[n] = '\0';
	return n;
}

int tree_check_executable(int root, const char *path)
{
	cleanup_fd fd = fs_open(root, path, O_PATH, RESOLVE_IN_ROOT);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) && (st.st_mode & 0111) ? 0 : -EACCES;
}

bool tree_exists(int root, const char *path)
{
	cleanup_fd fd = fs_open(root, path, O_PATH, RESOLVE_IN_ROOT);

	return fd >= 0;
}

int tree_open_entries(int root, const char *path, DIR **ret_dir)
{
	cleanup_fd fd = fs_open(root, path, O_RDONLY | O_DIRECTORY, RESOLVE_IN_ROOT);

	*ret_dir = fd < 0 ? NULL : fdopendir(fd);
	if (!*ret_dir)
		return fd < 0 ? fd : -ENOMEM;
	(void)take_fd(&fd); /* the stream's now */
	return 0;
}

int tree_open_listing(int root, const char *path, DIR **ret_dir)
{
	return tree_open_entries(root, path, ret_dir) == -ENOMEM ? -1 : 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int list(struct arena *arena, int root, const char *path, const char *suffix, bool hidden,
		const char ***ret_names)
{
	cleanup_dir *dir = NULL;
	const char **names = NULL;
	size_t n = 0;
	size_t room = 0;
	struct dirent *entry;

	if (tree_open_listing(root, path, &dir) < 0)
		return -1;
	while (dir && n < TREE_NAMES_MAX && (entry = readdir(dir))) {
		if ((entry->d_name[0] == '.' && !hidden) || strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0 || !text_ends_with(entry->d_name, suffix))
			continue;
		names = arena_grow(arena, names, n, &room, sizeof(*names));
		if (!names || !(names[n] = arena_strdup(arena, entry->d_name)))
			return -1;
		n++;
	}
	if (n)
		qsort(names, n, sizeof(*names), compare_names);
	*ret_names = names;
	return (int)n;
}

int tree_list_all(struct arena *arena, int root, const char *path, const char *suffix,
		  const char ***ret_names)
{
	return list(arena, root, path, suffix, true, ret_names);
}

int tree_list(struct arena *arena, int root, const char *path, const char *suffix,
	      const char ***ret_names)
{
	return list(arena, root, path, suffix, false, ret_names);
}
