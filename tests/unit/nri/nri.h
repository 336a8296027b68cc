/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of nri share: messages, packed by hand and not by what reads them, and children */
#ifndef TESTS_UNIT_NRI_H
#define TESTS_UNIT_NRI_H

#include "tests/unit/unit.h"

#include "nri/wire/wire.h"

#define cleanup_buffer __attribute__((cleanup(buffer_free))) struct buffer

static inline struct buffer empty_buffer(void)
{
	return (struct buffer){.max = 128 * 1024 * 1024};
}

static inline void empty(struct buffer *buffer)
{
	buffer_consume(buffer, buffer->len);
}

static inline struct message message_of(const struct buffer *buffer)
{
	return (struct message){buffer->bytes, buffer->len};
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

/* Of other messages: an entry of a map */
static inline void put_entry(struct buffer *to, uint32_t field, const char *key, const char *value)
{
	struct buffer entry = empty_buffer();

	put_text(&entry, 1, key);
	put_text(&entry, 2, value);
	put_inside(to, field, &entry);
}

/* A device node in linux.devices */
static inline void put_device(struct buffer *platform, const char *type, uint64_t major)
{
	struct buffer device = empty_buffer();

	put_text(&device, 1, "/dev/infiniband/uverbs6");
	put_text(&device, 2, type);
	put_number(&device, 3, major);
	put_number(&device, 4, 198);
	put_inside(platform, 2, &device);
}

/* A rule of linux.resources. major -1: it says none */
static inline void put_rule(struct buffer *platform, bool allow, const char *type,
			    const char *access, int64_t major)
{
	struct buffer resources = empty_buffer();
	struct buffer rule = empty_buffer();
	struct buffer number = empty_buffer();

	put_number(&rule, 1, allow);
	put_text(&rule, 2, type);
	put_text(&rule, 5, access);
	if (major >= 0) {
		put_number(&number, 1, (uint64_t)major);
		put_inside(&rule, 3, &number);
	}
	put_inside(&resources, 7, &rule);
	put_inside(platform, 3, &resources);
}

/* ---- children, by unit_start ---- */

static inline int goes_on(UNUSED const void *context)
{
	while (pause())
		;
	return 0;
}

static inline int ends(UNUSED const void *context)
{
	return 0;
}

/* One that has ended, and nobody has waited for */
static inline pid_t start_ended(void)
{
	pid_t pid = unit_start(ends, NULL);
	siginfo_t info;

	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	return pid;
}

#endif
