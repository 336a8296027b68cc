/* SPDX-License-Identifier: Apache-2.0 */
/* Missed: created while no plugin was connected; asks for RDMA, has a device, but too low a limit.
 * serve_start() checks starting ones. After Synchronize a child checks running ones, logs, records,
 * and with "on_missed": "mend" raises limits. */
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
	uint64_t *unseen;   /* could not be decided */
	struct child child; /* .in: the unseen count; -1: none runs */
};

/* Starts the child; failures are logged */
void missed_look(struct missed *missed, const struct look *look);

/* Does not wait: the child may hang in a driver */
void missed_stop(struct missed *missed);

/* Takes the child's result, or kills it at its deadline; never blocks. True: ended */
bool missed_tend(struct missed *missed);

/* Lists RECORD_MISSED and RECORD_MENDED of running containers. sysroot: a descriptor. Returns the
 * number or -1 */
int missed_list(struct arena *arena, int sysroot, struct record **ret_records, struct err *err);
