/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/wire/field.h"

#include <stdbool.h>

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
	WIRE_FIXED32 = 5,
};

#define FIELD_MAX ((UINT32_C(1) << 29) - 1)

static bool read_bytes(struct message *message, uint64_t len, struct message *ret_bytes)
{
	if (len > message->len)
		return false;
	*ret_bytes = (struct message){message->bytes, (size_t)len};
	message->bytes += len;
	message->len -= (size_t)len;
	return true;
}

/* Lowest bits first */
static bool read_varint(struct message *message, uint64_t *ret_number)
{
	struct message byte;

	*ret_number = 0;
	for (unsigned shift = 0; shift < 64 && read_bytes(message, 1, &byte); shift += 7) {
		uint64_t bits = *byte.bytes & 0x7f;

		*ret_number |= bits << shift;
		if (!(*byte.bytes & 0x80))
			return shift < 63 || bits <= 1;
	}
	return false;
}

int field_next(struct message *message, struct field *ret_field)
{
	uint64_t tag = 0;
	bool whole = false;

	*ret_field = (struct field){0};
	if (!message->len)
		return 0;
	if (!read_varint(message, &tag) || !(tag >> 3) || tag >> 3 > FIELD_MAX)
		return -1;
	ret_field->number = (uint32_t)(tag >> 3);
	switch (tag & 7) { /* proto3 has no groups */
	case WIRE_VARINT:
		whole = read_varint(message, &ret_field->value);
		break;
	case WIRE_FIXED64:
		whole = read_bytes(message, 8, &ret_field->bytes);
		break;
	case WIRE_BYTES:
		whole = read_varint(message, &ret_field->value) &&
			read_bytes(message, ret_field->value, &ret_field->bytes);
		break;
	case WIRE_FIXED32:
		whole = read_bytes(message, 4, &ret_field->bytes);
		break;
	}
	return whole ? 1 : -1;
}
