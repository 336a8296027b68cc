/* SPDX-License-Identifier: Apache-2.0 */
/* RLIMIT_MEMLOCK of another process, as /proc/PID/limits has it: no right is needed to read that.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"

#define LIMITS_TEXT_SIZE 40

struct limits {
	bool known;
	uint64_t soft; /* bytes, or MEMLOCK_UNLIMITED */
	uint64_t hard;
	const char *where;
};

/* text: of a /proc/PID/limits, split in place */
struct limits limits_parse(char *text);

/* root: a directory descriptor; path: of a /proc/PID/limits below it. Not known where that cannot
 * be read. */
struct limits limits_read(struct arena *arena, int root, const char *path);

/* "8 MiB", "8188 KiB", "100 bytes": exact; "unlimited" */
const char *limits_text(uint64_t bytes, char text[LIMITS_TEXT_SIZE]);
