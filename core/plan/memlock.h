/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OCI_RDMA_MEMLOCK_H
#define OCI_RDMA_MEMLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/*
 * Raises soft and hard limit to at least bytes (MEMLOCK_UNLIMITED: no limit); what is higher stays:
 * a plan only ever adds. The kernel compares the soft one alone, and a process may raise it to the
 * hard one. Returns false if both were high enough.
 */
static inline bool memlock_raise(struct rlimit64 *limit, uint64_t bytes)
{
	struct rlimit64 old = *limit;

	limit->rlim_cur = old.rlim_cur > bytes ? old.rlim_cur : bytes;
	limit->rlim_max = old.rlim_max > bytes ? old.rlim_max : bytes;
	return limit->rlim_cur != old.rlim_cur || limit->rlim_max != old.rlim_max;
}

#endif
