/* SPDX-License-Identifier: Apache-2.0 */
#include "events/queue.h"

#include <string.h>

static bool is_late(const struct record_entry *entry, int64_t now)
{
	return now - entry->clock > QUEUE_AGE_MS;
}

static struct queue_place find_place(const struct queue *queue, const char *name)
{
	struct queue_place place = {.turn = 0};

	for (size_t i = 0; i < queue->n_places; i++) {
		if (strcmp(queue->places[i].name, name) == 0)
			place = queue->places[i];
	}
	place.name = name;
	return place;
}

int queue_update(struct queue *queue, struct arena *arena, const struct record_entry *entries,
		 size_t n, int64_t now)
{
	struct queue_item *items = arena_alloc(arena, n * sizeof(*items));
	struct queue_place *places = arena_alloc(arena, n * sizeof(*places));
	size_t n_places = 0;
	size_t old = 0;

	if (!items || !places)
		return -1;
	/* Both listings are sorted */
	for (size_t i = 0; i < n; i++) {
		const char *name = entries[i].pod_namespace;
		int order = 1;

		if (!i || strcmp(name, entries[i - 1].pod_namespace) != 0)
			places[n_places++] = find_place(queue, name);
		while (old < queue->n &&
		       (order = strcmp(queue->items[old].entry->file, entries[i].file)) < 0)
			old++;
		items[i].entry = &entries[i];
		items[i].place = &places[n_places - 1];
		if (old < queue->n && order == 0)
			items[i].done = queue->items[old].done;
		else /* no name: podman's */
			items[i].done = !name[0] || entries[i].result == RECORD_GRANTED ||
					is_late(&entries[i], now);
	}
	arena_free(&queue->arena);
	queue->arena = *arena;
	queue->items = items;
	queue->n = n;
	queue->places = places;
	queue->n_places = n_places;
	return 0;
}

struct queue_item *queue_next(struct queue *queue, int64_t now)
{
	struct queue_item *next = NULL;

	if (queue->full_at - now > (QUEUE_BURST - 1) * QUEUE_EACH_MS)
		return NULL;
	for (size_t i = 0; i < queue->n; i++) {
		struct queue_item *item = &queue->items[i];

		if (item->done || now < item->place->waits_until)
			continue;
		if (!next || (item->place == next->place ? item->entry->clock < next->entry->clock
							 : item->place->turn < next->place->turn))
			next = item;
	}
	if (next)
		next->place->turn = ++queue->turn;
	return next;
}

int64_t queue_patience(const struct queue_place *place)
{
	return QUEUE_PATIENCE_MS + place->pause_ms / 10;
}

void queue_count(struct queue *queue, int64_t now)
{
	queue->full_at = (queue->full_at > now ? queue->full_at : now) + QUEUE_EACH_MS;
}

size_t queue_wait(struct queue *queue, struct queue_place *place, int64_t now)
{
	int64_t pause = place->pause_ms * 2;
	size_t dropped = 0;

	pause = pause < QUEUE_PAUSE_MS ? QUEUE_PAUSE_MS : pause;
	place->pause_ms = pause < QUEUE_PAUSE_MAX_MS ? pause : QUEUE_PAUSE_MAX_MS;
	place->waits_until = now + place->pause_ms;
	for (size_t i = 0; i < queue->n; i++) {
		struct queue_item *item = &queue->items[i];
		bool drops = !item->done && item->place == place && is_late(item->entry, now);

		item->done |= drops;
		dropped += drops;
	}
	return dropped;
}
