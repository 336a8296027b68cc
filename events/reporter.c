/* SPDX-License-Identifier: Apache-2.0 */
#include "events/reporter.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/report/report.h"
#include "events/ledger.h"
#include "events/spool.h"

#define NODE_SIZE 129               /* a reportingInstance has 128 bytes at most */
#define LOOK_MS 60000               /* as often it is looked whether the directory is still there */
#define SUMMARY_MS INT64_C(3600000) /* the counters are logged as often, if they have changed */

static volatile sig_atomic_t stopping;

struct counters {
	uint64_t records;    /* taken */
	uint64_t posted;     /* events */
	uint64_t there;      /* that the API server had already */
	uint64_t dropped;    /* records that nobody is told of */
	uint64_t unreadable; /* files that are no records */
};

struct reporter {
	struct ledger ledger;
	struct api *api;
	struct counters counters;
	struct counters logged;
	int64_t summary_at;
	char node[NODE_SIZE];
	sigset_t blocked_before;
	bool away; /* it has been logged that nothing can be posted */
	bool full; /* it has been logged that the ledger is full */
};

/* ---- what comes ---- */

/* An event's times are those of the node; one from the future is of now, as after the clock was set
 * back. Its name stays that of the record. */
static void take(void *context, const struct record *record)
{
	struct reporter *reporter = context;
	int64_t seconds = time(NULL);
	struct event event;
	struct err err;

	if (event_take(record, &event, &err) < 0) {
		reporter->counters.unreadable++;
		log_event(LOG_WARNING, "a record is left out: %s", err.text);
		return;
	}
	if (event.last > seconds)
		event.first = event.last = seconds;
	switch (ledger_take(&reporter->ledger, &event, clock_ms(), seconds)) {
	case LEDGER_KNOWN:
		return;
	case LEDGER_TAKEN:
		reporter->counters.records++;
		reporter->full = false;
		return;
	case LEDGER_OLD:
		reporter->counters.dropped++;
		return;
	case LEDGER_FULL:
		reporter->counters.dropped++;
		if (!reporter->full)
			log_event(LOG_WARNING,
				  "more than %d containers wait for their events: those that come "
				  "now are not told; the node's journal has their reasons",
				  LEDGER_STORIES_MAX);
		reporter->full = true;
	}
}

static void fail(void *context, const struct err *err)
{
	struct reporter *reporter = context;

	reporter->counters.unreadable++;
	log_event(LOG_WARNING, "a record is left out: %s", err->text);
}

/* ---- what is posted ---- */

static void log_drop(struct reporter *reporter, const struct event *event, const char *why)
{
	reporter->counters.dropped += event->count;
	log_event(LOG_ERR, "not told to pod=%s namespace=%s name=%s: %s; it was: %s", event->pod,
		  event->namespace, event->container[0] ? event->container : "-", why,
		  event->reason);
}

static void log_told(const struct event *event, enum api_answer answer)
{
	log_event(LOG_INFO, "%s: pod=%s namespace=%s name=%s result=%s count=%u",
		  answer == API_POSTED ? "posted" : "there already", event->pod, event->namespace,
		  event->container[0] ? event->container : "-", record_result_name(event->result),
		  event->count);
}

static void come_back(struct reporter *reporter)
{
	if (reporter->away)
		log_event(LOG_INFO, "events are posted again; %zu records wait",
			  ledger_waiting(&reporter->ledger));
	reporter->away = false;
}

/* The reason is logged when it begins. What grows too old meanwhile is logged one by one. */
static void go_away(struct reporter *reporter, struct story *story, int64_t wait_ms,
		    const struct err *err)
{
	struct event event = story->event;

	if (!reporter->away)
		log_event(LOG_ERR, "events cannot be posted, which is tried again: %s", err->text);
	reporter->away = true;
	if (!ledger_pause(&reporter->ledger, story, wait_ms, clock_ms(), time(NULL)))
		log_drop(reporter, &event, err->text);
}

static void try_later(struct reporter *reporter, struct story *story, const struct err *err)
{
	struct event event = story->event;

	if (!story->refused)
		log_event(LOG_WARNING,
			  "the event of pod=%s namespace=%s is not taken now, which is tried "
			  "again: %s",
			  event.pod, event.namespace, err->text);
	story->refused = true;
	if (!ledger_retry(&reporter->ledger, story, clock_ms(), time(NULL)))
		log_drop(reporter, &event, err->text);
}

static enum api_answer send_event(struct reporter *reporter, const struct event *event,
				  int64_t *wait_ms, struct err *err)
{
	cleanup_arena arena = {0};
	enum api_answer answer = API_AWAY;
	sigset_t blocked;
	size_t len;
	const char *text = event_text(&arena, event, reporter->node, &len);

	*wait_ms = 0;
	if (!text) {
		(void)err_memory(err);
		return API_AWAY;
	}
	(void)sigprocmask(SIG_SETMASK, &reporter->blocked_before, &blocked);
	if (!stopping)
		answer = api_post(reporter->api, event->namespace, text, len, wait_ms, err);
	(void)sigprocmask(SIG_SETMASK, &blocked, NULL);
	return answer;
}

