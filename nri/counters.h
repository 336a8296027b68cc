/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what the plugin has answered (core/nri_status.h has the counters). */
#ifndef OCI_RDMA_NRI_COUNTERS_H
#define OCI_RDMA_NRI_COUNTERS_H

#include "core/nri_status.h"

/* One CreateContainer more, and what its answer took */
static inline void counters_answered(struct nri_counters *counters, int64_t microseconds)
{
	static const uint64_t bounds[] = NRI_COUNTERS_BOUNDS;
	uint64_t took = microseconds > 0 ? (uint64_t)microseconds : 0;
	size_t i = 0;

	while (i < NRI_COUNTERS_N_BOUNDS && took > bounds[i])
		i++;
	counters->within[i]++;
	counters->containers++;
	counters->answer_us += took;
	if (took > counters->slowest_us)
		counters->slowest_us = took;
}

#endif
