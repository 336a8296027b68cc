/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

/* A wrong SELinux label makes the file unreadable; other attributes are best effort. */
static int copy_attributes(int from, int to)
{
	/* Static: -fstack-clash-protection would touch every stack page. */
	static char names[XATTR_LIST_MAX];
	static char value[XATTR_SIZE_MAX];
	ssize_t len = flistxattr(from, names, sizeof(names));

	if (len < 0)
		return errno == ENOTSUP ? 0 : -errno;
	for (const char *name = names; name < names + len; name += strlen(name) + 1) {
		ssize_t size;

		/* Signatures of the old content */
		if (strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0)
			continue;
		size = fgetxattr(from, name, value, sizeof(value));
		if ((size < 0 || fsetxattr(to, name, value, (size_t)size, 0) < 0) &&
		    strcmp(name, "security.selinux") == 0)
			return -errno;
	}
	return 0;
}

static int fill(int fd, const struct replacement *file)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction before;
	int status;

	/* Turn RLIMIT_FSIZE into EFBIG: the container must still start. */
	(void)sigaction(SIGXFSZ, &ignore, &before);
	status = fs_write(fd, file->bytes, file->len);
	(void)sigaction(SIGXFSZ, &before, NULL);
	if (status == 0 && file->attributes)
		status = copy_attributes(*file->attributes, fd);
	if (status < 0)
		return status;
	if ((file->owner && fchown(fd, file->owner->st_uid, file->owner->st_gid) < 0) ||
	    fchmod(fd, file->mode) < 0 || (file->sync && fsync(fd) < 0))
		return -errno;
	return 0;
}

/* Temporary names are random: in /tmp (CRI-O's process.json) users could create a known one, and
 * two runs must not share one. */
static int replace(int dir, const struct replacement *file, bool named)
{
	char temporary[32];
	char path[32];
	uint64_t number;
	cleanup_fd fd = -1;
	int status;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		return -EAGAIN;
	snprintf(temporary, sizeof(temporary), ".oci-rdma-hook.%016" PRIx64, number);
	fd = named ? fs_open(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
			     RESOLVE_BENEATH)
		   : fs_open(dir, ".", O_WRONLY | O_TMPFILE, RESOLVE_BENEATH);
	if (fd < 0)
		return fd;
	status = fill(fd, file);
	/* AT_EMPTY_PATH would need CAP_DAC_READ_SEARCH (open(2), O_TMPFILE). */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (status == 0 &&
	    ((!named && linkat(AT_FDCWD, path, dir, temporary, AT_SYMLINK_FOLLOW) < 0) ||
	     renameat(dir, temporary, dir, file->name) < 0))
		status = -errno;
	if (status < 0)
		(void)unlinkat(dir, temporary, 0);
	return status;
}

static int replace_by_any_way(int dir, const struct replacement *file)
{
	int status = replace(dir, file, false);

	/* Unnamed files: overlay since Linux 6.3, NFS never */
	return status < 0 ? replace(dir, file, true) : status;
}

int replace_file(int dir, const struct replacement *file, const char *what, struct err *err)
{
	int status = replace_by_any_way(dir, file);

	/* Only mapped ids can create files in an idmapped mount (podman run --rootfs DIR:idmap;
	 * fs/namei.c, may_o_create): retry as the owner. */
	if (status == -EOVERFLOW && file->owner) {
		int gid = setfsgid(file->owner->st_gid);
		int uid = setfsuid(file->owner->st_uid);

		status = replace_by_any_way(dir, file);
		(void)setfsuid((uid_t)uid);
		(void)setfsgid((gid_t)gid);
	}
	return status < 0 ? err_sys(err, -status, "cannot write %s", what) : 0;
}
