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

	/* O_PATH takes no other flag but O_DIRECTORY and O_NOFOLLOW: openat2 would refuse it. */
	if (!(flags & O_PATH))
		how.flags |= O_NONBLOCK | O_NOCTTY;
	/* With RESOLVE_IN_ROOT a rename anywhere on the node can make one look-up fail with EAGAIN.
	 */
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
	/* Not open(2): musl's open(2) sets FD_CLOEXEC by a second system call as well. */
	int root = openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return root < 0 ? err_sys(err, errno, "sysroot %s", path) : root;
}

int tree_open_dir(int root, const char *path)
{
	return fs_open(root, path, O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);
}

/* Reads up to size bytes, or to the end of a line if only that is wanted. */
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
	/* Room for a file of known size, and for one more byte to notice growth. For a pipe, or a
	 * file of procfs (size 0), the buffer doubles. */
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

int fs_read(struct arena *arena, int fd, size_t max, const char *what, struct fs_text *ret_text,
	    struct err *err)
{
	struct fs_text text;

	if (fs_read_up_to(arena, fd, max, what, &text, err) < 0)
		return -1;
	if (text.len > max)
		return err_set(err, "%s: larger than %zu bytes, which is the limit", what, max);
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
	char map[128];

	if (geteuid() != 0)
		return true;
	/* If there are several lines, the first will do: the first namespace has one, which maps
	 * all. */
	return !fs_in_first_user_namespace() &&
	       fs_read_line(AT_FDCWD, "/proc/self/uid_map", map, sizeof(map)) >= 0 &&
	       !strstr(map, "4294967295");
}

/* ---- files that grant something ---- */

bool trust_is_roots_alone(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid()) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

int trust_open_dir(int root, const char *path, struct err *err)
{
	cleanup_fd dir = fs_open(root, path, O_RDONLY | O_DIRECTORY, RESOLVE_IN_ROOT);

	if (dir < 0) {
		(void)err_sys(err, -dir, "/%s", path);
		return dir == -ENOENT ? -ENOENT : -1;
	}
	if (!trust_is_roots_alone(dir))
		return err_set(err,
			       "/%s must belong to root alone: run chown root and chmod 0700 on it",
			       path);
	return take_fd(&dir);
}

int trust_make_dir(const char *sysroot, const char *path, struct err *err)
{
	cleanup_fd root = tree_open_root(sysroot, err);
	int dir = root < 0 ? -1 : trust_open_dir(root, path, err);
	struct stat st;

	/* The kubelet makes a hostPath's directory with mode 0755. */
	if (dir >= 0 && fstat(dir, &st) == 0 && st.st_mode & (S_IRWXG | S_IRWXO))
		(void)fchmod(dir, S_IRWXU);
	if (dir != -ENOENT)
		return dir;
	for (const char *end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
		char name[NAME_MAX + 1];
		char parent[NAME_MAX + 1]; /* our own paths are short */
		cleanup_fd fd = -1;

		(void)snprintf(parent, sizeof(parent), "%.*s", (int)(end - path), path);
		(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(end + 1, "/"), end + 1);
		fd = fs_open(root, parent, O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);
		if (fd >= 0 && mkdirat(fd, name, 0700) < 0 && errno != EEXIST)
			return err_sys(err, errno, "/%s", path);
	}
	return trust_open_dir(root, path, err);
}

int trust_fail(int errnum, const char *what, const char *part, struct err *err)
{
	if (strcmp(text_base_name(what), part) == 0)
		(void)err_sys(err, errnum, "%s", what);
	else
		(void)err_sys(err, errnum, "%s: %s", what, part);
	return errnum == ENOENT ? -ENOENT : -1;
}

/* The owner of what the user namespace has no id for (the kernel's highuid.h) */
#define OVERFLOW_UID ((uid_t)65534)

int trust_check(int fd, bool directory, bool in_etc, const char *what, const char *part,
		struct err *err)
{
	struct stat st;
	bool unmapped;

	if (fstat(fd, &st) < 0)
		return trust_fail(errno, what, part, err);
	if (!directory && !S_ISREG(st.st_mode))
		return err_set(err, "%s: not a regular file", what);
	unmapped = st.st_uid == OVERFLOW_UID && st.st_uid != geteuid() && rootless();
	if (unmapped && !in_etc)
		return err_set(
			err,
			"%s: the owner of %s is not mapped into this user namespace; a "
			"rootless engine trusts such a file only if it is the policy in /etc",
			what, part);
	if (!unmapped && st.st_uid != 0 && st.st_uid != geteuid())
		return err_set(err, "%s: %s belongs to uid %u, not to root: run chown root on it",
			       what, part, st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(directory && st.st_mode & S_ISVTX))
		return err_set(err,
			       "%s: %s is writable by others (mode %04o): run chmod go-w on it",
			       what, part, st.st_mode & 07777U);
	return 0;
}

int trust_open(int dir, const char *path, bool in_etc, const char *what, struct err *err)
{
	cleanup_fd held = -1;
	static char parts[PATH_MAX]; /* a caller's stack may be small */
	char *rest = parts;
	char *part;

	if (strlen(path) >= sizeof(parts))
		return err_sys(err, ENAMETOOLONG, "%s", what);
	strcpy(parts, path);
	held = openat(dir, path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	while ((part = strsep(&rest, "/"))) {
		bool directory = rest != NULL;
		int next;

		if (directory && !part[0])
			continue;
		next = held < 0 ? -1
				: openat(held, part,
					 O_NOFOLLOW | O_CLOEXEC |
						 (directory ? O_PATH | O_DIRECTORY
							    : O_RDONLY | O_NONBLOCK | O_NOCTTY));
		if (next < 0 && (errno == ELOOP || errno == ENOTDIR))
			return err_set(err, "%s: %s is a symbolic link or not a directory", what,
				       part);
		if (next < 0)
			return trust_fail(errno, what, part, err);
		cleanup_close_fd(&held);
		held = next;
		if (trust_check(held, directory, in_etc, what, part, err) < 0)
			return -1;
	}
	return take_fd(&held);
}
