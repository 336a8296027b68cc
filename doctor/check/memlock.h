/* SPDX-License-Identifier: Apache-2.0 */
/* RLIMIT_MEMLOCK of a process, for the checks that tell of it */
#ifndef OCI_RDMA_DOCTOR_CHECK_MEMLOCK_H
#define OCI_RDMA_DOCTOR_CHECK_MEMLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "doctor/doctor.h"

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

/* "8 MiB", "unlimited" */
const char *limits_text(uint64_t bytes, char text[LIMITS_TEXT_SIZE]);

/*
 * True if the target is no container's first process, and that one has a higher soft limit: a hook
 * reaches the first process, and no runtime lets it reach an exec.
 */
bool limits_of_first_are_higher(const struct doctor *doctor, uint64_t soft);

#endif
