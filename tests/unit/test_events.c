/* SPDX-License-Identifier: Apache-2.0 */
/* oci-rdma-events: what an event of a pod says, and which are posted when */
#include "unit.h"

#include "core/note/refusal.h"
#include "events/event.h"
#include "events/ledger.h"
#include "events/spool.h"

#define NOW 1795000000 /* seconds since 1970 */
#define MINUTE INT64_C(60000)

static const struct refusal denied = {
	.id = "c1",
	.container = "trainer",
	.pod = "h-kim-0",
	.pod_namespace = "team-a",
	.pod_uid = "944c324a-7958-438a-b04f-699cedbf673d",
	.result = NOTE_DENIED,
	.reason = "namespace team-a is not among the namespaces",
	.entry_point = "nri",
	.time = NOW,
};

/* ---- what is taken ---- */

static char longest[300];

static const char *repeated(char c, size_t n)
{
	memset(longest, c, n);
	longest[n] = '\0';
	return longest;
}

static const struct name_case {
	const char *name;
	const char *namespace;
	const char *pod;
	const char *container;
	const char *reason; /* NULL: it is taken */
} name_cases[] = {
	{"as Kubernetes has them", "team-a", "a.b-0", "trainer", NULL},
	{"no container's name", "team-a", "h", NULL, NULL},
	{"a namespace of a path", "../../pods", "h", "c", "is not a namespace"},
	{"a namespace with a slash", "a/b", "h", "c", "is not a namespace"},
	{"a namespace with a question mark", "a?b", "h", "c", "is not a namespace"},
	{"a namespace with a line break", "a\r\nb", "h", "c", "is not a namespace"},
	{"a namespace with %", "a%2f", "h", "c", "is not a namespace"},
	{"a namespace of capitals", "Team", "h", "c", "is not a namespace"},
	{"a namespace that ends in -", "team-", "h", "c", "is not a namespace"},
	{"no namespace", "", "h", "c", "is not a namespace"},
	{"a pod of two dots", "a", "h..b", "c", "is not the name of a pod"},
	{"a pod with a quote", "a", "h\"", "c", "is not the name of a pod"},
	{"a pod that begins with a dot", "a", ".h", "c", "is not the name of a pod"},
	{"a container with a blank", "a", "h", "c d", "is not the name of a container"},
};

static void a_name_is_taken_or_not(void **state)
{
	const struct name_case *row = *state;
	struct refusal refusal = denied;
	struct event event;
	struct err err;

	refusal.pod_namespace = row->namespace;
	refusal.pod = row->pod;
	refusal.container = row->container;
	assert_int_equal(event_take(&refusal, &event, &err), row->reason ? -1 : 0);
	if (!row->reason)
		return;
	assert_has(err.text, row->reason);
	assert_one_line(&err);
}

static void names_are_bounded(void **state)
{
	struct refusal refusal = denied;
	struct event event;
	struct err err;

	(void)state;
	refusal.pod_namespace = repeated('a', 63);
	assert_int_equal(event_take(&refusal, &event, &err), 0);
	refusal.pod_namespace = repeated('a', 64);
	assert_int_equal(event_take(&refusal, &event, &err), -1);
	refusal.pod_namespace = "a";
	refusal.pod = repeated('a', 253);
	assert_int_equal(event_take(&refusal, &event, &err), 0);
	refusal.pod = repeated('a', 254);
	assert_int_equal(event_take(&refusal, &event, &err), -1);
}

static void a_grant_is_nothing_to_tell(void **state)
{
	struct refusal refusal = denied;
	struct event event;
	struct err err;

	(void)state;
	refusal.result = NOTE_GRANTED;
	assert_int_equal(event_take(&refusal, &event, &err), -1);
}

/* ---- what an event says ---- */

static struct event event_of(const struct refusal *refusal)
{
	struct event event;
	struct err err;

	assert_int_equal(event_take(refusal, &event, &err), 0);
	return event;
}

static const char *text_of(struct arena *arena, const struct event *event)
{
	size_t len;
	const char *text = event_text(arena, event, "node-1", &len);

	assert_non_null(text);
	assert_int_equal(strlen(text), len);
	return text;
}

