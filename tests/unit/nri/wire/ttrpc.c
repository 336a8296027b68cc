/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/nri/nri.h"

#include "nri/wire/field.h"
#include "nri/wire/ttrpc.h"

UNIT_TEST("frames that we write have at most 4096 bytes")
{
	static unsigned char message[20000];
	cleanup_buffer out = empty_buffer();
	size_t body = 0;
	size_t place = 0;

	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (unsigned char)(i % 251);
	assert_int_equal(ttrpc_write(&out, MUX_PLUGIN, TTRPC_RESPONSE, 5,
				     &(struct message){message, sizeof(message)}),
			 0);
	while (place < out.len) {
		size_t frame = MUX_HEADER + integer_read(out.bytes + place + 4);
		const unsigned char *part = out.bytes + place + MUX_HEADER;

		assert_in_range(frame, MUX_HEADER + 1, 4096);
		for (size_t i = 0; i < frame - MUX_HEADER; i++, body++) {
			if (body >= TTRPC_HEADER)
				assert_int_equal(part[i], message[body - TTRPC_HEADER]);
		}
		place += frame;
	}
	assert_int_equal(body, TTRPC_HEADER + sizeof(message));
}

UNIT_TEST("without room nothing is written")
{
	static const unsigned char large[80];
	cleanup_buffer out = {.max = 100};

	put(&out, "before", 6);
	assert_int_equal(ttrpc_write(&out, MUX_PLUGIN, TTRPC_RESPONSE, 5,
				     &(struct message){(const unsigned char *)"x", 1}),
			 0);
	assert_int_equal(out.len, 6 + MUX_HEADER + TTRPC_HEADER + 1);
	assert_int_equal(ttrpc_write(&out, MUX_PLUGIN, TTRPC_RESPONSE, 6,
				     &(struct message){large, sizeof(large)}),
			 -1);
	assert_int_equal(out.len, 6 + MUX_HEADER + TTRPC_HEADER + 1);
}

int main(void)
{
	return unit_main("ttrpc");
}
