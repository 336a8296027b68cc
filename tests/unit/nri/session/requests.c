/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime's requests and our answers */
#include "story.h"

static const struct method_case {
	const char *name;
	const char *service;
	const char *method;
	bool container; /* it is asked about one */
	size_t len;     /* of the answer */
	int code;       /* its status */
} method_cases[] = {
	{"an unknown method is not implemented", SERVICE, "RemoveEverything", false, 0, 12},
	{"a method of another service is not implemented", "other", "CreateContainer", false, 0,
	 12},
	{"a method that begins like one of ours is none", SERVICE, "CreateContainers", false, 0,
	 12},
	{"a state that changes is heard", SERVICE, "StateChange", false, 0, 0},
	{"an empty Configure: the events that are wanted", SERVICE, "Configure", false, 2, 0},
	{"an empty Synchronize is heard", SERVICE, "Synchronize", false, 0, 0},
	{"an empty CreateContainer is one that cannot be read", SERVICE, "CreateContainer", true, 0,
	 0},
	{"an empty StartContainer is one that cannot be read", SERVICE, "StartContainer", true, 0,
	 0},
};

UNIT_ROWS(method_cases)
{
	WITH_STORY;

	call_method_of(&story, row->service, row->method, "", 0);
	answered_with(&story, row->code, row->len);
	assert_int_equal(story.created + story.started, row->container);
	assert_int_equal(story.lost, row->container);
}

/* ---- a container's ---- */

#define BYTES(text) text, sizeof(text) - 1

static const struct container_case {
	const char *name;
	const char *method;
	const char *bytes;
	size_t len;
	const char *said; /* pod and container; NULL: nothing */
} container_cases[] = {
	{"create: a pod and a container", "CreateContainer", BYTES("\x0a\3\x12\1p\x12\3\x1a\1c"),
	 "p c"},
	{"create: a container alone", "CreateContainer", BYTES("\x12\3\x1a\1c"), "- c"},
	{"start: a pod and a container", "StartContainer", BYTES("\x0a\3\x12\1p\x12\3\x1a\1c"),
	 "p c"},
	{"the event of a start", "StateChange", BYTES("\x08\6\x12\3\x12\1p\x1a\3\x1a\1c"), "p c"},
	{"another event", "StateChange", BYTES("\x08\5\x12\3\x12\1p\x1a\3\x1a\1c"), NULL},
	{"no event", "StateChange", BYTES("\x12\3\x12\1p\x1a\3\x1a\1c"), NULL},
};

UNIT_ROWS(container_cases)
{
	const struct identity *identity;
	char said[16];
	WITH_STORY;

	call_method_of(&story, SERVICE, row->method, row->bytes, row->len);
	assert_int_equal(story.created, row->said && strcmp(row->method, "CreateContainer") == 0);
	assert_int_equal(story.created + story.started, row->said != NULL);
	assert_int_equal(story.lost, 0);
	if (!row->said)
		return;
	identity = &story.spec.identity;
	snprintf(said, sizeof(said), "%s %s", identity->pod ? identity->pod : "-", identity->name);
	assert_string_equal(said, row->said);
}

static const struct payload_case {
	const char *name;
	const char *bytes;
	size_t len;
} payload_cases[] = {
	{"twelve bytes of 0xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12},
	{"a field that is longer than the message", "\12\177ab", 4},
	{"a container that is a number", "\x10\x01", 2},
	{"a pod without a container", "\x0a\x00", 2},
};

/* It would fail any container. */
UNIT_ROWS_AS("garbage fails no container: ", payload_cases)
{
	static const char *const methods[] = {"Configure", "Synchronize", "CreateContainer",
					      "StartContainer", "StateChange"};

	for (size_t i = 0; i < LENGTH(methods); i++) {
		WITH_STORY;

		call_method_of(&story, SERVICE, methods[i], row->bytes, row->len);
		answered(&story, i == 0 ? 2 : 0);
		assert_int_equal(story.lost, i == 2 || i == 3);
	}
}

UNIT_TEST("fields may come in any order, the last one holds")
{
	struct buffer early = container_named("early");
	struct buffer late = container_named("late");
	struct buffer request = empty_buffer();
	WITH_STORY;

	put_inside(&request, 3, &early);
	put_inside(&request, 3, &late);
	put_number(&request, 4, 1999900000);
	put_text(&request, 2, "StateChange");
	put_text(&request, 2, "CreateContainer");
	put_text(&request, 1, SERVICE);
	say(&story, 7, &request);
	assert_int_equal(story.created, 1);
	assert_int_equal(story.lost, 0);
	assert_string_equal(story.spec.identity.name, "late");
}

/* The result would be a container without its pod's annotations. */
UNIT_TEST("a request that is cut is lost, although its container is whole")
{
	static const unsigned more[] = {1, 0};

	for (size_t i = 0; i < LENGTH(more); i++) {
		cleanup_buffer payload = container_named("whole");
		struct buffer request = request_of(SERVICE, "CreateContainer");
		WITH_STORY;

		put_varint(&request, 3 << 3 | 2);
		put_varint(&request, payload.len + more[i]);
		put(&request, payload.bytes, payload.len);
		put(&request, "\x1a\x7f", more[i] ? 0 : 2); /* another field, cut */
		say(&story, 7, &request);
		answered(&story, 0);
		assert_int_equal(story.created, 1);
		assert_int_equal(story.lost, 1);
	}
}

/* A runtime need not send its name and version: nothing depends on them. */
UNIT_TEST("a runtime need not say who it is")
{
	WITH_STORY;

	call_method_of(&story, SERVICE, "Configure", "", 0);
	assert_string_equal(story.runtime, "");
	assert_string_equal(story.version, "");
	call_method_of(&story, SERVICE, "Configure", "\x07", 1);
	assert_string_equal(story.runtime, "");
	assert_string_equal(story.version, "");
}

/* As NRI 0.6 sends it on a node with thousands of containers */
UNIT_TEST("Synchronize of 20 MiB is read, and its memory given back")
{
	size_t len = 20 * 1024 * 1024;
	char *payload = calloc(1, len);
	WITH_STORY;

	assert_non_null(payload);
	/* A pod, and the rest in a field that nobody reads */
	memcpy(payload, "\x0a\x03\x0a\x01p\x7a\xf6\xff\xff\x09", 10);
	call_method_of(&story, SERVICE, "Synchronize", payload, len);
	answered(&story, 0);
	assert_int_equal(story.session.known.n, 1);
	assert_true(story.synchronized == 1 && !story.session.known.lost);
	assert_int_equal(story.session.mux.streams[MUX_PLUGIN].room, 0);
	free(payload);
}
