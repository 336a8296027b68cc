/* SPDX-License-Identifier: Apache-2.0 */
/* Existing pods and containers, which a runtime sends when it connects */
#include "story.h"

UNIT_TEST("Synchronize: more is answered with more")
{
	cleanup_buffer payload = empty_buffer();
	WITH_STORY;

	put_text(&payload, 1, "\x0a\x03pod");
	put_text(&payload, 2,
		 "\x0a\x01"
		 "c");
	put_number(&payload, 3, 1);
	call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len);
	/* Response{payload{more}} */
	assert_memory_equal(story.session.out.bytes + MUX_HEADER + TTRPC_HEADER, "\x12\x02\x10\x01",
			    4);
	assert_int_equal(story.synchronized, 0);
	call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len - 2);
	assert_int_equal(story.session.out.len, MUX_HEADER + TTRPC_HEADER);
	assert_int_equal(story.synchronized, 1);
	/* Concatenated, they are one message. */
	assert_int_equal(story.session.known.n, 4);
	assert_int_equal(story.session.known.items[2].number, SYNCHRONIZE_POD);
	assert_memory_equal(story.session.known.items[2].bytes.bytes, "\x0a\x03pod", 5);
}

/* Repeated on one connection: already known. */
UNIT_TEST("Synchronize: what is there is heard once, whatever is asked again")
{
	static const char *const methods[] = {"Synchronize", "Configure", "StateChange",
					      "Synchronize"};
	WITH_STORY;

	for (size_t i = 0; i < LENGTH(methods); i++) {
		call_method_of(&story, SERVICE, methods[i], "\x0a\x00", 2);
		assert_int_equal(story.synchronized, 1);
		assert_int_equal(story.session.known.n, 1);
	}
	assert_false(story.session.known.lost);
}

UNIT_TEST("Synchronize: a part that is lost is said")
{
	static const struct {
		const char *bytes;
		size_t len;
	} cut[] = {{"\x12\x7f\x0a\x01x", 5}, {"\x12\x00\x07", 3}};

	for (size_t i = 0; i < LENGTH(cut); i++) {
		cleanup_story other;

		begin(&other);
		call_method_of(&other, SERVICE, "Synchronize", cut[i].bytes, cut[i].len);
		assert_true(other.synchronized == 1 && other.session.known.lost);
	}
}

/* Everything before the cut arrives, and the request names the rest. */
UNIT_TEST("Synchronize: a request that is cut behind its payload is not whole")
{
	struct buffer request = request_of(SERVICE, "Synchronize");
	WITH_STORY;

	put_text(&request, 3, "");
	put(&request, "\x1a\x7f", 2);
	say(&story, 7, &request);
	assert_true(story.synchronized == 1 && story.session.known.lost);
}

/* A pod or container as the runtime sends it, and what we keep of it */
static const struct kept_case {
	const char *name;
	uint32_t field;
	const char *annotation;
	const char *device; /* type; NULL: none */
	uint64_t major;
	size_t labels; /* unread */
	size_t env;    /* bytes */
	size_t kept;   /* bytes at most */
	bool lost;
} kept_cases[] = {
	{"a pod's other annotations are not kept", 1, "a", NULL, 0, 5000, 0, 4, false},
	{"a pod's annotation of ours is kept", 1, "oci-rdma-hook.io/inject", NULL, 0, 0, 0, 37,
	 false},
	{"of a container without a device its id is kept", 2, "oci-rdma-hook.io/inject", NULL, 0,
	 5000, 5000, 4, false},
	{"of one with another device, too", 2, "a", "c", 195, 0, 5000, 4, false},
	{"of one with a device its environment is kept", 2, "a", "c", 231, 5000, 5000, 5045, false},
	{"what is larger than 256 KiB is lost", 2, "a", "c", 231, 0, SESSION_KNOWN_EACH_MAX, 0,
	 true},
};

UNIT_ROWS_AS("Synchronize: ", kept_cases)
{
	struct buffer told = empty_buffer();
	struct buffer platform = empty_buffer();
	cleanup_buffer payload = empty_buffer();
	cleanup_arena arena = {0};
	char *variable = arena_alloc(&arena, row->env + 1);
	const struct known *known;
	WITH_STORY;

	put_text(&told, 1, "id");
	for (size_t i = 0; i < row->labels; i++)
		put_entry(&told, 5, "l", "");
	put_entry(&told, 6, row->annotation, "true");
	memset(variable, 'x', row->env);
	if (row->env)
		put_text(&told, 8, variable);
	if (row->device)
		put_device(&platform, row->device, row->major);
	if (row->field == SYNCHRONIZE_CONTAINER)
		put_inside(&told, 11, &platform);
	put_inside(&payload, row->field, &told);
	call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len);
	known = &story.session.known;
	assert_int_equal(known->lost, row->lost);
	assert_int_equal(known->n, !row->lost);
	if (known->n) {
		assert_int_equal(known->items[0].bytes.len, row->kept);
		assert_memory_equal(known->items[0].bytes.bytes, "\x0a\x02id", 4);
	}
}

UNIT_TEST("Synchronize: what exceeds 8 MiB in all is lost")
{
	cleanup_buffer payload = empty_buffer();
	char pod[3 + 1000] = "\x0a\xe7\x07";
	WITH_STORY;

	memset(pod + 3, 'x', 999);
	while (payload.len < SESSION_KNOWN_MAX)
		put_text(&payload, 1, pod);
	call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len);
	assert_true(story.session.known.lost);
	assert_in_range(story.session.known.size, SESSION_KNOWN_MAX - 2000, SESSION_KNOWN_MAX);
}
