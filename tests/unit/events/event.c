/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a pod's event */
#include "tests/unit/unit.h"

#include "events/event.h"

#define UID "944c324a-7958-438a-b04f-699cedbf673d"
#define NOW 1795000000 /* seconds since 1970 */

static const struct record denied = {
	.id = "c1",
	.container = "trainer",
	.pod = "h-kim-0",
	.pod_namespace = "team-a",
	.pod_uid = UID,
	.result = RECORD_DENIED,
	.reason = "namespace team-a is not among the namespaces",
	.entry_point = "nri",
	.time = NOW,
};

/* ---- what an event says ---- */

static const char *text_at(struct arena *arena, const struct record *record, int64_t now)
{
	size_t len;
	const char *text = event_text(arena, record, "node-1", now, &len);

	assert_non_null(text);
	assert_int_equal(strlen(text), len);
	return text;
}

static const char *text_of(struct arena *arena, const struct record *record)
{
	return text_at(arena, record, NOW + 60);
}

UNIT_TEST("an event says why, and of which pod")
{
	cleanup_arena arena = {0};
	const char *text = text_of(&arena, &denied);

	assert_has(text,
		   "\"note\":\"container trainer: namespace team-a is not among the namespaces\"");
	assert_has(text,
		   "\"regarding\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"namespace\":\"team-a\","
		   "\"name\":\"h-kim-0\",\"uid\":\"944c324a-7958-438a-b04f-699cedbf673d\"}");
	assert_has(text, "\"type\":\"Warning\",\"reason\":\"RDMADenied\"");
	assert_has(text, "\"eventTime\":\"2026-11-18T11:06:40.000000Z\"");
	assert_has(text, "\"reportingInstance\":\"node-1\"");
}

UNIT_TEST("a record from the future: its event is of now")
{
	cleanup_arena arena = {0};

	assert_has(text_at(&arena, &denied, NOW - 60),
		   "\"eventTime\":\"2026-11-18T11:05:40.000000Z\"");
}

static const struct result_case {
	const char *name;
	enum record_result result;
	const char *text;
} result_cases[] = {
	{"nothing is no warning", RECORD_NOTHING,
	 "\"type\":\"Normal\",\"reason\":\"RDMANotGiven\""},
	{"denied", RECORD_DENIED, "\"type\":\"Warning\",\"reason\":\"RDMADenied\""},
	{"failed", RECORD_FAILED, "\"type\":\"Warning\",\"reason\":\"RDMAFailed\""},
	{"missed", RECORD_MISSED, "\"type\":\"Warning\",\"reason\":\"RDMAMissed\""},
	{"mended", RECORD_MENDED, "\"type\":\"Normal\",\"reason\":\"RDMAMended\""},
};

UNIT_ROWS_AS("an event: ", result_cases)
{
	cleanup_arena arena = {0};
	struct record record = denied;

	record.result = row->result;
	assert_has(text_of(&arena, &record), row->text);
}

static const struct path_case {
	const char *name;
	const char *reason;
	const char *note;
} path_cases[] = {
	{"the policy", "not among the namespaces of /etc/oci-rdma-hook/config.json",
	 "not among the namespaces of the node's policy"},
	{"the policy, quoted", "see '/etc/oci-rdma-hook/config.json': x",
	 "see 'the node's policy': x"},
	{"a file of the node", "/sys/class/infiniband/mlx5_0: Input/output error",
	 "a file of the node: Input/output error"},
	{"one that begins as the policy does", "/etc/oci-rdma-hook/config.json.d/x (y)",
	 "a file of the node (y)"},
	{"at the end", "cannot read /run/x/config.json", "cannot read a file of the node"},
	{"beside marks", "(/run/x), a=/run/y; 'b' /run/z: c",
	 "(a file of the node), a=a file of the node; 'b' a file of the node: c"},
	{"what is wrong with the policy, which names others' namespaces",
	 "/etc/oci-rdma-hook/config.json: line 2: namespaces[1]: 'team_b' is neither",
	 "the node's policy cannot be used: the node's journal says why"},
	{"the container's own", "/etc/nccl.conf and /dev/infiniband/uverbs6 stay",
	 "/etc/nccl.conf and /dev/infiniband/uverbs6 stay"},
};

UNIT_ROWS_AS("paths of the node are none of the author's business: ", path_cases)
{
	cleanup_arena arena = {0};
	struct record record = denied;
	char note[256];

	record.reason = row->reason;
	record.policy = "/etc/oci-rdma-hook/config.json";
	snprintf(note, sizeof(note), "\"note\":\"container trainer: %s\"", row->note);
	assert_has(text_of(&arena, &record), note);
}

/* At most 1,024 bytes, whole characters, no control characters */
UNIT_TEST("a note has 1,024 bytes at most, of whole characters")
{
	static const char *const containers[] = {"trainer", "trainers"};
	cleanup_arena arena = {0};
	static char reason[RECORD_REASON_MAX + 1];
	struct record record = denied;
	const char *note;
	const char *end;

	for (size_t i = 0; i + 2 < sizeof(reason); i += 2)
		memcpy(reason + i, "\xc3\xa9", 2);
	reason[0] = '\x1b';
	record.reason = reason;
	for (size_t i = 0; i < LENGTH(containers); i++) {
		record.container = containers[i];
		note = strstr(text_of(&arena, &record), "\"note\":\"") + strlen("\"note\":\"");
		end = strchr(note, '"');
		assert_int_equal(end - note, 1023 + i);
		assert_int_equal(strncmp(note, "container trainer", 17), 0);
		assert_int_equal(note[19 + i], '?');
		assert_true((unsigned char)end[-1] == 0xa9);
	}
}

