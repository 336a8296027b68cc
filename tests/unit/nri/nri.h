/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of NRI, packed by hand: not by what reads them */
#ifndef TESTS_UNIT_NRI_H
#define TESTS_UNIT_NRI_H

#include "tests/unit/unit.h"

#include "nri/wire/wire.h"

#define cleanup_buffer __attribute__((cleanup(buffer_free))) struct buffer

static inline struct buffer empty_buffer(void)
{
	return (struct buffer){.max = 128 * 1024 * 1024};
}

static inline void put(struct buffer *to, const void *bytes, size_t len)
{
	assert_int_equal(buffer_append(to, bytes, len), 0);
}

static inline void put_varint(struct buffer *to, uint64_t number)
{
	do {
		unsigned char byte = (unsigned char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));

		put(to, &byte, 1);
		number >>= 7;
	} while (number);
}

static inline void put_number(struct buffer *to, uint32_t field, uint64_t number)
{
	put_varint(to, field << 3);
	put_varint(to, number);
}

static inline void put_bytes(struct buffer *to, uint32_t field, const void *bytes, size_t len)
{
	put_varint(to, field << 3 | 2);
	put_varint(to, len);
	put(to, bytes, len);
}

static inline void put_text(struct buffer *to, uint32_t field, const char *text)
{
	put_bytes(to, field, text, strlen(text));
}

static inline void put_inside(struct buffer *to, uint32_t field, struct buffer *inside)
{
	put_bytes(to, field, inside->bytes ? (const void *)inside->bytes : "", inside->len);
	buffer_free(inside);
}

/* A CreateContainerRequest with the container's fields */
static inline void put_container(struct buffer *to, struct buffer *container)
{
	struct buffer message = empty_buffer();

	put_inside(&message, 2, container);
	put(to, message.bytes, message.len);
	buffer_free(&message);
}

#endif
