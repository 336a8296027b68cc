/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/process_stat.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"

#define NAME 2
/* 52 fields, of 20 digits at most, and a name of 15 bytes, a kernel worker's of 63 */
#define SIZE_OF_STAT 2048

uint64_t process_stat_field(const char *text, int field)
{
	const char *at = strrchr(text, ')');

	for (int passed = NAME; at && passed < field; passed++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

uint64_t process_stat_read(int dir, const char *path, int field)
{
	cleanup_fd fd = fs_open(dir, path, O_RDONLY, dir == AT_FDCWD ? 0 : RESOLVE_IN_ROOT);
	static char text[SIZE_OF_STAT]; /* a caller's stack may be small */
	size_t len = 0;
	ssize_t n = 1;

	/* Without memory: a failure would say that it is another process. */
	while (fd >= 0 && n > 0 && len < sizeof(text) - 1) {
		n = read(fd, text + len, sizeof(text) - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	text[len] = '\0';
	return n == 0 ? process_stat_field(text, field) : 0;
}