UNIT_TEST("without the container's name and the pod's uid an event has neither")
{
	cleanup_arena arena = {0};
	struct record record = denied;

	record.container = NULL;
	record.pod_uid = NULL;
	assert_has(text_of(&arena, &record), "\"note\":\"namespace team-a is");
	assert_null(strstr(text_of(&arena, &record), "\"uid\""));
}

static const char *name_of(struct arena *arena, const struct record *record)
{
	const char *name = strstr(text_of(arena, record), "\"name\":\"") + strlen("\"name\":\"");

	return arena_strndup(arena, name, strcspn(name, "\""));
}

static const struct same_case {
	const char *name;
	const char *container, *pod, *namespace, *uid;
	enum record_result result;
	int64_t time;
	bool same;
} same_cases[] = {
	{"the same container, in the same ten minutes", "trainer", "h-kim-0", "team-a", UID,
	 RECORD_DENIED, NOW + 199, true},
	{"another container of the pod", "c", "h-kim-0", "team-a", UID, RECORD_DENIED, NOW, false},
	{"ten minutes later", "trainer", "h-kim-0", "team-a", UID, RECORD_DENIED, NOW + 200, false},
	{"another result", "trainer", "h-kim-0", "team-a", UID, RECORD_FAILED, NOW, false},
	{"another pod of this name", "trainer", "h-kim-0", "team-a", "other", RECORD_DENIED, NOW,
	 false},
	{"another namespace", "trainer", "h-kim-0", "team-b", UID, RECORD_DENIED, NOW, false},
};

UNIT_ROWS_AS("a second event has the same name: ", same_cases)
{
	cleanup_arena arena = {0};
	const struct record record = {.id = "c2",
				      .container = row->container,
				      .pod = row->pod,
				      .pod_namespace = row->namespace,
				      .pod_uid = row->uid,
				      .result = row->result,
				      .reason = "x",
				      .entry_point = "nri",
				      .time = row->time};
	const char *name = name_of(&arena, &denied);

	assert_int_equal(strncmp(name, "h-kim-0.", 8), 0);
	assert_int_equal(strlen(name), 8 + 16);
	assert_int_equal(strcmp(name, name_of(&arena, &record)) == 0, row->same);
}

UNIT_TEST("each version makes the same name of a record: an update posts no event again")
{
	cleanup_arena arena = {0};
	struct record record = denied;

	assert_string_equal(name_of(&arena, &record), "h-kim-0.181d3806d272d5a3");
	record.pod_uid = NULL;
	assert_string_equal(name_of(&arena, &record), "h-kim-0.14191b6dd8fb9eee");
}

UNIT_TEST("odd records: no policy, no words, a time of no calendar, a pod without a letter")
{
	cleanup_arena arena = {0};
	struct record record = denied;

	record.reason = ": /x";
	assert_has(text_of(&arena, &record),
		   "\"note\":\"container trainer: : a file of the node\"");
	record.container = NULL;
	record.reason = "";
	record.time = INT64_MIN;
	record.pod = "---";
	assert_has(text_of(&arena, &record), "\"note\":\"\"");
	assert_has(text_of(&arena, &record), "\"eventTime\":\"\"");
	assert_has(text_of(&arena, &record), "\"reportingInstance\":\"node-1\"");
	assert_int_equal(strlen(name_of(&arena, &record)), 17);
}

UNIT_TEST("a long pod's name is cut to one that is allowed")
{
	cleanup_arena arena = {0};
	char pod[254];
	struct record record = denied;
	const char *name;

	memset(pod, 'a', 253);
	pod[253] = '\0';
	memset(pod + 230, '-', 10);
	record.pod = pod;
	name = name_of(&arena, &record);
	assert_int_equal(strlen(name), 230 + 17);
	assert_int_equal(name[229], 'a');
	assert_int_equal(name[230], '.');
	memset(pod, 'a', 253);
	assert_int_equal(strlen(name_of(&arena, &record)), 253);
}

/* ---- what the API server answers ---- */

static const struct answer_case {
	const char *name;
	long code;
	const char *reason, *message;
	enum event_answer want;
} answer_cases[] = {
	{"200", 200, "", "", EVENT_POSTED},
	{"201", 201, "", "", EVENT_POSTED},
	{"202, which is no answer of its", 202, "", "", EVENT_LATER},
	{"a redirection", 399, "", "", EVENT_LATER},
	{"400", 400, "", "", EVENT_REFUSED},
	{"401: the token is read anew", 401, "Unauthorized", "", EVENT_LATER},
	{"403 of a quota, or of the role", 403, "Forbidden", "exceeded quota", EVENT_LATER},
	{"403 of a namespace that ends", 403, "Forbidden", "because it is being terminated",
	 EVENT_REFUSED},
	{"409 of the name", 409, "AlreadyExists", "", EVENT_THERE},
	{"409 of a quota", 409, "Conflict", "", EVENT_LATER},
	{"422", 422, "Invalid", "", EVENT_REFUSED},
	{"429", 429, "TooManyRequests", "", EVENT_LATER},
	{"499", 499, "", "", EVENT_REFUSED},
	{"500", 500, "", "", EVENT_LATER},
	{"no answer at all", 0, "", "", EVENT_LATER},
};

UNIT_ROWS_AS("the API server answers ", answer_cases)
{
	assert_int_equal(event_judge(row->code, row->reason, row->message), row->want);
}

int main(void)
{
	return unit_main("event");
}