static void post(struct reporter *reporter, struct story *story)
{
	int64_t wait_ms;
	struct err err;
	enum api_answer answer = send_event(reporter, &story->event, &wait_ms, &err);

	if (answer == API_AWAY) {
		if (!stopping) /* which has ended the request */
			go_away(reporter, story, wait_ms, &err);
		return;
	}
	come_back(reporter);
	switch (answer) {
	case API_LATER:
		try_later(reporter, story, &err);
		return;
	case API_REFUSED:
		log_drop(reporter, &story->event, err.text);
		ledger_done(&reporter->ledger, story, clock_ms());
		return;
	default:
		reporter->counters.posted += answer == API_POSTED;
		reporter->counters.there += answer == API_THERE;
		log_told(&story->event, answer);
		ledger_done(&reporter->ledger, story, clock_ms());
	}
}

/* ---- the loop ---- */

static void log_summary(struct reporter *reporter, bool now)
{
	const struct counters *counters = &reporter->counters;

	if (!now && clock_ms() < reporter->summary_at)
		return;
	reporter->summary_at = clock_ms() + SUMMARY_MS;
	if (memcmp(counters, &reporter->logged, sizeof(*counters)) == 0)
		return;
	reporter->logged = *counters;
	log_event(counters->dropped || counters->unreadable ? LOG_WARNING : LOG_INFO,
		  "records=%" PRIu64 " posted=%" PRIu64 " there=%" PRIu64 " dropped=%" PRIu64
		  " unreadable=%" PRIu64 " waiting=%zu",
		  counters->records, counters->posted, counters->there, counters->dropped,
		  counters->unreadable, ledger_waiting(&reporter->ledger));
}

static int timeout_of(const struct reporter *reporter)
{
	int64_t due = ledger_time(&reporter->ledger);
	int64_t next = due < reporter->summary_at ? due : reporter->summary_at;
	int64_t wait = next - clock_ms();

	if (wait < 0)
		return 0;
	return wait < LOOK_MS ? (int)wait : LOOK_MS;
}

static void wait_for(const struct reporter *reporter, int watch)
{
	struct pollfd ready = {.fd = watch, .events = POLLIN};
	int ms = timeout_of(reporter);
	struct timespec timeout = {ms / 1000, (ms % 1000) * 1000000L};

	(void)ppoll(&ready, 1, &timeout, &reporter->blocked_before);
}

static int serve(struct reporter *reporter, const struct spool *spool, struct err *err)
{
	const struct spool_handler handler = {take, fail, reporter};
	int n = spool_read_all(spool, &handler, err);

	if (n < 0)
		return -1;
	log_event(LOG_INFO,
		  "reads /" RECORD_DIR ": %d records, %" PRIu64 " of them older than an "
		  "hour, which are not told",
		  n, reporter->counters.dropped);
	if (n >= RECORDS_MAX)
		log_event(LOG_WARNING, "/" RECORD_DIR " is full: older records may be gone, which "
				       "the node's journal has");
	while (!stopping) {
		struct story *story = ledger_next(&reporter->ledger, clock_ms());

		if (story)
			post(reporter, story);
		log_summary(reporter, false);
		if (!stopping)
			wait_for(reporter, spool->watch);
		if (spool_read_new(spool, &handler, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- begin and end ---- */

static void stop(int signal)
{
	(void)signal;
	stopping = 1;
}

/* They come while the program waits, and while it posts, so that a request ends: between a look at
 * stopping and the waiting none is missed. */
static void catch_signals(struct reporter *reporter)
{
	const struct sigaction action = {.sa_handler = stop};
	sigset_t signals;

	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGTERM);
	(void)sigaddset(&signals, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &signals, &reporter->blocked_before);
	(void)sigdelset(&reporter->blocked_before, SIGTERM);
	(void)sigdelset(&reporter->blocked_before, SIGINT);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
}

static void find_node(char node[NODE_SIZE])
{
	const char *name = getenv("NODE_NAME");

	if (name && name[0])
		(void)snprintf(node, NODE_SIZE, "%s", name);
	else if (gethostname(node, NODE_SIZE - 1) < 0)
		(void)snprintf(node, NODE_SIZE, "unknown");
	node[NODE_SIZE - 1] = '\0';
	text_make_printable(node);
}

int reporter_run(const struct events_options *options)
{
	static struct reporter reporter;
	cleanup_spool spool = SPOOL_NONE;
	struct err err;
	int status = -1;

	log_as_daemon(EVENTS_NAME);
	catch_signals(&reporter);
	find_node(reporter.node);
	reporter.summary_at = clock_ms() + SUMMARY_MS;
	if (spool_open(&spool, options->node.sysroot, &err) == 0) {
		reporter.api = api_open(options->account, &stopping, &err);
		if (reporter.api)
			status = serve(&reporter, &spool, &err);
	}
	if (status < 0)
		log_event(LOG_ERR, "%s", err.text);
	log_summary(&reporter, true);
	api_close(reporter.api);
	return status < 0;
}
