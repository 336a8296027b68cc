/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "core/base/fs.h"

#define TEMPORARY_SIZE 32

/*
 * CRI-O puts process.json into /tmp, where a user who could guess the name might create it first
 * and block us; and two runs on one file must not share a name.
 */
static int temporary_name(char *name, size_t size)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		return -EAGAIN;
	(void)snprintf(name, size, ".oci-rdma-hook.%016" PRIx64, number);
	return 0;
}

/* Static, here and below: on the stack, -fstack-clash-protection would touch all of its pages. */
static int copy_attribute(int from, int to, const char *name)
{
	static char value[XATTR_SIZE_MAX];
	ssize_t size = fgetxattr(from, name, value, sizeof(value));

	if (size < 0)
		return -errno;
	return fsetxattr(to, name, value, (size_t)size, 0) < 0 ? -errno : 0;
}

/* The SELinux label must be right, or nobody may read the file; other attributes are copied if that
 * is allowed. */
static int copy_attributes(int from, int to)
{
	static char names[XATTR_LIST_MAX];
	ssize_t len = flistxattr(from, names, sizeof(names));

	if (len < 0)
		return errno == ENOTSUP ? 0 : -errno;
	for (const char *name = names; name < names + len; name += strlen(name) + 1) {
		int status;

		/* These are hashes and signatures of the old content. */
		if (strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0)
			continue;
		status = copy_attribute(from, to, name);
		if (status < 0 && strcmp(name, "security.selinux") == 0)
			return status;
	}
	return 0;
}

/* A caller's RLIMIT_FSIZE must be an error (EFBIG) and not kill us: the container must still
 * start. */
static int write_all(int fd, const struct replacement *file)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction before;
	int status;

	if (sigaction(SIGXFSZ, &ignore, &before) < 0)
		return -errno;
	status = fs_write(fd, file->bytes, file->len);
	(void)sigaction(SIGXFSZ, &before, NULL);
	return status;
}

static int fill(int fd, const struct replacement *file)
{
	int status = write_all(fd, file);

	if (status == 0 && file->attributes >= 0)
		status = copy_attributes(file->attributes, fd);
	if (status < 0)
		return status;
	if (fchown(fd, file->uid, file->gid) < 0 || fchmod(fd, file->mode) < 0 ||
	    (file->sync && fsync(fd) < 0))
		return -errno;
	return 0;
}

/* If we are killed here, the kernel frees the unnamed file. */
static int create_temporary(int dir, const char *name, bool named)
{
	if (named)
		return fs_open(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
			       RESOLVE_BENEATH);
	return fs_open(dir, ".", O_WRONLY | O_TMPFILE, RESOLVE_BENEATH);
}

/* As open(2) describes under O_TMPFILE: AT_EMPTY_PATH would need CAP_DAC_READ_SEARCH. */
static int link_name(int fd, int dir, const char *name)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, dir, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

static int replace(int dir, const struct replacement *file, bool named)
{
	char temporary[TEMPORARY_SIZE];
	cleanup_fd fd = -1;
	int status = temporary_name(temporary, sizeof(temporary));

	if (status < 0)
		return status;
	fd = create_temporary(dir, temporary, named);
	if (fd < 0)
		return fd;
	status = fill(fd, file);
	if (status == 0 && !named)
		status = link_name(fd, dir, temporary);
	if (status == 0 && renameat(dir, temporary, dir, file->name) == 0)
		return 0;
	if (status == 0)
		status = -errno;
	(void)unlinkat(dir, temporary, 0);
	return status;
}

static int replace_by_any_way(int dir, const struct replacement *file)
{
	int status = replace(dir, file, false);

	/* Not every file system supports unnamed files: overlay since Linux 6.3, NFS never. */
	if (status < 0)
		status = replace(dir, file, true);
	return status;
}

/*
 * On an idmapped mount (podman run --rootfs DIR:idmap) only ids that it maps make files
 * (fs/namei.c, may_o_create), and the node's root is none of them. The file's owner is.
 */
static int replace_as_owner(int dir, const struct replacement *file)
{
	int gid = setfsgid(file->gid);
	int uid = setfsuid(file->uid);
	int status = replace_by_any_way(dir, file);

	(void)setfsuid((uid_t)uid);
	(void)setfsgid((gid_t)gid);
	return status;
}

int replace_file(int dir, const struct replacement *file, const char *what, struct err *err)
{
	int status = replace_by_any_way(dir, file);

	if (status == -EOVERFLOW)
		status = replace_as_owner(dir, file);
	return status < 0 ? err_sys(err, -status, "cannot write %s", what) : 0;
}

int replace_own(int dir, const struct replacement *file, const char *what, struct err *err)
{
	struct replacement own = *file;

	own.uid = geteuid();
	own.gid = getegid();
	own.attributes = -1;
	return replace_file(dir, &own, what, err);
}
