/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be told, and when. Records of the same pod, container and result are one story:
 *
 *   its first record       is due at once, as one event
 *   more within 10 minutes are counted, and are one event more when these are over
 *   an event that cannot be posted is due again after 1, 2, 4, … seconds, 5 minutes at most
 *   a record of an hour ago and more is told to nobody: the API server forgets events as soon
 *
 * All events together are limited in rate by a bucket of tokens: 20 at once, then one each 5 s. The
 * ledger does no I/O: the caller says what time it is.
 */
#ifndef OCI_RDMA_EVENTS_LEDGER_H
#define OCI_RDMA_EVENTS_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/event.h"

#define LEDGER_STORIES_MAX RECORDS_MAX
#define LEDGER_WINDOW_MS (10 * 60 * INT64_C(1000))
#define LEDGER_PAUSE_MAX_MS (5 * 60 * INT64_C(1000))
#define LEDGER_AGE_MAX 3600 /* seconds */
#define LEDGER_TOKENS 20
#define LEDGER_TOKEN_MS 5000
#define LEDGER_NEVER INT64_MAX

struct story {
	struct event event; /* .count of 0: nothing is to be told now */
	int64_t due;
	int64_t quiet_until; /* the end of the 10 minutes; 0: nothing was told yet */
	unsigned tries;
	bool refused; /* the reason why it could not be posted has been logged */
};

struct ledger {
	struct story story[LEDGER_STORIES_MAX];
	size_t n;
	int64_t tokens_at; /* when the bucket will be full */
	int64_t paused_until;
	unsigned pauses;
};

/* Times are milliseconds of one clock, which begins above 0; only a record's own are seconds since
 * 1970. */

enum ledger_answer {
	LEDGER_TAKEN,
	LEDGER_KNOWN, /* this record has been taken before */
	LEDGER_OLD,   /* of an hour ago and more */
	LEDGER_FULL,  /* too many others wait: it will not be told */
};

enum ledger_answer ledger_take(struct ledger *ledger, const struct event *event, int64_t now,
			       int64_t seconds);

/* The story to tell now, or NULL. Then one of the three below has to follow. */
struct story *ledger_next(struct ledger *ledger, int64_t now);

/* The story is over: it was posted, or the API server refuses it for good. */
void ledger_done(struct ledger *ledger, struct story *story, int64_t now);
/* This one later. Returns false if it is an hour old by then, and is dropped. */
bool ledger_retry(struct ledger *ledger, struct story *story, int64_t now, int64_t seconds);
/* Nothing can be posted now. ms: for how long at least, as the API server says; 0: it does not */
bool ledger_pause(struct ledger *ledger, struct story *story, int64_t ms, int64_t now,
		  int64_t seconds);

/* When ledger_next() may have one; LEDGER_NEVER without any. */
int64_t ledger_time(const struct ledger *ledger);

/* How many records wait */
size_t ledger_waiting(const struct ledger *ledger);

#endif
