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
static void of_two_payloads_the_last_says_whether_there_is_more(void **state)
{
	static const char *const firsts[] = {"\x18\x01", "\x07", "\x18", "\x0a\x7f"};

	(void)state;
	for (size_t i = 0; i < LENGTH(firsts); i++) {
		cleanup_story all;
		cleanup_story more;

		synchronize_twice(&all, firsts[i], "");
		assert_int_equal(all.synchronized, 1);
		synchronize_twice(&more, firsts[i], "\x18\x01");
		assert_int_equal(more.synchronized, 0);
	}
}

static void is_synchronized_once(void **state)
{
	cleanup_story story;

	(void)state;
	begin(&story);
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

static void more_is_answered_with_more(void **state)
{
	cleanup_arena arena = {0};
	struct buffer payload = empty_buffer();
	cleanup_story story;

	(void)state;
	put_text(&payload, 1, "a pod");
	put_text(&payload, 2, "a container");
	put_number(&payload, 3, 1);
	begin(&story);
	call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len);
	/* Response{payload{more}} */
	assert_memory_equal(story.session.out.bytes + MUX_HEADER + TTRPC_HEADER, "\x12\x02\x10\x01",
			    4);
	assert_int_equal(story.synchronized, 0);
	call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len - 2);
	assert_int_equal(story.session.out.len, MUX_HEADER + TTRPC_HEADER);
	assert_int_equal(story.synchronized, 1);
	buffer_free(&payload);
}

/* A container that is there already, of a verbs device or another */
static void put_known(struct buffer *to, const char *id, uint64_t state, uint64_t major)
{
	struct buffer container = empty_buffer();
	struct buffer platform = empty_buffer();
	struct buffer device = empty_buffer();

	put_text(&device, 1, "/dev/x");
	put_text(&device, 2, "c");
	put_number(&device, 3, major);
	put_inside(&platform, 2, &device);
	put_text(&container, 1, id);
	put_number(&container, 4, state);
	put_inside(&container, 11, &platform);
	put_inside(to, 2, &container);
}

static void hears_what_is_there(void **state)
{
	struct buffer payload = empty_buffer();
	struct buffer request = request_of(SERVICE, "Synchronize");
	struct buffer frames = empty_buffer();
	cleanup_story story;
	struct err err;

	(void)state;
	put_text(&payload, 1, "\x0a\x01p");
	put_text(&payload, 1, "");
	put_known(&payload, "plain", 3, 1);
	put_known(&payload, "rdma", 3, 231);
	put_inside(&request, 3, &payload);
	assert_int_equal(
		ttrpc_write(&frames, MUX_PLUGIN, TTRPC_REQUEST, 7, request.bytes, request.len), 0);
	begin(&story);
	for (size_t i = 0; i < frames.len; i++)
		assert_int_equal(hear(&story, frames.bytes + i, 1, &err), 0);
	assert_int_equal(story.pods, 2);
	assert_int_equal(story.containers, 2);
	assert_string_equal(story.last_id, "rdma");
	assert_true(story.last_has_device);
	assert_true(story.synchronized == 1 && story.whole);
	buffer_free(&request);
	buffer_free(&frames);
}

static const struct known_case {
	const char *name;
	uint64_t state;
	uint64_t major;
	bool kept;
} known_cases[] = {
	{"a verbs device, running", 3, 231, true},
	{"a verbs device, created", 1, 231, true},
	{"a verbs device, stopped", 4, 231, false},
	{"the 33rd verbs device and more", 3, 511, true},
	{"a GPU", 3, 195, false},
};

static void glance_tells(void **state)
{
	const struct known_case *row = *state;
	struct buffer payload = empty_buffer();
	cleanup_story story;

	put_known(&payload, "it", row->state, row->major);
	begin(&story);
	call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len);
	assert_int_equal(story.containers, 1);
	assert_int_equal(story.last_has_device, row->kept);
	buffer_free(&payload);
}

/* What comes again on the same connection has been heard. */
static void is_heard_once(void **state)
{
	struct buffer payload = empty_buffer();
	cleanup_story story;

	(void)state;
	put_known(&payload, "rdma", 3, 231);
	begin(&story);
	for (int i = 0; i < 2; i++)
		call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len);
	call_method_of(&story, SERVICE, "StateChange", payload.bytes, payload.len);
	assert_int_equal(story.containers, 1);
	buffer_free(&payload);
}

static void a_part_that_is_cut_is_said(void **state)
{
	cleanup_story story;

	(void)state;
	begin(&story);
	call_method_of(&story, SERVICE, "Synchronize", "\x12\x7f\x0a\x01x", 5);
	assert_int_equal(story.containers, 0);
	assert_true(story.synchronized == 1 && !story.whole);
}

int main(void)
{
	static struct unit_suite suite;

	unit_add(&suite, "of two payloads the last says whether there is more",
		 of_two_payloads_the_last_says_whether_there_is_more, NULL);
	unit_add(&suite, "synchronized once, whatever is asked again", is_synchronized_once, NULL);
	unit_add(&suite, "Synchronize: more is answered with more", more_is_answered_with_more,
		 NULL);
	unit_add(&suite, "Synchronize: each pod and container is heard, byte by byte",
		 hears_what_is_there, NULL);
	UNIT_TABLE_AS(&suite, "Synchronize, a glance: ", glance_tells, known_cases);
	unit_add(&suite, "Synchronize: what is there is heard once", is_heard_once, NULL);
	unit_add(&suite, "Synchronize: a part that is cut is said", a_part_that_is_cut_is_said,
		 NULL);
	return unit_run(&suite, "synchronize");
}
