/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static int check(int fd, bool directory, const char *what, const char *part, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s: %s", what, part);
	if (!directory && !S_ISREG(st.st_mode))
		return err_set(err, "%s: not a regular file", what);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return err_set(err, "%s: %s belongs to uid %u, not to root: chown root it", what,
			       part, st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(directory && st.st_mode & S_ISVTX))
		return err_set(err, "%s: %s is writable by others (mode %04o): chmod go-w it", what,
			       part, st.st_mode & 07777U);
	return 0;
}

static int open_part(int dir, const char *part, bool directory)
{
	int flags = O_NOFOLLOW | O_CLOEXEC;

	flags |= directory ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK | O_NOCTTY;
	return openat(dir, part, flags);
}

int trust_open(int dir, const char *path, const char *what, struct err *err)
{
	cleanup_fd held = -1;
	char parts[PATH_MAX];
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
		next = held < 0 ? -1 : open_part(held, part, directory);
		if (next < 0 && errno == ENOENT) {
			(void)err_sys(err, ENOENT, "%s", what);
			return -ENOENT;
		}
		if (next < 0 && (errno == ELOOP || errno == ENOTDIR))
			return err_set(err, "%s: %s is a symbolic link or no directory", what,
				       part);
		if (next < 0)
			return err_sys(err, errno, "%s: %s", what, part);
		cleanup_close_fd(&held);
		held = next;
		if (check(held, directory, what, part, err) < 0)
			return -1;
	}
	return take_fd(&held);
}
