/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/text.h"

void cleanup_close_fd(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

void cleanup_close_dir(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

int fs_open(int dir, const char *path, int flags, uint64_t resolve)
{
	bool creates = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
	struct open_how how = {
		.flags = (uint64_t)(unsigned)flags | O_CLOEXEC,
		.mode = creates ? 0600 : 0,
		.resolve = resolve | RESOLVE_NO_MAGICLINKS,
	};

	/* openat2 rejects these beside O_PATH. */
	if (!(flags & O_PATH))
		how.flags |= O_NONBLOCK | O_NOCTTY;
	/* With RESOLVE_IN_ROOT any rename can cause EAGAIN. */
	for (int tries = 0; tries < 128; tries++) {
		long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
		if (fd >= 0)
			return (int)fd;
		if (errno != EINTR && errno != EAGAIN)
			break;
	}
	return -errno;
}

int tree_open_root(const char *path, struct err *err)
{
	/* Not open(2): musl sets FD_CLOEXEC by another system call. */
	int root = openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return root < 0 ? err_sys(err, errno, "sysroot %s", path) : root;
}

int tree_open_dir(int root, const char *path)
{
	return fs_open(root, path, O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);
}

static ssize_t read_some(int fd, char *bytes, size_t size, bool line)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, bytes + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		len += (size_t)n;
		if (n == 0 || (line && memchr(bytes + len - n, '\n', (size_t)n)))
			break;
	}
	return (ssize_t)len;
}

int fs_read_up_to(struct arena *arena, int fd, size_t max, const char *what,
		  struct fs_text *ret_text, struct err *err)
{
	struct fs_text text = {0};
	size_t capacity = 4096;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", what);
	/* A byte beyond st_size shows growth; pipes and procfs files (size 0) double the buffer. */
	if (S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size < (off_t)max)
		capacity = (size_t)st.st_size + 1;
	for (;; capacity *= 2) {
		char *larger = arena_alloc(arena, capacity + 1);
		ssize_t n;

		if (!larger)
			return err_memory(err);
		if (text.len)
			memcpy(larger, text.bytes, text.len);
		n = read_some(fd, larger + text.len, capacity - text.len, false);
		if (n < 0)
			return err_sys(err, (int)-n, "%s", what);
		text = (struct fs_text){larger, text.len + (size_t)n};
		if (text.len < capacity || text.len > max)
			break;
	}
	*ret_text = text;
	return 0;
}

static int err_too_large(struct err *err, const char *what, size_t max)
{
	return err_set(err, "%s: larger than %zu bytes, which is the limit", what, max);
}

int fs_read(struct arena *arena, int fd, size_t max, const char *what, struct fs_text *ret_text,
	    struct err *err)
{
	struct fs_text text;

	if (fs_read_up_to(arena, fd, max, what, &text, err) < 0)
		return -1;
	if (text.len > max)
		return err_too_large(err, what, max);
	*ret_text = text;
	return 0;
}

int fs_read_regular(struct arena *arena, int fd, size_t max, const char *what,
		    struct fs_text *ret_text, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", what);
	if (!S_ISREG(st.st_mode))
		return err_set(err, "%s: not a regular file", what);
	if (st.st_size > (off_t)max)
		return err_too_large(err, what, max);
	return fs_read(arena, fd, max, what, ret_text, err);
}

ssize_t fs_read_line(int dir, const char *path, char *line, size_t size)
{
	cleanup_fd fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n;
	char *end;

	if (fd < 0)
		return -errno;
	n = read_some(fd, line, size, true);
	if (n < 0)
		return n;
	end = memchr(line, '\n', (size_t)n);
	if (!end && (size_t)n == size)
		return -EMSGSIZE;
	if (end)
		n = end - line;
	line[n] = '\0';
	return n;
}

ssize_t fs_read_link(int dir, const char *path, char *target, size_t size)
{
	ssize_t n = readlinkat(dir, path, target, size);

	if (n < 0)
		return -errno;
	if ((size_t)n == size)
		return -ENAMETOOLONG;
	target[n] = '\0';
	return n;
}

int fs_write(int fd, const void *bytes, size_t len)
{
	for (const char *left = bytes; len;) {
		ssize_t n = write(fd, left, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		left += n;
		len -= (size_t)n;
	}
	return 0;
}

void fs_open_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", O_RDWR | O_CLOEXEC);
	}
}

bool fs_is_own_root(int dir)
{
	struct stat own;
	struct stat other;

	return stat("/", &own) < 0 || fstat(dir, &other) < 0 ||
	       (own.st_dev == other.st_dev && own.st_ino == other.st_ino);
}

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
	snprintf(again, sizeof(again), "/proc/self/fd/%d", path);
	/* Without O_NONBLOCK a lease on a container's file blocks open(2) for 45 s
	 * (/proc/sys/fs/lease-break-time). */
	fd = open(again, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	/* ENOENT: /proc is not mounted (in a package's script). */
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
	(void)steal_fd(&fd);
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
