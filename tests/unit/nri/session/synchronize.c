/* SPDX-License-Identifier: Apache-2.0 */
/* What a runtime says when it connects: the pods and containers that are there already */
#include "story.h"

static void synchronize_twice(struct story *story, const char *first, const char *last)
{
	struct buffer request = request_of(SERVICE, "Synchronize");

	begin(story);
	put_text(&request, 3, first);
	put_text(&request, 3, last);
	say(story, 7, &request);
}

/* Whether there is more: what the last payload says, in whatever the first one ends */
UNIT_TEST("of two payloads the last says whether there is more")
{
	static const char *const firsts[] = {"\x18\x01", "\x07", "\x18", "\x0a\x7f"};

	for (size_t i = 0; i < LENGTH(firsts); i++) {
		cleanup_story all;
		cleanup_story more;

		synchronize_twice(&all, firsts[i], "");
		assert_int_equal(all.synchronized, 1);
		synchronize_twice(&more, firsts[i], "\x18\x01");
		assert_int_equal(more.synchronized, 0);
	}
}

UNIT_TEST("synchronized once, whatever is asked again")
{
	WITH_STORY;

	assert_int_equal(story.session.stage, SESSION_CONNECTED);
	call_method_of(&story, SERVICE, "Configure", "", 0);
	assert_int_equal(story.session.stage, SESSION_CONFIGURED);
	for (int i = 0; i < 2; i++) {
		call_method_of(&story, SERVICE, "Synchronize", "", 0);
		assert_int_equal(story.session.stage, SESSION_SYNCHRONIZED);
		assert_int_equal(story.synchronized, 1);
		call_method_of(&story, SERVICE, "Configure", "", 0);
		assert_int_equal(story.session.stage, SESSION_SYNCHRONIZED);
	}
}

UNIT_TEST("Synchronize: more is answered with more")
{
	cleanup_arena arena = {0};
	cleanup_buffer payload = empty_buffer();
	WITH_STORY;

	put_text(&payload, 1, "a pod");
	put_text(&payload, 2, "a container");
	put_number(&payload, 3, 1);
	call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len);
	/* Response{payload{more}} */
	assert_memory_equal(story.session.out.bytes + MUX_HEADER + TTRPC_HEADER, "\x12\x02\x10\x01",
			    4);
	assert_int_equal(story.synchronized, 0);
	call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len - 2);
	assert_int_equal(story.session.out.len, MUX_HEADER + TTRPC_HEADER);
	assert_int_equal(story.synchronized, 1);
}

/* A container that is there already, of a verbs device or another */
static void put_known(struct buffer *to, const char *id, uint64_t state, uint64_t major)
{
	struct buffer container = empty_buffer();
	struct buffer platform = empty_buffer();

	put_device(&platform, "c", major);
	put_text(&container, 1, id);
	put_number(&container, 4, state);
	put_inside(&container, 11, &platform);
	put_inside(to, 2, &container);
}

UNIT_TEST("Synchronize: each pod and container is heard, byte by byte")
{
	struct buffer payload = empty_buffer();
	cleanup_buffer request = request_of(SERVICE, "Synchronize");
	cleanup_buffer frames = empty_buffer();
	WITH_STORY;
	struct err err;

	put_text(&payload, 1, "\x0a\x01p");
	put_text(&payload, 1, "");
	put_known(&payload, "plain", 3, 1);
	put_known(&payload, "rdma", 3, 231);
	put_inside(&request, 3, &payload);
	assert_int_equal(
		ttrpc_write(&frames, MUX_PLUGIN, TTRPC_REQUEST, 7, request.bytes, request.len), 0);
	for (size_t i = 0; i < frames.len; i++)
		assert_int_equal(hear(&story, frames.bytes + i, 1, &err), 0);
	assert_int_equal(story.pods, 2);
	assert_int_equal(story.containers, 2);
	assert_string_equal(story.last_id, "rdma");
	assert_true(story.last_has_device);
	assert_true(story.synchronized == 1 && story.whole);
}

/* What comes again on the same connection has been heard. */
UNIT_TEST("Synchronize: what is there is heard once")
{
	cleanup_buffer payload = empty_buffer();
	WITH_STORY;

	put_known(&payload, "rdma", 3, 231);
	for (int i = 0; i < 2; i++)
		call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len);
	call_method_of(&story, SERVICE, "StateChange", payload.bytes, payload.len);
	assert_int_equal(story.containers, 1);
}

UNIT_TEST("Synchronize: a part that is cut is said")
{
	WITH_STORY;

	call_method_of(&story, SERVICE, "Synchronize", "\x12\x7f\x0a\x01x", 5);
	assert_int_equal(story.containers, 0);
	assert_true(story.synchronized == 1 && !story.whole);
}
