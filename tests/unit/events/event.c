/* SPDX-License-Identifier: Apache-2.0 */
/* What an event of a pod says, and of which records there is none */
#include "denied.h"

#include "events/event.h"

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

UNIT_ROWS_AS("names: ", name_cases)
{
	struct record record = denied;
	struct event event;
	struct err err;

	record.pod_namespace = row->namespace;
	record.pod = row->pod;
	record.container = row->container;
	assert_int_equal(event_take(&record, &event, &err), row->reason ? -1 : 0);
	if (!row->reason)
		return;
	assert_has(err.text, row->reason);
	assert_one_line(&err);
}

UNIT_TEST("names are as long as Kubernetes allows")
{
	struct record record = denied;
	struct event event;
	struct err err;

	record.pod_namespace = repeated('a', 63);
	assert_int_equal(event_take(&record, &event, &err), 0);
	record.pod_namespace = repeated('a', 64);
	assert_int_equal(event_take(&record, &event, &err), -1);
	record.pod_namespace = "a";
	record.pod = repeated('a', 253);
	assert_int_equal(event_take(&record, &event, &err), 0);
	record.pod = repeated('a', 254);
	assert_int_equal(event_take(&record, &event, &err), -1);
}

UNIT_TEST("a grant is nothing to tell")
{
	struct record record = denied;
	struct event event;
	struct err err;

	record.result = RECORD_GRANTED;
	assert_int_equal(event_take(&record, &event, &err), -1);
}

/* ---- what an event says ---- */

static const char *text_of(struct arena *arena, const struct event *event)
{
	size_t len;
	const char *text = event_text(arena, event, "node-1", &len);

	assert_non_null(text);
	assert_int_equal(strlen(text), len);
	return text;
}

UNIT_TEST("an event says why, of which pod, and how often")
{
	cleanup_arena arena = {0};
	struct event event = event_of(&denied);
	const char *text = text_of(&arena, &event);

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
	enum record_result result;
	const char *text;
} result_cases[] = {
	{"nothing is no warning", RECORD_NOTHING, "\"type\":\"Normal\",\"reason\":\"RDMANotGiven\""},
	{"denied", RECORD_DENIED, "\"type\":\"Warning\",\"reason\":\"RDMADenied\""},
	{"failed", RECORD_FAILED, "\"type\":\"Warning\",\"reason\":\"RDMAFailed\""},
	{"missed", RECORD_MISSED, "\"type\":\"Warning\",\"reason\":\"RDMAMissed\""},
	{"mended", RECORD_MENDED, "\"type\":\"Normal\",\"reason\":\"RDMAMended\""},
};

UNIT_ROWS_AS("an event: ", result_cases)
{
	cleanup_arena arena = {0};
	struct record record = denied;
	struct event event;

	record.result = row->result;
	event = event_of(&record);
	assert_has(text_of(&arena, &event), row->text);
}

UNIT_TEST("a uid that is none is left out")
{
	cleanup_arena arena = {0};
	struct record record = denied;
	struct event event;

	record.pod_uid = "a\"b";
	event = event_of(&record);
	assert_null(strstr(text_of(&arena, &event), "uid"));
}

/* 1,024 bytes at most, of whole characters, without a control character */
UNIT_TEST("a note has 1,024 bytes at most, of whole characters")
{
	cleanup_arena arena = {0};
	static char reason[RECORD_REASON_MAX + 1];
	struct record record = denied;
	struct event event;
	const char *note;
	const char *end;

	for (size_t i = 0; i + 2 < sizeof(reason); i += 2)
		memcpy(reason + i, "\xc3\xa9", 2);
	reason[0] = '\x1b';
	record.reason = reason;
	event = event_of(&record);
	note = strstr(text_of(&arena, &event), "\"note\":\"") + strlen("\"note\":\"");
	end = strchr(note, '"');
	assert_in_range(end - note, 1023, 1024);
	assert_int_equal(strncmp(note, "container trainer: ?", 20), 0);
	assert_true((unsigned char)end[-1] == 0xa9);
}

UNIT_TEST("an event's name is the same for the same")
{
	char names[6][EVENT_NAME_SIZE];
	struct record record = denied;
	struct event event = event_of(&denied);

	event_name(&event, names[0]);
	event.last = NOW + 1;
	event.count = 7;
	event_name(&event, names[1]);
	assert_string_equal(names[0], names[1]);
	assert_int_equal(strncmp(names[0], "h-kim-0.", 8), 0);
	assert_int_equal(strlen(names[0]), 8 + 16);
	event.first++;
	event_name(&event, names[1]);
	assert_string_equal(names[0], names[1]);
	event.recorded++;
	event_name(&event, names[2]);
	record.pod_uid = "other";
	event = event_of(&record);
	event_name(&event, names[3]);
	record = denied;
	record.container = "other";
	event = event_of(&record);
	event_name(&event, names[4]);
	record = denied;
	record.result = RECORD_MISSED;
	event = event_of(&record);
	event_name(&event, names[5]);
	for (size_t i = 2; i < LENGTH(names); i++)
		assert_string_not_equal(names[0], names[i]);
}

UNIT_TEST("a long pod's name is cut to one that is allowed")
{
	char name[EVENT_NAME_SIZE];
	char pod[254];
	struct record record = denied;
	struct event event;

	memset(pod, 'a', 253);
	pod[253] = '\0';
	memset(pod + 230, '-', 10);
	record.pod = pod;
	event = event_of(&record);
	event_name(&event, name);
	assert_int_equal(strlen(name), 230 + 17);
	assert_int_equal(name[229], 'a');
	assert_int_equal(name[230], '.');
}

int main(void)
{
	return unit_main("event");
}
