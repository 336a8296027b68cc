/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the plugin tells of itself: to the log, to systemd, to --check by its status file, and to a
 * collector by its metrics.
 */
#ifndef OCI_RDMA_NRI_REPORT_H
#define OCI_RDMA_NRI_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/nri_status.h"
#include "nri/message/message.h"
#include "nri/metrics.h"

#define REPORT_NAME_SIZE 64
#define REPORT_NEVER INT64_MAX

struct report {
	const char *sysroot;
	const char *metrics_path;            /* NULL: none */
	const struct nri_counters *counters; /* the server's */
	const int *closed[CHILD_CLOSED];     /* in the child that writes the metrics */

	struct nri_status status;
	char since[32];
	char trouble[ERR_TEXT_MAX];
	char name[REPORT_NAME_SIZE];
	char version[REPORT_NAME_SIZE];
	bool failed;      /* to write the status, which is said once */
	bool missed_anew; /* the status says so, and the metrics do not yet */
	struct metrics metrics;

	int64_t write_at;    /* the status, at the latest */
	int64_t metrics_at;  /* the metrics, with the status that is then due */
	int64_t ready_at;    /* READY=1 is said, connected or not; REPORT_NEVER: it was */
	int64_t watchdog_ms; /* between two WATCHDOG=1; 0: nobody asks for them */
	int64_t watchdog_at;
};

/* Fills what is not set yet. socket: the runtime's; it must live as long as the report. */
void report_begin(struct report *report, const char *socket);

/* The runtime's name and version, which report_connected() names */
void report_runtime(struct report *report, const struct message_runtime *runtime);

void report_connected(struct report *report);

/* Not connected. It is logged once, as long as it is the same: a node without NRI is asked for
 * ever. */
void report_trouble(struct report *report, const struct err *err);

/* Another plugin serves the node, and this one waits. */
void report_standby(struct report *report);

/* It waits no longer. */
void report_active(struct report *report);

/* Which containers were missed. */
void report_missed(struct report *report, const struct nri_missed_status *missed);

/* Something is to be written soon, but not before the answer. */
void report_soon(struct report *report);

/* What is due: status, metrics, READY=1, WATCHDOG=1. awaited: another plugin waits for this one. */
void report_tend(struct report *report, bool awaited);

/* When report_tend() has something to do */
int64_t report_time(const struct report *report);

void report_end(const struct report *report);

#endif