static void it_says_why(void **state)
{
	cleanup_arena arena = {0};
	struct event event = event_of(&denied);
	const char *text = text_of(&arena, &event);

	(void)state;
	assert_has(text,
		   "\"note\":\"container trainer: namespace team-a is not among the namespaces\"");
	assert_has(text,
		   "\"regarding\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"namespace\":\"team-a\","
		   "\"name\":\"h-kim-0\",\"uid\":\"944c324a-7958-438a-b04f-699cedbf673d\"}");
	assert_has(text, "\"type\":\"Warning\",\"reason\":\"RDMADenied\"");
	assert_has(text, "\"eventTime\":\"2026-11-18T11:06:40.000000Z\"");
	assert_has(text, "\"reportingInstance\":\"node-1\"");
	assert_null(strstr(text, "series"));
	event.count = 3;
	event.last = NOW + 60;
	assert_has(text_of(&arena, &event),
		   "\"series\":{\"count\":3,\"lastObservedTime\":\"2026-11-18T11:07:40.000000Z\"}");
}

static const struct result_case {
	const char *name;
	enum note_result result;
	const char *text;
} result_cases[] = {
	{"nothing is no warning", NOTE_NOTHING, "\"type\":\"Normal\",\"reason\":\"RDMANotGiven\""},
	{"denied", NOTE_DENIED, "\"type\":\"Warning\",\"reason\":\"RDMADenied\""},
	{"failed", NOTE_FAILED, "\"type\":\"Warning\",\"reason\":\"RDMAFailed\""},
	{"missed", NOTE_MISSED, "\"type\":\"Warning\",\"reason\":\"RDMAMissed\""},
	{"mended", NOTE_MENDED, "\"type\":\"Normal\",\"reason\":\"RDMAMended\""},
};

static void each_result_has_a_word(void **state)
{
	const struct result_case *row = *state;
	cleanup_arena arena = {0};
	struct refusal refusal = denied;
	struct event event;

	refusal.result = row->result;
	event = event_of(&refusal);
	assert_has(text_of(&arena, &event), row->text);
}

static void a_forged_uid_is_left_out(void **state)
{
	cleanup_arena arena = {0};
	struct refusal refusal = denied;
	struct event event;

	(void)state;
	refusal.pod_uid = "a\"b";
	event = event_of(&refusal);
	assert_null(strstr(text_of(&arena, &event), "uid"));
}

/* 1,024 bytes at most, of whole characters, without a control character */
static void a_note_is_one_that_the_server_takes(void **state)
{
	cleanup_arena arena = {0};
	static char reason[REFUSAL_REASON_MAX + 1];
	struct refusal refusal = denied;
	struct event event;
	const char *note;
	const char *end;

	(void)state;
	for (size_t i = 0; i + 2 < sizeof(reason); i += 2)
		memcpy(reason + i, "\xc3\xa9", 2);
	reason[0] = '\x1b';
	refusal.reason = reason;
	event = event_of(&refusal);
	note = strstr(text_of(&arena, &event), "\"note\":\"") + strlen("\"note\":\"");
	end = strchr(note, '"');
	assert_in_range(end - note, 1023, 1024);
	assert_int_equal(strncmp(note, "container trainer: ?", 20), 0);
	assert_true((unsigned char)end[-1] == 0xa9);
}

static void a_name_is_the_same_for_the_same(void **state)
{
	char names[6][EVENT_NAME_SIZE];
	struct refusal refusal = denied;
	struct event event = event_of(&denied);

	(void)state;
	event_name(&event, names[0]);
	event.last = NOW + 1;
	event.count = 7;
	event_name(&event, names[1]);
	assert_string_equal(names[0], names[1]);
	assert_int_equal(strncmp(names[0], "h-kim-0.", 8), 0);
	assert_int_equal(strlen(names[0]), 8 + 16);
	event.first++;
	event_name(&event, names[2]);
	refusal.pod_uid = "other";
	event = event_of(&refusal);
	event_name(&event, names[3]);
	refusal = denied;
	refusal.container = "other";
	event = event_of(&refusal);
	event_name(&event, names[4]);
	refusal = denied;
	refusal.result = NOTE_MISSED;
	event = event_of(&refusal);
	event_name(&event, names[5]);
	for (size_t i = 2; i < LENGTH(names); i++)
		assert_string_not_equal(names[0], names[i]);
}

