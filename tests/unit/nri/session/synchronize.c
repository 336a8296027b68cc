/* SPDX-License-Identifier: Apache-2.0 */
/* What a runtime says when it connects: the pods and containers that are there already */
#include "story.h"

UNIT_TEST("Synchronize: more is answered with more")
{
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
	/* One behind the other they are one message. */
	assert_int_equal(story.session.known.len, 2 * payload.len - 2);
	assert_memory_equal(story.session.known.bytes, payload.bytes, payload.len);
}

/* What comes again on the same connection has been heard. */
UNIT_TEST("Synchronize: what is there is heard once, whatever is asked again")
{
	static const char *const methods[] = {"Synchronize", "Configure", "StateChange",
					      "Synchronize"};
	WITH_STORY;

	for (size_t i = 0; i < LENGTH(methods); i++) {
		call_method_of(&story, SERVICE, methods[i], "\x0a\x00", 2);
		assert_int_equal(story.synchronized, 1);
		assert_int_equal(story.session.known.len, 2);
	}
	assert_false(story.session.known_lost);
}

UNIT_TEST("Synchronize: a part that is lost is said")
{
	static const struct {
		const char *bytes;
		size_t len;
	} cut[] = {{"\x12\x7f\x0a\x01x", 5}, {"\x12\x00\x07", 3}};
	char *large = calloc(1, SESSION_KNOWN_MAX + 10);
	WITH_STORY;

	for (size_t i = 0; i < LENGTH(cut); i++) {
		cleanup_story other;

		begin(&other);
		call_method_of(&other, SERVICE, "Synchronize", cut[i].bytes, cut[i].len);
		assert_int_equal(other.session.known.len, 0);
		assert_true(other.synchronized == 1 && other.session.known_lost);
	}
	assert_non_null(large);
	memcpy(large, "\x0a\x84\x80\x80\x10",
	       5); /* a pod of all the rest: more than there is room for */
	call_method_of(&story, SERVICE, "Synchronize", large, SESSION_KNOWN_MAX + 9);
	assert_int_equal(story.session.known.len, 0);
	assert_true(story.synchronized == 1 && story.session.known_lost);
	free(large);
}

/* What was there before the cut is there, and the request says what is missing. */
UNIT_TEST("Synchronize: a request that is cut behind its payload is not whole")
{
	struct buffer request = request_of(SERVICE, "Synchronize");
	WITH_STORY;

	put_text(&request, 3, "");
	put(&request, "\x1a\x7f", 2);
	say(&story, 7, &request);
	assert_true(story.synchronized == 1 && story.session.known_lost);
}
