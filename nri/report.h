/* SPDX-License-Identifier: Apache-2.0 */
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
#define STATUS_FILES_MAX 16

/* nri-INSTANCE.json, or the first free of nri.json, nri.1.json, … in NRI_STATUS_DIR; ours while we
 * hold the lock */
struct status_file {
	const char *sysroot;
	const char *instance;
	char name[STATUS_NAME_SIZE];
	char lock_name[STATUS_NAME_SIZE + sizeof(NRI_STATUS_LOCK)];
	int lock; /* or -1 */
};

/* Creates NRI_STATUS_DIR, which must belong to root alone */
int status_write(struct status_file *file, const struct nri_status *status, struct err *err);

void status_remove(struct status_file *file);

#define REPORT_NAME_SIZE 64
/* READY=1 even if not connected: systemd delays units after ours (the kubelet). The runtime waits
 * as long for a registration. */
#define READY_PATIENCE_MS 5000

struct report {
	struct status_file file;
	const char *metrics_path; /* or NULL */
	struct children *children;

	struct nri_status status; /* .answers is the server's */
	bool changed;             /* status not yet written */
	char since[CLOCK_UTC_SIZE];
	char trouble[ERR_TEXT_MAX];
	char name[REPORT_NAME_SIZE];
	char version[REPORT_NAME_SIZE];
	bool failed; /* logged once */

	/* By a child: the disk may hang */
	pid_t writer; /* or 0 */
	bool metrics_due;
	bool metrics_failed; /* logged once */
	bool metrics_late;
	int64_t metrics_at; /* start of the last writer */

	int64_t ready_at; /* time of READY=1; INT64_MAX: sent */
};

/* Copies name and version for report_connected() */
void report_runtime(struct report *report, const Nri__ConfigureRequest *runtime);

void report_connected(struct report *report);

/* Logged once per reason: without NRI we retry forever */
void report_trouble(struct report *report, const struct err *err);

/* Once a second: writes files when due, sends READY=1 and WATCHDOG=1 */
void report_tick(struct report *report);

/* for_good: our file is gone; removes the metrics, which would suggest a hang */
void report_end(struct report *report, bool for_good);