static void a_long_name_is_cut_to_a_name(void **state)
{
	char name[EVENT_NAME_SIZE];
	char pod[254];
	struct refusal refusal = denied;
	struct event event;

	(void)state;
	memset(pod, 'a', 253);
	pod[253] = '\0';
	memset(pod + 230, '-', 10);
	refusal.pod = pod;
	event = event_of(&refusal);
	event_name(&event, name);
	assert_int_equal(strlen(name), 230 + 17);
	assert_int_equal(name[229], 'a');
	assert_int_equal(name[230], '.');
}

/* ---- the ledger ---- */

static struct ledger ledger;

static enum ledger_answer take_as(const char *id, const char *pod, int64_t time, int64_t now)
{
	struct refusal refusal = denied;
	struct event event;

	refusal.id = id;
	refusal.pod = pod;
	refusal.time = time;
	event = event_of(&refusal);
	return ledger_take(&ledger, &event, now, NOW);
}

static void the_first_is_told_at_once(void **state)
{
	struct story *story;

	(void)state;
	ledger = (struct ledger){0};
	assert_true(ledger_time(&ledger) == LEDGER_NEVER);
	assert_null(ledger_next(&ledger, 1000));
	assert_int_equal(take_as("c1", "h", NOW, 1000), LEDGER_TAKEN);
	assert_true(ledger_time(&ledger) <= 1000);
	story = ledger_next(&ledger, 1000);
	assert_non_null(story);
	assert_int_equal(story->event.count, 1);
	ledger_told(&ledger, story, 1000);
	assert_null(ledger_next(&ledger, 1000 + 60 * MINUTE));
	assert_int_equal(ledger_waiting(&ledger), 0);
}

static void repeats_are_counted(void **state)
{
	struct story *story;

	(void)state;
	ledger = (struct ledger){0};
	assert_int_equal(take_as("c1", "h", NOW - 90, 1000), LEDGER_TAKEN);
	ledger_told(&ledger, ledger_next(&ledger, 1000), 1000);
	assert_int_equal(take_as("c2", "h", NOW - 60, 31000), LEDGER_TAKEN);
	assert_int_equal(take_as("c3", "h", NOW - 30, 61000), LEDGER_TAKEN);
	assert_int_equal(take_as("c4", "h", NOW, 91000), LEDGER_TAKEN);
	assert_null(ledger_next(&ledger, 999 + 10 * MINUTE));
	story = ledger_next(&ledger, 1000 + 10 * MINUTE);
	assert_non_null(story);
	assert_int_equal(story->event.count, 3);
	assert_int_equal(story->event.first, NOW - 60);
	assert_int_equal(story->event.last, NOW);
	ledger_told(&ledger, story, 1000 + 10 * MINUTE);
	assert_null(ledger_next(&ledger, 30 * MINUTE));
}

static void a_record_is_taken_once(void **state)
{
	(void)state;
	ledger = (struct ledger){0};
	assert_int_equal(take_as("c1", "h", NOW - 2, 1000), LEDGER_TAKEN);
	assert_int_equal(take_as("c1", "h", NOW - 2, 1000), LEDGER_KNOWN);
	assert_int_equal(take_as("c2", "h", NOW - 1, 1000), LEDGER_TAKEN);
	assert_int_equal(take_as("c1", "h", NOW - 2, 1000), LEDGER_KNOWN);
	assert_int_equal(ledger_waiting(&ledger), 2);
}

