/* SPDX-License-Identifier: Apache-2.0 */
/* Which events are posted, and when */
#include "denied.h"

#include "events/ledger.h"

#define MINUTE INT64_C(60000)

static struct ledger ledger;

static enum ledger_answer take_as(const char *id, const char *pod, int64_t time, int64_t now)
{
	struct record record = denied;
	struct event event;

	record.id = id;
	record.pod = pod;
	record.time = time;
	event = event_of(&record);
	return ledger_take(&ledger, &event, now, NOW);
}

UNIT_TEST("the first record is told at once")
{
	struct story *story;

	ledger = (struct ledger){0};
	assert_true(ledger_time(&ledger) == LEDGER_NEVER);
	assert_null(ledger_next(&ledger, 1000));
	assert_int_equal(take_as("c1", "h", NOW, 1000), LEDGER_TAKEN);
	assert_true(ledger_time(&ledger) <= 1000);
	story = ledger_next(&ledger, 1000);
	assert_non_null(story);
	assert_int_equal(story->event.count, 1);
	ledger_done(&ledger, story, 1000);
	assert_null(ledger_next(&ledger, 1000 + 60 * MINUTE));
	assert_int_equal(ledger_waiting(&ledger), 0);
}

UNIT_TEST("more within ten minutes are one event more")
{
	struct story *story;

	ledger = (struct ledger){0};
	assert_int_equal(take_as("c1", "h", NOW - 90, 1000), LEDGER_TAKEN);
	ledger_done(&ledger, ledger_next(&ledger, 1000), 1000);
	assert_int_equal(take_as("c2", "h", NOW - 60, 31000), LEDGER_TAKEN);
	assert_int_equal(take_as("c3", "h", NOW - 30, 61000), LEDGER_TAKEN);
	assert_int_equal(take_as("c4", "h", NOW, 91000), LEDGER_TAKEN);
	assert_null(ledger_next(&ledger, 999 + 10 * MINUTE));
	story = ledger_next(&ledger, 1000 + 10 * MINUTE);
	assert_non_null(story);
	assert_int_equal(story->event.count, 3);
	assert_int_equal(story->event.first, NOW - 60);
	assert_int_equal(story->event.recorded, NOW - 60);
	assert_int_equal(story->event.last, NOW);
	ledger_done(&ledger, story, 1000 + 10 * MINUTE);
	assert_null(ledger_next(&ledger, 30 * MINUTE));
}

UNIT_TEST("a record that is read again is taken once")
{
	ledger = (struct ledger){0};
	assert_int_equal(take_as("c1", "h", NOW - 2, 1000), LEDGER_TAKEN);
	assert_int_equal(take_as("c1", "h", NOW - 2, 1000), LEDGER_KNOWN);
	assert_int_equal(take_as("c2", "h", NOW - 1, 1000), LEDGER_TAKEN);
	assert_int_equal(take_as("c1", "h", NOW - 2, 1000), LEDGER_KNOWN);
	assert_int_equal(ledger_waiting(&ledger), 2);
}

UNIT_TEST("a record of an hour ago is told to nobody")
{
	struct story *story;

	ledger = (struct ledger){0};
	assert_int_equal(take_as("c1", "h", NOW - 3600, 1000), LEDGER_OLD);
	assert_int_equal(take_as("c1", "h", NOW - 3599, 1000), LEDGER_TAKEN);
	story = ledger_next(&ledger, 1000);
	assert_true(ledger_retry(&ledger, story, 1000, NOW));
	story = ledger_next(&ledger, 2000);
	assert_non_null(story);
	assert_false(ledger_retry(&ledger, story, 2000, NOW + 1));
	assert_int_equal(ledger_waiting(&ledger), 0);
}

