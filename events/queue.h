/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the next record; no I/O. queue_update() keeps the state of known files.
 *
 *   - Namespaces take turns, each with its oldest record.
 *   - QUEUE_BURST requests at once, then one per QUEUE_EACH_MS.
 *   - A failing namespace waits alone, doubling its pause.
 *   - Records over an hour old are dropped when first seen or their namespace fails.
 *
 * Times are clock_ms(), as in record names: setting a clock back is harmless.
 */
#pragma once

#include "core/record/record.h"

#define QUEUE_BURST 20
#define QUEUE_EACH_MS 5000
#define QUEUE_PATIENCE_MS 3000
#define QUEUE_PAUSE_MS 1000
#define QUEUE_PAUSE_MAX_MS (5 * 60 * INT64_C(1000))
#define QUEUE_AGE_MS (60 * 60 * INT64_C(1000))

struct queue_place {
	const char *name;
	unsigned turn; /* of the last request */
	int64_t waits_until;
	int64_t pause_ms; /* 0: not waiting */
};

struct queue_item {
	const struct record_entry *entry;
	struct queue_place *place;
	bool done;
};

struct queue {
	struct arena arena; /* of the last listing */
	struct queue_item *items;
	size_t n;
	struct queue_place *places;
	size_t n_places;
	unsigned turn;
	int64_t full_at; /* when all QUEUE_BURST is available */
};

/* Takes over arena, which holds entries */
int queue_update(struct queue *queue, struct arena *arena, const struct record_entry *entries,
		 size_t n, int64_t now);

/* NULL: none due. Valid until queue_update() */
struct queue_item *queue_next(struct queue *queue, int64_t now);

/* In ms: 3 s and a tenth of the pause, because others wait while a webhook hangs */
int64_t queue_patience(const struct queue_place *place);

void queue_count(struct queue *queue, int64_t now);

/* On EVENT_LATER. Returns the number dropped */
size_t queue_wait(struct queue *queue, struct queue_place *place, int64_t now);