static void an_hour_is_too_long_ago(void **state)
{
	struct story *story;

	(void)state;
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
static void the_rate_is_limited(void **state)
{
	char pod[16];
	int told = 0;

	(void)state;
	ledger = (struct ledger){0};
	for (int i = 0; i < 100; i++) {
		(void)snprintf(pod, sizeof(pod), "h-%d", i);
		assert_int_equal(take_as("c1", pod, NOW, 200000), LEDGER_TAKEN);
	}
	for (struct story *story; (story = ledger_next(&ledger, 200000)); told++)
		ledger_told(&ledger, story, 200000);
	assert_int_equal(told, LEDGER_TOKENS);
	assert_true(ledger_time(&ledger) == 200000 + LEDGER_TOKEN_MS);
	for (int64_t now = 200000; now <= 200000 + MINUTE; now += 100) {
		struct story *story = ledger_next(&ledger, now);

		if (!story)
			continue;
		ledger_told(&ledger, story, now);
		told++;
	}
	assert_int_equal(told, LEDGER_TOKENS + 12);
}

static void what_waits_is_bounded(void **state)
{
	char pod[16];

	(void)state;
	ledger = (struct ledger){0};
	for (int i = 0; i < LEDGER_STORIES_MAX; i++) {
		(void)snprintf(pod, sizeof(pod), "h-%d", i);
		assert_int_equal(take_as("c1", pod, NOW, 1000), LEDGER_TAKEN);
	}
	assert_int_equal(take_as("c1", "more", NOW, 1000), LEDGER_FULL);
	ledger_told(&ledger, ledger_next(&ledger, 1000), 1000);
	assert_int_equal(take_as("c1", "more", NOW, 1000), LEDGER_TAKEN);
	assert_int_equal(take_as("c1", "yet-more", NOW, 1000), LEDGER_FULL);
}

static void an_outage_is_waited_for_longer_and_longer(void **state)
{
	struct story *story;
	int64_t now = 1000;
	int64_t pauses[12];

	(void)state;
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
	ledger_told(&ledger, story, now);
	assert_int_equal(take_as("c2", "i", NOW, now), LEDGER_TAKEN);
	now += 10 * MINUTE;
	story = ledger_next(&ledger, now);
	assert_true(ledger_pause(&ledger, story, 7000, now, NOW));
	assert_true(ledger.paused_until == now + 7000); /* as the server says */
}

/* One event that is not taken does not keep the others. */
static void others_go_on(void **state)
{
	struct story *story;

	(void)state;
	ledger = (struct ledger){0};
	assert_int_equal(take_as("c1", "h", NOW, 1000), LEDGER_TAKEN);
	story = ledger_next(&ledger, 1000);
	assert_true(ledger_retry(&ledger, story, 1000, NOW));
	assert_int_equal(take_as("c1", "i", NOW, 1000), LEDGER_TAKEN);
	story = ledger_next(&ledger, 1000);
	assert_non_null(story);
	assert_string_equal(story->event.pod, "i");
	ledger_drop(&ledger, story, 1000);
	assert_null(ledger_next(&ledger, 1999));
	assert_non_null(ledger_next(&ledger, 2000));
}

/* ---- the spool ---- */

struct heard {
	char ids[8][16];
	int n;
	int failed;
};

static void hear(void *context, const struct refusal *refusal)
{
	struct heard *heard = context;

	(void)snprintf(heard->ids[heard->n++], sizeof(heard->ids[0]), "%s", refusal->id);
}

static void hear_failure(void *context, const struct err *err)
{
	struct heard *heard = context;

	assert_one_line(err);
	heard->failed++;
}

static void leave(const struct unit_dir *dir, const char *id)
{
	struct refusal refusal = denied;
	struct err err;

	refusal.id = id;
	assert_int_equal(refusal_leave(dir->path, &refusal, &err), 0);
}

static void each_record_is_read_once(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_spool spool = SPOOL_NONE;
	static const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	struct heard heard = {0};
	const struct spool_handler handler = {hear, hear_failure, &heard};
	struct err err;

	(void)state;
	assert_int_equal(spool_open(&spool, dir.path, &err), -1);
	assert_has(err.text, "mkdir");
	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	leave(&dir, "a");
	leave(&dir, "b");
	assert_int_equal(utimensat(dir.fd, REFUSAL_DIR "/b.denied.json", long_ago, 0), 0);
	unit_write(dir.fd, REFUSAL_DIR "/bad.json", "{", 0600);
	assert_int_equal(spool_open(&spool, dir.path, &err), 0);
	unit_write(dir.fd, REFUSAL_DIR "/.half.json", "{", 0600); /* not whole yet */
	assert_int_equal(spool_read_new(&spool, &handler, &err), 0);
	assert_int_equal(heard.failed, 0);
	spool_close(&spool);
	assert_int_equal(spool_open(&spool, dir.path, &err), 0);
	assert_int_equal(spool_read_all(&spool, &handler, &err), 3);
	assert_int_equal(heard.n, 2);
	assert_int_equal(heard.failed, 1);
	assert_string_equal(heard.ids[0], "b"); /* the oldest first */
	assert_string_equal(heard.ids[1], "a");
	assert_int_equal(spool_read_new(&spool, &handler, &err), 0);
	assert_int_equal(heard.n, 2);
	leave(&dir, "c");
	assert_int_equal(spool_read_new(&spool, &handler, &err), 0);
	assert_int_equal(heard.n, 3);
	assert_string_equal(heard.ids[2], "c");
	leave(&dir, "c"); /* in place of the one before */
	assert_int_equal(spool_read_new(&spool, &handler, &err), 0);
	assert_int_equal(heard.n, 4);
}

static void without_the_directory_it_ends(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_spool spool = SPOOL_NONE;
	struct heard heard = {0};
	const struct spool_handler handler = {hear, hear_failure, &heard};
	struct err err;

	(void)state;
	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	leave(&dir, "a");
	assert_int_equal(spool_open(&spool, dir.path, &err), 0);
	assert_int_equal(unlinkat(dir.fd, REFUSAL_DIR "/a.denied.json", 0), 0);
	assert_int_equal(unlinkat(dir.fd, REFUSAL_DIR, AT_REMOVEDIR), 0);
	assert_int_equal(spool_read_new(&spool, &handler, &err), -1);
	assert_has(err.text, "was removed");
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE_AS(&suite, "names: ", a_name_is_taken_or_not, name_cases);
	unit_add(&suite, "names are as long as Kubernetes allows", names_are_bounded, NULL);
	unit_add(&suite, "a grant is nothing to tell", a_grant_is_nothing_to_tell, NULL);
	unit_add(&suite, "an event says why, of which pod, and how often", it_says_why, NULL);
	UNIT_TABLE_AS(&suite, "an event: ", each_result_has_a_word, result_cases);
	unit_add(&suite, "a uid that is none is left out", a_forged_uid_is_left_out, NULL);
	unit_add(&suite, "a note has 1,024 bytes at most, of whole characters",
		 a_note_is_one_that_the_server_takes, NULL);
	unit_add(&suite, "an event's name is the same for the same",
		 a_name_is_the_same_for_the_same, NULL);
	unit_add(&suite, "a long pod's name is cut to one that is allowed",
		 a_long_name_is_cut_to_a_name, NULL);
	unit_add(&suite, "the first record is told at once", the_first_is_told_at_once, NULL);
	unit_add(&suite, "more within ten minutes are one event more", repeats_are_counted, NULL);
	unit_add(&suite, "a record that is read again is taken once", a_record_is_taken_once, NULL);
	unit_add(&suite, "a record of an hour ago is told to nobody", an_hour_is_too_long_ago,
		 NULL);
	unit_add(&suite, "20 events at once, then one each 5 s", the_rate_is_limited, NULL);
	unit_add(&suite, "what waits is bounded", what_waits_is_bounded, NULL);
	unit_add(&suite, "an outage is waited for longer and longer, 5 minutes at most",
		 an_outage_is_waited_for_longer_and_longer, NULL);
	unit_add(&suite, "an event that is not taken does not keep the others", others_go_on, NULL);
	unit_add(&suite, "each record is read once, the oldest first", each_record_is_read_once,
		 NULL);
	unit_add(&suite, "without its directory the reading ends", without_the_directory_it_ends,
		 NULL);
	return unit_run(&suite, "events");
}
