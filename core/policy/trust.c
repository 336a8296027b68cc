/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policy/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

int trust_fail(int errnum, const char *what, const char *part, struct err *err)
{
	if (strcmp(text_base_name(what), part) == 0)
		return err_sys(err, errnum, "%s", what);
	return err_sys(err, errnum, "%s: %s", what, part);
}

static int fail_owner(uid_t uid, const char *what, const char *part, struct err *err)
{
	if (uid == OVERFLOW_UID && rootless())
		return err_set(
			err,
			"%s: the owner of %s is not mapped into this user namespace; a rootless "
			"engine trusts such a file only if it is the policy in /etc",
			what, part);
	return err_set(err, "%s: %s belongs to uid %u, not to root: run chown root on it", what,
		       part, uid);
}

int trust_check(int fd, bool directory, bool in_etc, const char *what, const char *part,
		struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return trust_fail(errno, what, part, err);
	if (!directory && !S_ISREG(st.st_mode))
		return err_set(err, "%s: not a regular file", what);
	if (st.st_uid != 0 && st.st_uid != geteuid() &&
	    !(in_etc && st.st_uid == OVERFLOW_UID && rootless()))
		return fail_owner(st.st_uid, what, part, err);
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(directory && st.st_mode & S_ISVTX))
		return err_set(err,
			       "%s: %s is writable by others (mode %04o): run chmod go-w on it",
			       what, part, st.st_mode & 07777U);
	return 0;
}

int trust_open(int dir, const char *path, bool in_etc, const char *what, struct err *err)
{
	cleanup_fd held = -1;
	static char parts[PATH_MAX]; /* as copy_attribute of base/replace.c has it */
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
		if (next < 0 && errno == ENOENT) {
			(void)err_sys(err, ENOENT, "%s", what);
			return -ENOENT;
		}
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
