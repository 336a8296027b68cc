/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"

int fs_open(int dir, const char *path, int flags, uint64_t resolve)
{
	bool creates = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
	struct open_how how = {
		.flags = (uint64_t)(unsigned)flags | O_CLOEXEC,
		.mode = creates ? 0600 : 0,
		.resolve = resolve | RESOLVE_NO_MAGICLINKS,
	};
	long fd;
	int tries;

	/* O_PATH takes no other flag but O_DIRECTORY and O_NOFOLLOW: openat2 would refuse it. */
	if (!(flags & O_PATH))
		how.flags |= O_NONBLOCK | O_NOCTTY;
	/* With RESOLVE_IN_ROOT a rename anywhere on the node can make one look-up fail with EAGAIN.
	 */
	for (tries = 0; tries < 128; tries++) {
		fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
		if (fd >= 0)
			return (int)fd;
		if (errno != EINTR && errno != EAGAIN)
			break;
	}
	return -errno;
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

int tree_open_root(const char *path, struct err *err)
{
	/* Not open(2): musl's open(2) sets FD_CLOEXEC by a second system call as well. */
	int root = openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return root < 0 ? err_sys(err, errno, "sysroot %s", path) : root;
}

int tree_open_dir(int root, const char *path)
{
	return fs_open(root, path, O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);
}

/* False for a file of procfs, sysfs, debugfs or tracefs, which the kernel generates on each read:
 * reading it may have side effects. */
static bool is_stored(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return false;
	return fs.f_type != PROC_SUPER_MAGIC && fs.f_type != SYSFS_MAGIC &&
	       fs.f_type != DEBUGFS_MAGIC && fs.f_type != TRACEFS_MAGIC;
}

/* Reads up to size bytes. Stops earlier at the end of the file, after enough bytes (the file's
 * known size), and, if only a line is wanted, at its end. */
static ssize_t read_some(int fd, char *bytes, size_t size, size_t enough, bool line)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, bytes + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
		if (len == enough || (line && memchr(bytes + len - n, '\n', (size_t)n)))
			break;
	}
	return (ssize_t)len;
}

/* ret_more: set if there is more than max; NULL: then that is an error */
static int read_file(struct arena *arena, int fd, bool regular, size_t max, const char *what,
		     struct fs_text *ret_text, bool *ret_more, struct err *err)
{
	struct fs_text text = {0};
	size_t enough = SIZE_MAX;
	size_t capacity = 4096;
	bool is_regular;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", what);
	is_regular = S_ISREG(st.st_mode);
	if (regular && !is_regular)
		return err_set(err, "%s: not a regular file", what);
	/* A file of known size takes one read, with room for one more byte to notice growth. For a
	 * pipe, or a file of procfs (size 0), the buffer doubles. */
	if (is_regular && st.st_size > 0 && st.st_size < (off_t)max) {
		enough = (size_t)st.st_size;
		capacity = enough + 1;
	}
	/* Do not read a file whose size already exceeds the limit. */
	text.len = is_regular && !ret_more && st.st_size > (off_t)max ? max + 1 : 0;
	while (text.len <= max) {
		char *larger = arena_alloc(arena, capacity + 1);
		ssize_t n;

		if (!larger)
			return err_memory(err);
		if (text.len)
			memcpy(larger, text.bytes, text.len);
		text.bytes = larger;
		n = read_some(fd, text.bytes + text.len, capacity - text.len, enough, false);
		if (n < 0)
			return err_sys(err, (int)-n, "%s", what);
		text.len += (size_t)n;
		text.bytes[text.len] = '\0';
		if (text.len < capacity)
			break;
		capacity *= 2;
	}
	if (ret_more)
		*ret_more = text.len > max;
	else if (text.len > max)
		return err_set(err, "%s: larger than %zu bytes, which is the limit", what, max);
	*ret_text = text;
	return 0;
}

int fs_read_up_to(struct arena *arena, int fd, size_t max, const char *what,
		  struct fs_text *ret_text, bool *ret_more, struct err *err)
{
	return read_file(arena, fd, false, max, what, ret_text, ret_more, err);
}

int fs_read(struct arena *arena, int fd, size_t max, const char *what, struct fs_text *ret_text,
	    struct err *err)
{
	return read_file(arena, fd, false, max, what, ret_text, NULL, err);
}

int fs_read_regular(struct arena *arena, int fd, size_t max, const char *what,
		    struct fs_text *ret_text, struct err *err)
{
	return read_file(arena, fd, true, max, what, ret_text, NULL, err);
}

ssize_t fs_read_line(int dir, const char *path, char *line, size_t size)
{
	cleanup_fd fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n;
	char *end;

	if (fd < 0)
		return -errno;
	n = read_some(fd, line, size, SIZE_MAX, true);
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

bool fs_same_file(int a, int b)
{
	struct stat sa;
	struct stat sb;

	return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

bool fs_is_own_root(int dir)
{
	struct stat own;
	struct stat other;

	return stat("/", &own) < 0 || fstat(dir, &other) < 0 ||
	       (own.st_dev == other.st_dev && own.st_ino == other.st_ino);
}

/* The first user namespace's number (PROC_USER_INIT_INO, the kernel's proc_ns.h) */
#define FIRST_USER_NAMESPACE "user:[4026531837]"

bool fs_in_first_user_namespace(void)
{
	char text[sizeof(FIRST_USER_NAMESPACE)];

	return fs_read_link(AT_FDCWD, "/proc/self/ns/user", text, sizeof(text)) >= 0 &&
	       strcmp(text, FIRST_USER_NAMESPACE) == 0;
}

/* Checks two things, the namespace's number and its map: /proc may be another namespace's. */
bool rootless(void)
{
	char text[128];

	if (geteuid() != 0)
		return true;
	if (fs_read_link(AT_FDCWD, "/proc/self/ns/user", text, sizeof(text)) < 0 ||
	    strncmp(text, "user:[", strlen("user:[")) != 0 ||
	    strcmp(text, FIRST_USER_NAMESPACE) == 0)
		return false;
	/* If there are several lines, the first will do: the first namespace has one, which maps
	 * all. */
	return fs_read_line(AT_FDCWD, "/proc/self/uid_map", text, sizeof(text)) >= 0 &&
	       !strstr(text, "4294967295");
}

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
	return is_stored(held) ? fs_reopen_regular(held) : -EINVAL;
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
	const char **name;
	size_t n = 0;
	size_t room = 0;
	struct dirent *entry;

	if (tree_open_listing(root, path, &dir) < 0) {
		arena->failed = true;
		return -1;
	}
	while (dir && n < TREE_NAMES_MAX && (entry = readdir(dir))) {
		if ((entry->d_name[0] == '.' && !hidden) || strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0 || !text_ends_with(entry->d_name, suffix))
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
