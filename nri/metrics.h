/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin's counters for a collector, in Prometheus' text format */
#ifndef OCI_RDMA_NRI_METRICS_H
#define OCI_RDMA_NRI_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"
#include "core/child.h"
#include "core/nri_status.h"

/* What takes longer hangs. */
#define METRICS_PATIENCE_MS 5000
/* It is written as often without a change: that is how a plugin that has ended is known. */
#define METRICS_EACH_MS 15000

/* The file lies on a disk that may hang, so a child writes it; one at a time. All zero: none yet */
struct metrics {
	pid_t child;
	int64_t deadline;
	bool again;  /* something has changed meanwhile */
	bool failed; /* which is said once */
	bool late;
};

/* Starts the child, or has metrics_tend() start it. A failure is logged, and nothing else. */
void metrics_write(struct metrics *metrics, const char *path, const struct nri_status *status,
		   const int *const closed[CHILD_CLOSED]);

/* Waits for a child that has ended, and gives up one that hangs. True if metrics_write() is to be
 * called again. */
bool metrics_tend(struct metrics *metrics, const char *path);

/* When metrics_tend() has something to do; INT64_MAX: when a child has ended */
int64_t metrics_time(const struct metrics *metrics);

/* In place of the last one, by rename */
int metrics_write_file(const char *path, const struct nri_status *status, struct err *err);

#endif
