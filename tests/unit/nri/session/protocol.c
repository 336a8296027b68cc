/* SPDX-License-Identifier: Apache-2.0 */
/* What is not NRI, and what ends a connection */
#include "story.h"

UNIT_TEST("what is no NRI ends the connection")
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
		{"HTTP/1.1 400 Bad Request\r\n", 26},
		{"\0\0\0\1\xff\xff\xff\xff", 8},
		{"\0\0\0\1\0\x40\0\x0b", 8}, /* one byte too long */
		{"\0\0\0\1\0\0\0\x0a\x04\0\0\1\0\0\0\1\1\0", 18},
	};
	struct err err;

	for (size_t i = 0; i < LENGTH(rows); i++) {
		WITH_STORY;

		assert_int_equal(
			hear(&story, (const unsigned char *)rows[i].bytes, rows[i].len, &err), -1);
		assert_has(err.text, "not NRI's protocol");
	}
}

static void put_response(struct buffer *frames, uint32_t call, struct buffer *response)
{
	const struct message body = message_of(response);

	assert_int_equal(ttrpc_write(frames, MUX_RUNTIME, TTRPC_RESPONSE, call, &body), 0);
	buffer_free(response);
}

static struct buffer refusal(const char *why)
{
	struct buffer status = empty_buffer();
	struct buffer response = empty_buffer();

	put_number(&status, 1, 2);
	put_text(&status, 2, why);
	put_inside(&response, 1, &status);
	return response;
}

/* Only call 1's response is for our registration. */
UNIT_TEST("a refused registration ends it, and says why")
{
	struct buffer other = refusal("another call");
	struct buffer response = refusal("invalid plugin\nindex");
	struct buffer unreadable = empty_buffer();
	cleanup_buffer frames = empty_buffer();
	WITH_STORY;
	struct err err;

	put(&unreadable, "\x0a\x7f", 2);
	assert_int_equal(ttrpc_write(&frames, MUX_RUNTIME, TTRPC_REQUEST, 1,
				     &(struct message){unreadable.bytes, unreadable.len}),
			 0);
	put_response(&frames, 5, &unreadable);
	put_response(&frames, 3, &other);
	assert_int_equal(hear(&story, frames.bytes, frames.len, &err), 0);
	empty(&frames);
	put_response(&frames, 1, &response);
	assert_int_equal(hear(&story, frames.bytes, frames.len, &err), -1);
	assert_has(err.text, "the runtime refuses the plugin: invalid plugin?index (status 2)");
	assert_one_line(&err);
}

UNIT_TEST("an answer to it that cannot be read ends it")
{
	struct buffer response = empty_buffer();
	cleanup_buffer frames = empty_buffer();
	WITH_STORY;
	struct err err;

	put(&response, "\x0a\x7f", 2);
	put_response(&frames, 1, &response);
	assert_int_equal(hear(&story, frames.bytes, frames.len, &err), -1);
	assert_one_line(&err);
}

UNIT_TEST("other streams and types want no answer")
{
	WITH_STORY;
	struct err err;

	empty(&story.session.out);
	assert_int_equal(hear(&story,
			      (const unsigned char *)"\0\0\0\3\0\0\0\x0c\xff\xff\xff\xff\xff\xff"
						     "\xff\xff\xff\xff\xff\xff",
			      20, &err),
			 0);
	/* A response on our own stream, and a stream's data: no answer */
	assert_int_equal(hear(&story,
			      (const unsigned char *)"\0\0\0\1\0\0\0\x0a\0\0\0\0\0\0\0\1\2\0"
						     "\0\0\0\1\0\0\0\x0b\0\0\0\1\0\0\0\1\3\0x",
			      18 + 19, &err),
			 0);
	assert_int_equal(story.session.out.len, 0);
}
