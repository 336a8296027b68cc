/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the plugin tells of itself: to the log, to systemd, to --check by its status file, and to a
 * collector by its metrics.
 */
#ifndef OCI_RDMA_NRI_REPORT_H
#define OCI_RDMA_NRI_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/base/err.h"
#include "core/child.h"
#include "core/nri_status.h"
#include "nri/message/message.h"

/* ---- metrics (metrics.c) ---- */

/* The plugin's counters for a collector, in Prometheus' text format */

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

/* ---- the status file, in place of the last by rename ---- */

/* sysroot: the directory's path. instance: NULL: the only plugin. Makes NRI_STATUS_DIR, which must
 * be ours alone. */
int status_write(const char *sysroot, const char *instance, const struct nri_status *status,
		 struct err *err);

/* Takes it away when a plugin ends, unless another one of that name has written it since. */
void status_remove(const char *sysroot, const char *instance, const struct nri_status *status);

/* ---- systemd ---- */

/* Tells systemd (sd_notify(3)): "READY=1", "STATUS=…". Without a NOTIFY_SOCKET, nothing. */
void notify(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- the report (report.c) ---- */

#define REPORT_NAME_SIZE 64
#define REPORT_NEVER INT64_MAX

struct report {
	const char *sysroot;
	const char *instance;                /* NULL: the only one */
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

/* Another program listens by now at the socket by which this plugin is connected. Also logged once.
 */
void report_socket(struct report *report, bool taken);

/* Which containers were missed. */
void report_missed(struct report *report, const struct nri_missed_status *missed);

/* Something is to be written soon, but not before the answer. */
void report_soon(struct report *report);

/* What is due: status, metrics, READY=1, WATCHDOG=1 */
void report_tend(struct report *report);

/* When report_tend() has something to do */
int64_t report_time(const struct report *report);

/* for_good: its executable is gone, so that its metrics go as well. Left where they are, they would
 * be read as those of a plugin that hangs. */
void report_end(const struct report *report, bool for_good);

#endif
