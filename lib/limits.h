/* SPDX-License-Identifier: Apache-2.0 */
/* RLIMIT_MEMLOCK from the world-readable /proc/PID/limits */
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

/* text: of /proc/PID/limits; modified */
struct limits limits_parse(char *text);

/* root: a descriptor. !known: unreadable */
struct limits limits_read(struct arena *arena, int root, const char *path);

/* Exact: "8 MiB", "8188 KiB", "100 bytes", "unlimited" */
const char *limits_text(uint64_t bytes, char text[LIMITS_TEXT_SIZE]);
