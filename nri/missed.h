/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers that were missed: they were created while no plugin was connected, they ask, they have
 * a device, and their limit is below the plan's.
 *
 * One that is about to start is looked at by serve_start(). Those that run already are looked at
 * after Synchronize, by a child, because its runtime waits 2 s for the plugin and deciding about
 * each may take longer. The child logs each that was missed, and leaves its record: whoever counts
 * and names them reads the records. With "on_missed": "mend" the child also raises the limit of the
 * container's processes.
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
	uint64_t *unseen;   /* could not be decided about */
	struct child child; /* .in: how many are unseen; -1: none runs */
};

/* Looks at what was there before the plugin. Never fails: it is logged. */
void missed_look(struct missed *missed, const struct look *look);

/* Kills the child, if one runs. One that hangs in a driver is not waited for. */
void missed_stop(struct missed *missed);

/* Hears what the child has to say, or that its time is over. Never waits. Returns true if there is
 * news for the status or the metrics. */
bool missed_tend(struct missed *missed);

/*
 * Those that run now, by their records; sysroot: a descriptor. *ret_records in the arena, of
 * RECORD_MISSED and RECORD_MENDED. Returns how many, or -1 with the reason.
 */
int missed_list(struct arena *arena, int sysroot, struct record **ret_records, struct err *err);
