/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/rootless.h"
#include "core/base/text.h"

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
		err_sys(err, -dir, "/%s", path);
		return dir == -ENOENT ? -ENOENT : -1;
	}
	if (!trust_is_roots_alone(dir))
		return err_set(err,
			       "/%s must belong to root alone: run chown root and chmod 0700 on it",
			       path);
	return steal_fd(&dir);
}

int trust_make_dir(const char *sysroot, const char *path, struct err *err)
{
	cleanup_fd root = tree_open_root(sysroot, err);
	int dir = root < 0 ? -1 : trust_open_dir(root, path, err);
	struct stat st;

	/* The kubelet creates a hostPath's directory with mode 0755. */
	if (dir >= 0 && fstat(dir, &st) == 0 && st.st_mode & (S_IRWXG | S_IRWXO))
		(void)fchmod(dir, S_IRWXU);
	if (dir != -ENOENT)
		return dir;
	for (const char *end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
		char name[NAME_MAX + 1];
		char parent[NAME_MAX + 1];
		cleanup_fd fd = -1;

		snprintf(parent, sizeof(parent), "%.*s", (int)(end - path), path);
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(end + 1, "/"), end + 1);
		fd = fs_open(root, parent, O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);
		if (fd >= 0 && mkdirat(fd, name, 0700) < 0 && errno != EEXIST)
			return err_sys(err, errno, "/%s", path);
	}
	return trust_open_dir(root, path, err);
}

int path_part_error(int errnum, const char *what, const char *part, struct err *err)
{
	if (strcmp(text_base_name(what), part) == 0)
		err_sys(err, errnum, "%s", what);
	else
		err_sys(err, errnum, "%s: %s", what, part);
	return errnum == ENOENT ? -ENOENT : -1;
}

/* For unmapped owners (the kernel's highuid.h) */
#define OVERFLOW_UID ((uid_t)65534)

int check_path_part(int fd, bool directory, bool in_etc, const char *what, const char *part,
		    struct err *err)
{
	struct stat st;
	bool unmapped;

	if (fstat(fd, &st) < 0)
		return path_part_error(errno, what, part, err);
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
	static char parts[PATH_MAX];
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
			return path_part_error(errno, what, part, err);
		cleanup_close_fd(&held);
		held = next;
		if (check_path_part(held, directory, in_etc, what, part, err) < 0)
			return -1;
	}
	return steal_fd(&held);
}
