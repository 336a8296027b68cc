/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which record is told next, and when; no I/O. There is no list of records beside their directory:
 * queue_update() takes a listing of it, and keeps what is known of the files that are still there.
 *
 *   - Namespaces take turns, and in each the oldest record comes first.
 *   - QUEUE_BURST requests at once, then one each QUEUE_EACH_MS.
 *   - A namespace whose events are not taken, or do not reach the API server, waits alone. A pause
 *     doubles from one to the next. Each time the namespace's records that are older than an hour
 *     are dropped. A record that is found so late is not told either.
 *
 * Times are clock_ms(), as the records' names have it: no clock that is set back matters.
 */
#pragma once

#include "core/record/record.h"

#define QUEUE_BURST 20
#define QUEUE_EACH_MS 5000
#define QUEUE_PATIENCE_MS 3000
#define QUEUE_PAUSE_MS 1000
#define QUEUE_PAUSE_MAX_MS (5 * 60 * INT64_C(1000))
#define QUEUE_AGE_MS (60 * 60 * INT64_C(1000))

/* A namespace, which may have to wait */
struct queue_place {
	const char *name;
	unsigned turn; /* the higher, the later it was asked about */
	int64_t waits_until;
	int64_t pause_ms; /* 0: it does not wait */
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
	int64_t full_at; /* with one request each QUEUE_EACH_MS the last one would have its turn
			    then */
};

/* entries: of record_list(), in the arena, which is taken. Returns 0, or -1 without memory. */
int queue_update(struct queue *queue, struct arena *arena, const struct record_entry *entries,
		 size_t n, int64_t now);

/* NULL: none is due. The item stays until the next queue_update(). */
struct queue_item *queue_next(struct queue *queue, int64_t now);

/* How long a request may take, in ms. A webhook of the place may hang, and the others wait
 * meanwhile: 3 s, and a tenth of the time that the place has waited itself. */
int64_t queue_patience(const struct queue_place *place);

/* A request is made: it counts. */
void queue_count(struct queue *queue, int64_t now);

/* The place's events were not taken. Returns how many of its records were dropped. */
size_t queue_wait(struct queue *queue, struct queue_place *place, int64_t now);
