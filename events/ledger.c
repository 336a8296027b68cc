/* SPDX-License-Identifier: Apache-2.0 */
#include "events/ledger.h"

#include <string.h>

/* ---- taken ---- */

static struct story *find(struct ledger *ledger, const struct event *event)
{
	for (size_t i = 0; i < ledger->n; i++) {
		if (event_is_same(&ledger->story[i].event, event))
			return &ledger->story[i];
	}
	return NULL;
}

/* One of which all is told, the longest ago; what comes of it again is a new story then. */
static struct story *make_room(struct ledger *ledger)
{
	struct story *oldest = NULL;

	if (ledger->n < LEDGER_STORIES_MAX)
		return &ledger->story[ledger->n++];
	for (size_t i = 0; i < ledger->n; i++) {
		struct story *story = &ledger->story[i];

		if (!story->event.count && (!oldest || story->quiet_until < oldest->quiet_until))
			oldest = story;
	}
	return oldest;
}

/* The directory is read again after an overflow: each record is taken once. */
static bool is_known(const struct event *known, const struct event *event)
{
	return event->last < known->last ||
	       (event->last == known->last && strcmp(event->id, known->id) == 0);
}

static void add(struct story *story, const struct event *event, int64_t now)
{
	const struct event before = story->event;

	story->event = *event;
	if (before.count) {
		story->event.first = before.first;
		story->event.recorded = before.recorded;
		story->event.count = before.count + 1;
		return;
	}
	story->event.count = 1;
	story->due = story->quiet_until > now ? story->quiet_until : now;
}

enum ledger_answer ledger_take(struct ledger *ledger, const struct event *event, int64_t now,
			       int64_t seconds)
{
	struct story *story = find(ledger, event);

	if (story && is_known(&story->event, event))
		return LEDGER_KNOWN;
	if (seconds - event->last >= LEDGER_AGE_MAX)
		return LEDGER_OLD;
	if (!story) {
		story = make_room(ledger);
		if (!story)
			return LEDGER_FULL;
		*story = (struct story){0};
	}
	add(story, event, now);
	return LEDGER_TAKEN;
}

/* ---- told ---- */

/* When there is a token: the bucket is full at tokens_at, and lacks one for each LEDGER_TOKEN_MS
 * before that. */
static int64_t token_time(const struct ledger *ledger)
{
	return ledger->tokens_at - (LEDGER_TOKENS - 1) * LEDGER_TOKEN_MS;
}

static void take_token(struct ledger *ledger, int64_t now)
{
	ledger->tokens_at = (ledger->tokens_at > now ? ledger->tokens_at : now) + LEDGER_TOKEN_MS;
}

static const struct story *first_due(const struct ledger *ledger)
{
	const struct story *first = NULL;

	for (size_t i = 0; i < ledger->n; i++) {
		const struct story *story = &ledger->story[i];

		if (story->event.count && (!first || story->due < first->due))
			first = story;
	}
	return first;
}

/* When the story that is due first may be told */
static int64_t time_of(const struct ledger *ledger, const struct story *first)
{
	int64_t time = token_time(ledger);

	if (!first)
		return LEDGER_NEVER;
	time = ledger->paused_until > time ? ledger->paused_until : time;
	return first->due > time ? first->due : time;
}

int64_t ledger_time(const struct ledger *ledger)
{
	return time_of(ledger, first_due(ledger));
}

struct story *ledger_next(struct ledger *ledger, int64_t now)
{
	struct story *story = (struct story *)first_due(ledger);

	if (time_of(ledger, story) > now)
		return NULL;
	take_token(ledger, now);
	return story;
}

static void close_story(struct story *story, int64_t now)
{
	story->event.count = 0;
	story->quiet_until = now + LEDGER_WINDOW_MS;
	story->tries = 0;
	story->refused = false;
}

void ledger_done(struct ledger *ledger, struct story *story, int64_t now)
{
	close_story(story, now);
	ledger->pauses = 0;
}

static int64_t pause_ms(unsigned tries)
{
	int64_t ms = 1000;

	for (unsigned i = 1; i < tries && ms < LEDGER_PAUSE_MAX_MS; i++)
		ms *= 2;
	return ms < LEDGER_PAUSE_MAX_MS ? ms : LEDGER_PAUSE_MAX_MS;
}

bool ledger_retry(struct ledger *ledger, struct story *story, int64_t now, int64_t seconds)
{
	ledger->pauses = 0;
	if (seconds - story->event.last >= LEDGER_AGE_MAX) {
		close_story(story, now);
		return false;
	}
	story->due = now + pause_ms(++story->tries);
	return true;
}

bool ledger_pause(struct ledger *ledger, struct story *story, int64_t ms, int64_t now,
		  int64_t seconds)
{
	int64_t own = pause_ms(++ledger->pauses);

	ms = ms < LEDGER_PAUSE_MAX_MS ? ms : LEDGER_PAUSE_MAX_MS;
	ledger->paused_until = now + (ms > own ? ms : own);
	if (seconds - story->event.last < LEDGER_AGE_MAX)
		return true;
	close_story(story, now);
	return false;
}

size_t ledger_waiting(const struct ledger *ledger)
{
	size_t n = 0;

	for (size_t i = 0; i < ledger->n; i++)
		n += ledger->story[i].event.count;
	return n;
}
