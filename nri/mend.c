/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/mend.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/base/cleanup.h"
#include "core/base/proc.h"
#include "core/process/process.h"

/* A container that forks faster than all of its processes can be looked at so often is not mended
 * whole; what its processes start after that has the limit of its parent. */
#define ROUNDS_MAX 16

/* Returns 1 if it was raised, 0 if there was nothing to do, or -1. */
static int raise(int64_t pid, const char *id, uint64_t memlock, struct err *err)
{
	cleanup_process process = PROCESS_NONE;
	struct err other;
	bool changed;

	/* Most processes of a node are none of this container's. */
	if (process_open_member(pid, id, &process, &other) <= 0)
		return 0;
	if (process_raise_memlock(&process, memlock, &changed, err) < 0)
		return -1;
	return changed;
}

/* Returns how many were raised, or -1. */
static int raise_all(const char *id, uint64_t memlock, struct err *err)
{
	cleanup_dir *proc = opendir("/proc");
	const struct dirent *entry;
	int raised = 0;

	if (!proc)
		return err_sys(err, errno, "/proc");
	while ((entry = readdir(proc))) {
		int status = entry->d_name[0] >= '1' && entry->d_name[0] <= '9'
				     ? raise(strtoll(entry->d_name, NULL, 10), id, memlock, err)
				     : 0;

		if (status < 0)
			return -1;
		raised += status;
	}
	return raised;
}

int mend_container(const char *id, uint64_t memlock, size_t *ret_n, struct err *err)
{
	*ret_n = 0;
	for (int round = 0; round < ROUNDS_MAX; round++) {
		int raised = raise_all(id, memlock, err);

		if (raised < 0)
			return -1;
		if (raised == 0)
			return 0;
		*ret_n += (size_t)raised;
	}
	return 0;
}
