/* SPDX-License-Identifier: Apache-2.0 */
#include "core/node/memory.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"

uint64_t node_memory(const struct node *node)
{
	/* The first line, since there is a /proc/meminfo (the kernel's fs/proc/meminfo.c) */
	static const char front[] = "MemTotal:";
	char line[64];

	if (fs_read_line(node->root, "proc/meminfo", line, sizeof(line)) < 0 ||
	    !text_starts_with(line, front))
		return 0;
	return strtoull(line + strlen(front), NULL, 10) * 1024;
}
