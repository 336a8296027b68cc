/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/cleanup.h"

/* A directory that somebody else fills */
#define NAMES_MAX 4096

static int open_regular(int root, const char *path)
{
	cleanup_fd held = fs_open(root, path, O_PATH, RESOLVE_IN_ROOT);

	return held < 0 ? held : fs_reopen_regular(held);
}

int file_read(struct arena *arena, int root, const char *path, size_t max, struct fs_text *ret_text)
{
	cleanup_fd fd = open_regular(root, path);
	struct err err;
	bool more;

	if (fd < 0)
		return fd;
	errno = 0;
	if (fs_read_up_to(arena, fd, max, path, ret_text, &more, &err) < 0)
		return errno ? -errno : -ENOMEM;
	return more ? -EFBIG : 0;
}

ssize_t file_line(int root, const char *path, char *line, size_t size)
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

char *file_next_line(char **rest)
{
	char *line = *rest;
	char *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	*rest = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	return line;
}

int file_executable(int root, const char *path)
{
	cleanup_fd fd = fs_open(root, path, O_PATH, RESOLVE_IN_ROOT);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) && (st.st_mode & 0111) ? 0 : -EACCES;
}

bool file_exists(int root, const char *path)
{
	cleanup_fd fd = fs_open(root, path, O_PATH, RESOLVE_IN_ROOT);

	return fd >= 0;
}

int file_open_dir(int root, const char *path)
{
	return fs_open(root, path, O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int file_list(struct arena *arena, int root, const char *path, const char *suffix,
	      const char ***ret_names)
{
	cleanup_dir *dir = NULL;
	const char **names = NULL;
	size_t n = 0;
	size_t room = 0;
	struct dirent *entry;

	if (fs_open_dir(root, path, &dir) < 0)
		return -1;
	while (dir && n < NAMES_MAX && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);
		size_t end = strlen(suffix);

		if (entry->d_name[0] == '.' || len < end ||
		    strcmp(entry->d_name + len - end, suffix) != 0)
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
