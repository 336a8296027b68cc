/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/replace.h"
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

	if (fs_read_up_to(arena, fd, max, path, ret_text, &err) < 0)
		return -err.errnum;
	return ret_text->len > max ? -EFBIG : 0;
}

int tree_read(struct arena *arena, int root, const char *path, size_t max, struct fs_text *ret_text)
{
	cleanup_fd fd = open_regular(root, path);

	return fd < 0 ? fd : read_held(arena, fd, path, max, ret_text);
}

static bool is_stored(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return false;
	return fs.f_type != PROC_SUPER_MAGIC && fs.f_type != SYSFS_MAGIC &&
	       fs.f_type != DEBUGFS_MAGIC && fs.f_type != TRACEFS_MAGIC;
}

int tree_read_stored(struct arena *arena, int root, const char *path, size_t max,
		     struct fs_text *ret_text)
{
	cleanup_fd held = fs_open(root, path, O_PATH, RESOLVE_IN_ROOT);
	cleanup_fd fd = held < 0 ? held : is_stored(held) ? fs_reopen_regular(held) : -EINVAL;

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
	(void)steal_fd(&fd);
	return 0;
}

int replace_own_path(const char *path, const char *bytes, size_t len, struct err *err)
{
	const char *name = text_base_name(path);
	char parent[PATH_MAX];
	int n = snprintf(parent, sizeof(parent), "%.*s", (int)(name - path), path);
	cleanup_fd dir = -1;

	if (!name[0])
		return err_set(err, "%.256s is not a file name", path);
	if (n < 0 || (size_t)n >= sizeof(parent))
		return err_sys(err, ENAMETOOLONG, "%.256s", path);
	dir = open(n ? parent : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_sys(err, errno, "%.256s", path);
	return replace_file(
		dir, &(struct replacement){.name = name, .bytes = bytes, .len = len, .mode = 0644},
		path, err);
}

bool fs_same_file(int a, int b)
{
	struct stat sa;
	struct stat sb;

	return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}
