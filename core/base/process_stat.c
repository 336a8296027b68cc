/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/process_stat.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"

#define NAME 2

uint64_t process_stat_field(const char *line, int field)
{
	const char *at = strrchr(line, ')');

	for (int passed = NAME; at && passed < field; passed++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

uint64_t process_stat_read(int dir, const char *path, int field)
{
	char line[1024];

	return fs_read_line(dir, path, line, sizeof(line)) < 0 ? 0
							       : process_stat_field(line, field);
}
