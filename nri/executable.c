/* SPDX-License-Identifier: Apache-2.0 */

#include "nri/executable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/fs.h"

/* What the kernel appends if the directory has another file of this name, or none (fs/d_path.c). A
 * number of device and inode would also change when a file system is mounted over the file's. */
static const char deleted[] = " (deleted)";

bool own_file_is_removed(const char *link, char *path, size_t size)
{
	ssize_t len = fs_read_link(AT_FDCWD, link, path, size);
	size_t kept = len < (ssize_t)sizeof(deleted) ? 0 : (size_t)len - (sizeof(deleted) - 1);
	struct stat st;

	if (!kept || path[0] != '/' || strcmp(path + kept, deleted) != 0)
		return false;
	path[kept] = '\0';
	return lstat(path, &st) < 0 && errno == ENOENT;
}
