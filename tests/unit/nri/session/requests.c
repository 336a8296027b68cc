/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of a runtime, and what each is answered */
#include "story.h"

static const struct method_case {
	const char *name;
	const char *service;
	const char *method;
	int status;
} method_cases[] = {
	{"an unknown method is not implemented", SERVICE, "RemoveEverything", 12},
	{"a method of another service is not implemented", "other", "CreateContainer", 12},
	{"a method that begins like one of ours is none", SERVICE, "CreateContainers", 12},
	{"a state that changes is heard", SERVICE, "StateChange", 0},
	{"an update that nobody asked for is heard", SERVICE, "UpdateContainer", 0},
	{"a validation is not objected to", SERVICE, "ValidateContainerAdjustment", 0},
	{"a container that stops is heard", SERVICE, "StopContainer", 0},
	{"a pod that changes is heard", SERVICE, "UpdatePodSandbox", 0},
	{"a shutdown is heard", SERVICE, "Shutdown", 0},
	{"an empty Configure is answered", SERVICE, "Configure", 0},
	{"an empty CreateContainer is answered", SERVICE, "CreateContainer", 0},
};

UNIT_ROWS(method_cases)
{
	WITH_STORY;

	call_method_of(&story, row->service, row->method, "", 0);
	assert_int_equal(answered(&story), row->status);
}

static const struct payload_case {
	const char *name;
	const char *bytes;
	size_t len;
} payload_cases[] = {
	{"twelve bytes of 0xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12},
	{"a field that is longer than the message", "\12\177ab", 4},
	{"a group", "\x0b\x0c", 2},
	{"field number 0", "\x02\x00", 2},
	{"a varint of eleven bytes", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12},
	{"a container that is a number", "\x10\x01", 2},
	{"a pod without a container", "\x0a\x00", 2},
};

/* It would fail whatever container it is. */
UNIT_ROWS_AS("garbage fails no container: ", payload_cases)
{
	static const char *const methods[] = {"Configure", "Synchronize", "CreateContainer"};

	for (size_t i = 0; i < LENGTH(methods); i++) {
		WITH_STORY;

		call_method_of(&story, SERVICE, methods[i], row->bytes, row->len);
		assert_int_equal(answered(&story), 0);
		assert_int_equal(story.lost, i == 2);
	}
}

UNIT_TEST("fields may come in any order, the last one holds")
{
	struct buffer payload = container_named("late");
	struct buffer request = empty_buffer();
	WITH_STORY;

	put_inside(&request, 3, &payload);
	put_number(&request, 4, 1999900000);
	put_text(&request, 2, "StateChange");
	put_text(&request, 2, "CreateContainer");
	put_text(&request, 1, SERVICE);
	say(&story, 7, &request);
	assert_int_equal(story.created, 1);
	assert_int_equal(story.lost, 0);
	assert_string_equal(story.spec.identity.name, "late");
}

/* What came of it would be a container, without the annotations of its pod. */
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
		put(&request, "\x1a\x7f", more[i] ? 0 : 2); /* another field, which is cut */
		say(&story, 7, &request);
		assert_int_equal(answered(&story), 0);
		assert_int_equal(story.created, 1);
		assert_int_equal(story.lost, 1);
	}
}

/* As everywhere in protobuf, and nothing of the one before is left. */
UNIT_TEST("of two payloads the last holds")
{
	struct buffer container = empty_buffer();
	struct buffer first = empty_buffer();
	struct buffer second = container_named("second");
	struct buffer request = request_of(SERVICE, "CreateContainer");
	WITH_STORY;

	put_text(&container, 8, "A=1");
	put_container(&first, &container);
	put_inside(&request, 3, &first);
	put_inside(&request, 3, &second);
	say(&story, 7, &request);
	assert_int_equal(story.lost, 0);
	assert_string_equal(story.spec.identity.name, "second");
	assert_int_equal(story.spec.n_env, 0);
}

/* The room for a name is bounded, however the name comes. */
UNIT_TEST("a method with a name of 10,000 bytes, at once and in pieces, is not implemented")
{
	static const size_t steps[] = {20000, 1};
	static char longest[10001];
	cleanup_buffer frames = empty_buffer();
	struct buffer request;
	struct err err;

	memset(longest, 'x', sizeof(longest) - 1);
	request = request_of(SERVICE, longest);
	assert_int_equal(
		ttrpc_write(&frames, MUX_PLUGIN, TTRPC_REQUEST, 7, request.bytes, request.len), 0);
	for (size_t k = 0; k < LENGTH(steps); k++) {
		WITH_STORY;

		buffer_clear(&story.session.out);
		for (size_t i = 0; i < frames.len; i += steps[k])
			assert_int_equal(hear(&story, frames.bytes + i,
					      steps[k] < frames.len - i ? steps[k] : frames.len - i,
					      &err),
					 0);
		assert_int_equal(answered(&story), 12);
	}
	buffer_free(&request);
}

/* What a request lacks is not that of the one before. */
UNIT_TEST("what a request lacks is not that of the one before")
{
	cleanup_buffer payload = container_named("first");
	struct buffer request = request_of(SERVICE, "CreateContainer");
	WITH_STORY;

	call_method_of(&story, SERVICE, "CreateContainer", payload.bytes, payload.len);
	assert_string_equal(story.spec.identity.name, "first");
	assert_int_equal(story.lost, 0);
	say(&story, 7, &request);
	assert_int_equal(story.created, 2);
	assert_int_equal(story.lost, 1);
	put_text(&request, 1, SERVICE);
	put_bytes(&request, 3, payload.bytes, payload.len);
	say(&story, 7, &request);
	assert_int_equal(answered(&story), 12);
	assert_int_equal(story.created, 2);
}

/* A runtime need not say its name and version: nothing depends on them. */
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

/* As NRI 0.6 sends it of a node with some thousand containers */
UNIT_TEST("Synchronize of 20 MiB is read, and its memory given back")
{
	size_t len = 20 * 1024 * 1024;
	char *payload = calloc(1, len);
	WITH_STORY;

	assert_non_null(payload);
	memcpy(payload, "\x0a\xfb\xff\xff\x09", 5); /* a pod of all the rest */
	call_method_of(&story, SERVICE, "Synchronize", payload, len);
	assert_int_equal(answered(&story), 0);
	assert_int_equal(story.pods, 1);
	assert_true(story.synchronized == 1 && story.whole);
	assert_int_equal(story.session.mux.streams[MUX_PLUGIN].room, 0);
	free(payload);
}
