/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"

/* Left by a run that was killed: no two work on one file at the same time. */
static int create(int dir, const char *name)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
	int fd = fs_open(dir, name, flags, RESOLVE_BENEATH);

	if (fd == -EEXIST && unlinkat(dir, name, 0) == 0)
		fd = fs_open(dir, name, flags, RESOLVE_BENEATH);
	return fd;
}

/* Static, here and below: on the stack all of its pages would be touched, wanted or not
 * (-fstack-clash-protection). */
static int copy_attribute(int from, int to, const char *name)
{
	static char value[XATTR_SIZE_MAX];
	ssize_t size = fgetxattr(from, name, value, sizeof(value));

	if (size < 0)
		return -errno;
	return fsetxattr(to, name, value, (size_t)size, 0) < 0 ? -errno : 0;
}

/* A hash of the old content would be a lie about the new. */
static bool is_hash(const char *name)
{
	return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0;
}

/* The SELinux label must be right, or nobody may read the file; others are copied where that is
 * allowed. */
static int copy_attributes(int from, int to)
{
	static char names[XATTR_LIST_MAX];
	ssize_t len = flistxattr(from, names, sizeof(names));

	if (len < 0)
		return errno == ENOTSUP ? 0 : -errno;
	for (const char *name = names; name < names + len; name += strlen(name) + 1) {
		int status = is_hash(name) ? 0 : copy_attribute(from, to, name);

		if (status < 0 && strcmp(name, "security.selinux") == 0)
			return status;
	}
	return 0;
}

/* A caller's RLIMIT_FSIZE is to be an error (EFBIG), not our death: whoever is behind us must still
 * start. */
static int write_all(int fd, const struct replacement *new)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction before;
	int status;

	if (sigaction(SIGXFSZ, &ignore, &before) < 0)
		return -errno;
	status = fs_write(fd, new->bytes, new->len);
	(void)sigaction(SIGXFSZ, &before, NULL);
	return status;
}

static int fill(int fd, const struct replacement *new)
{
	int status = write_all(fd, new);

	if (status == 0 && new->attributes >= 0)
		status = copy_attributes(new->attributes, fd);
	if (status < 0)
		return status;
	if (fchown(fd, new->uid, new->gid) < 0 || fchmod(fd, new->mode) < 0 ||
	    (new->sync &&fsync(fd) < 0))
		return -errno;
	return 0;
}

int replace_file(int dir, const struct replacement *new, const char *what, struct stat *ret_stat,
		 struct err *err)
{
	cleanup_fd fd = create(dir, new->temporary);
	int status = fd < 0 ? fd : fill(fd, new);

	if (status == 0 && ret_stat && fstat(fd, ret_stat) < 0)
		status = -errno;
	if (status == 0 && renameat(dir, new->temporary, dir, new->name) < 0)
		status = -errno;
	if (status == 0)
		return 0;
	if (fd >= 0)
		(void)unlinkat(dir, new->temporary, 0);
	return err_sys(err, -status, "cannot write %s", what);
}
