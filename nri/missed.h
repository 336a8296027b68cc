/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Missed containers ask for RDMA and have a device, but too low a limit, because no plugin was
 * connected when they were created. serve_start() checks starting ones. A child checks running ones
 * after Synchronize, because the runtime waits only 2 s; it logs, records, and with "on_missed":
 * "mend" raises their limits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/record/record.h"
#include "lib/child.h"
#include "nri/missed_check.h"
#include "nri/worker.h"

#define LOOK_PATIENCE_MS 60000

struct missed {
	struct children *children;
	uint64_t *unseen;
	struct child child; /* -1: none runs */
};

/* Failures are logged */
void missed_look(struct missed *missed, const struct look *look);

/* Does not wait for the child: it may hang in a driver */
void missed_stop(struct missed *missed);

/* Takes the child's result, or kills it at its deadline; never blocks. True: something changes */
bool missed_tend(struct missed *missed);

/* RECORD_MISSED and RECORD_MENDED of running containers. Returns their number */
int missed_list(struct arena *arena, int sysroot, struct record **ret_records, struct err *err);
