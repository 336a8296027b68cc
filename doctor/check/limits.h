/* SPDX-License-Identifier: Apache-2.0 */
/* RLIMIT_MEMLOCK of a process, for the checks that tell of it */
#ifndef OCI_RDMA_DOCTOR_CHECK_LIMITS_H
#define OCI_RDMA_DOCTOR_CHECK_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"

#define LIMITS_TEXT_SIZE 40

struct limits {
	bool known;
	uint64_t soft; /* bytes, or MEMLOCK_UNLIMITED */
	uint64_t hard;
	const char *where;
};

/* root: a directory descriptor; path: of a /proc/PID/limits below it. Not known where that cannot
 * be read. */
struct limits limits_read(struct arena *arena, int root, const char *path);

/* "8 MiB", "unlimited" */
const char *limits_text(uint64_t bytes, char text[LIMITS_TEXT_SIZE]);

/* True if this process is an exec beside a container's first process that has a higher limit. */
struct doctor;
bool limits_of_first_are_higher(const struct doctor *doctor);

#endif
