/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/wire/wire.h"

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
	WIRE_FIXED32 = 5,
};

#define FIELD_MAX ((UINT32_C(1) << 29) - 1)

static void begin_bytes(struct fields *fields, uint64_t len, bool fixed)
{
	fields->left = len;
	fields->fixed = fixed;
	fields->state = len ? FIELDS_BYTES : FIELDS_TAG;
}

static void end_bytes(struct fields *fields, const struct fields_handler *handler, void *context)
{
	fields->state = FIELDS_TAG;
	if (!fields->fixed && handler->end)
		handler->end(context, fields->field);
}

static void take_tag(struct fields *fields, uint64_t tag)
{
	fields->field = (uint32_t)(tag >> 3);
	fields->state = FIELDS_BROKEN;
	if (!(tag >> 3) || tag >> 3 > FIELD_MAX)
		return;
	switch (tag & 7) {
	case WIRE_VARINT:
		fields->state = FIELDS_VARINT;
		break;
	case WIRE_BYTES:
		fields->state = FIELDS_LENGTH;
		break;
	case WIRE_FIXED64:
		begin_bytes(fields, 8, true);
		break;
	case WIRE_FIXED32:
		begin_bytes(fields, 4, true);
		break;
	default: /* groups, which proto3 has not */
		break;
	}
}

static void take_number(struct fields *fields, uint64_t number,
			const struct fields_handler *handler, void *context)
{
	switch (fields->state) {
	case FIELDS_TAG:
		take_tag(fields, number);
		break;
	case FIELDS_VARINT:
		fields->state = FIELDS_TAG;
		handler->number(context, fields->field, number);
		break;
	case FIELDS_LENGTH:
		handler->begin(context, fields->field);
		begin_bytes(fields, number, false);
		if (!number)
			end_bytes(fields, handler, context);
		break;
	case FIELDS_BYTES:
	case FIELDS_BROKEN:
		break;
	}
}

/* One byte of a number: seven bits, the lowest first, and whether there is more */
static void read_number(struct fields *fields, unsigned char byte,
			const struct fields_handler *handler, void *context)
{
	uint64_t bits = byte & 0x7f;
	uint64_t number;

	if (fields->shift > 63 || (fields->shift == 63 && bits > 1)) {
		fields->state = FIELDS_BROKEN;
		return;
	}
	fields->number |= bits << fields->shift;
	fields->shift += 7;
	if (byte & 0x80)
		return;
	number = fields->number;
	fields->number = 0;
	fields->shift = 0;
	take_number(fields, number, handler, context);
}

void fields_read(struct fields *fields, const unsigned char *bytes, size_t len,
		 const struct fields_handler *handler, void *context)
{
	while (len && fields->state != FIELDS_BROKEN) {
		size_t n = 1;

		if (fields->state == FIELDS_BYTES) {
			n = fields->left < len ? (size_t)fields->left : len;
			if (!fields->fixed)
				handler->part(context, fields->field, bytes, n);
			fields->left -= n;
			if (!fields->left)
				end_bytes(fields, handler, context);
		} else {
			read_number(fields, *bytes, handler, context);
		}
		bytes += n;
		len -= n;
	}
}

bool fields_whole(const struct fields *fields)
{
	return fields->state == FIELDS_TAG && !fields->shift;
}
