/* SPDX-License-Identifier: Apache-2.0 */

#include "nri/executable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/fs.h"

/* Appended by the kernel if our entry is gone or replaced (fs/d_path.c). st_dev and st_ino also
 * differ below mounts. */
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
