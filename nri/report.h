/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the plugin tells of itself: to the log, to systemd, to --check by its status file, and to a
 * collector by its metrics.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "lib/nri_status.h"
#include "nri/message/nri.pb-c.h"
#include "nri/worker.h"

#define NRI_INSTANCE_MAX 16
#define STATUS_NAME_SIZE (sizeof("nri-.json") + NRI_INSTANCE_MAX)
/* Far more than a node has plugins, also while they are replaced */
#define STATUS_FILES_MAX 16

/*
 * In NRI_STATUS_DIR: nri-INSTANCE.json, or without an instance one of nri.json, nri.1.json, … that
 * no other plugin has. A plugin has it as long as it holds the lock.
 */
struct status_file {
	const char *sysroot;  /* a path */
	const char *instance; /* NULL: none */
	char name[STATUS_NAME_SIZE];
	char lock_name[STATUS_NAME_SIZE + sizeof(NRI_STATUS_LOCK)];
	int lock; /* -1: not held */
};

/* Makes NRI_STATUS_DIR, which must be root's alone. */
int status_write(struct status_file *file, const struct nri_status *status, struct err *err);

/* When a plugin ends */
void status_remove(struct status_file *file);

/* ---- the report ---- */

#define REPORT_NAME_SIZE 64
/* systemd holds back what is ordered behind the unit, as the kubelet, until it hears READY=1: for
 * that long only. The runtime's own patience with a plugin that registers is as long. */
#define READY_PATIENCE_MS 5000

struct report {
	struct status_file file;
	const char *metrics_path; /* NULL: none */
	struct children *children;

	struct nri_status status; /* its answers are the server's */
	bool changed;             /* the status, which is not written yet */
	char since[CLOCK_UTC_SIZE];
	char trouble[ERR_TEXT_MAX];
	char name[REPORT_NAME_SIZE];
	char version[REPORT_NAME_SIZE];
	bool failed; /* to write the status, which is said once */

	/* Their file lies on a disk that may hang, so a child writes them, one at a time. */
	pid_t writer; /* 0: none */
	bool metrics_due;
	bool metrics_failed; /* which is said once, as that it hangs is */
	bool metrics_late;
	int64_t metrics_at; /* when the last writer was started */

	int64_t ready_at; /* READY=1 is said, connected or not; INT64_MAX: it was */
};

/* The runtime's name and version, which report_connected() names */
void report_runtime(struct report *report, const Nri__ConfigureRequest *runtime);

void report_connected(struct report *report);

/* Not connected. It is logged once, as long as it is the same: a node without NRI is asked for
 * ever. */
void report_trouble(struct report *report, const struct err *err);

/* Once a second: what is due of the status, the metrics, READY=1 and WATCHDOG=1 */
void report_tick(struct report *report);

/* for_good: its executable is gone, so that its metrics go as well. Left where they are, they would
 * be read as those of a plugin that hangs. */
void report_end(struct report *report, bool for_good);