/* 20 at once, then one each 5 s, however many wait */
UNIT_TEST("20 events at once, then one each 5 s")
{
	char pod[16];
	int told = 0;

	ledger = (struct ledger){0};
	for (int i = 0; i < 100; i++) {
		(void)snprintf(pod, sizeof(pod), "h-%d", i);
		assert_int_equal(take_as("c1", pod, NOW, 200000), LEDGER_TAKEN);
	}
	for (struct story *story; (story = ledger_next(&ledger, 200000)); told++)
		ledger_done(&ledger, story, 200000);
	assert_int_equal(told, LEDGER_TOKENS);
	assert_true(ledger_time(&ledger) == 200000 + LEDGER_TOKEN_MS);
	for (int64_t now = 200000; now <= 200000 + MINUTE; now += 100) {
		struct story *story = ledger_next(&ledger, now);

		if (!story)
			continue;
		ledger_done(&ledger, story, now);
		told++;
	}
	assert_int_equal(told, LEDGER_TOKENS + 12);
}

UNIT_TEST("what waits is bounded")
{
	char pod[16];

	ledger = (struct ledger){0};
	for (int i = 0; i < LEDGER_STORIES_MAX; i++) {
		(void)snprintf(pod, sizeof(pod), "h-%d", i);
		assert_int_equal(take_as("c1", pod, NOW, 1000), LEDGER_TAKEN);
	}
	assert_int_equal(take_as("c1", "more", NOW, 1000), LEDGER_FULL);
	ledger_done(&ledger, ledger_next(&ledger, 1000), 1000);
	assert_int_equal(take_as("c1", "more", NOW, 1000), LEDGER_TAKEN);
	assert_int_equal(take_as("c1", "yet-more", NOW, 1000), LEDGER_FULL);
}

UNIT_TEST("an outage is waited for longer and longer, 5 minutes at most")
{
	struct story *story;
	int64_t now = 1000;
	int64_t pauses[12];

	ledger = (struct ledger){0};
	assert_int_equal(take_as("c1", "h", NOW, now), LEDGER_TAKEN);
	for (size_t i = 0; i < LENGTH(pauses); i++) {
		now += MINUTE; /* tokens come back */
		story = ledger_next(&ledger, now);
		assert_non_null(story);
		assert_true(ledger_pause(&ledger, story, 0, now, NOW));
		pauses[i] = ledger.paused_until - now;
		assert_null(ledger_next(&ledger, ledger.paused_until - 1));
		now = ledger.paused_until;
	}
	assert_true(pauses[0] == 1000 && pauses[1] == 2000 && pauses[2] == 4000);
	assert_true(pauses[11] == LEDGER_PAUSE_MAX_MS);
	story = ledger_next(&ledger, now + MINUTE);
	assert_true(ledger_pause(&ledger, story, 7000, now, NOW));
	ledger_done(&ledger, story, now);
	assert_int_equal(take_as("c2", "i", NOW, now), LEDGER_TAKEN);
	now += 10 * MINUTE;
	story = ledger_next(&ledger, now);
	assert_true(ledger_pause(&ledger, story, 7000, now, NOW));
	assert_true(ledger.paused_until == now + 7000); /* as the server says */
}

/* One event that is not taken does not keep the others. */
UNIT_TEST("an event that is not taken does not keep the others")
{
	struct story *story;

	ledger = (struct ledger){0};
	assert_int_equal(take_as("c1", "h", NOW, 1000), LEDGER_TAKEN);
	story = ledger_next(&ledger, 1000);
	assert_true(ledger_retry(&ledger, story, 1000, NOW));
	assert_int_equal(take_as("c1", "i", NOW, 1000), LEDGER_TAKEN);
	story = ledger_next(&ledger, 1000);
	assert_non_null(story);
	assert_string_equal(story->event.pod, "i");
	ledger_done(&ledger, story, 1000);
	assert_null(ledger_next(&ledger, 1999));
	assert_non_null(ledger_next(&ledger, 2000));
}

int main(void)
{
	return unit_main("ledger");
}
