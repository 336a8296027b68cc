/* SPDX-License-Identifier: Apache-2.0 */

#include "nri/message/message.h"

#include <string.h>

#include "core/base/text.h"

#define UNPACKED_MAX (8 * 1024 * 1024)

struct memory {
	struct arena *arena;
	size_t left;
};

static void *take(void *context, size_t size)
{
	struct memory *memory = context;

	if (size > memory->left)
		return NULL;
	memory->left -= size;
	return arena_alloc(memory->arena, size);
}

static void give_back(void *context, void *bytes)
{
	(void)context;
	(void)bytes;
}

static bool has_our_prefix(const struct message *entry)
{
	static const size_t len = sizeof(SPEC_ANNOTATION_PREFIX) - 1;
	struct message left = *entry;
	struct field field;

	while (field_next(&left, &field) > 0) {
		if (field.number == 1 && field.bytes.len >= len &&
		    memcmp(field.bytes.bytes, SPEC_ANNOTATION_PREFIX, len) == 0)
			return true;
	}
	return false;
}

static bool is_read(const ProtobufCMessageDescriptor *descriptor, const struct field *field)
{
	const ProtobufCFieldDescriptor *known =
		protobuf_c_message_descriptor_get_field(descriptor, field->number);

	return known &&
	       (known->descriptor != &nri__annotation__descriptor || has_our_prefix(&field->bytes));
}

size_t message_strip(const ProtobufCMessageDescriptor *descriptor, const struct message *message,
		     unsigned char *to)
{
	struct message left = *message;
	size_t len = 0;

	while (left.len) {
		struct message at = left;
		struct field field;
		bool whole = field_next(&left, &field) > 0;
		size_t n = whole ? at.len - left.len : at.len;

		/* Keep malformed bytes: unpacking must fail */
		if (to && (!whole || is_read(descriptor, &field)))
			memcpy(to + len, at.bytes, n);
		len += !whole || is_read(descriptor, &field) ? n : 0;
		left.len = whole ? left.len : 0;
	}
	return len;
}

void *message_unpack(struct arena *arena, const ProtobufCMessageDescriptor *descriptor,
		     const struct message *message)
{
	size_t len = message_strip(descriptor, message, NULL);
	unsigned char *bytes = arena_alloc(arena, len);
	struct memory memory = {arena, UNPACKED_MAX + len};
	ProtobufCAllocator allocator = {
		.alloc = take, .free = give_back, .allocator_data = &memory};

	if (!bytes)
		return NULL;
	(void)message_strip(descriptor, message, bytes);
	return protobuf_c_message_unpack(descriptor, &allocator, len, bytes);
}

int message_pack(struct arena *arena, const ProtobufCMessage *message, struct message *ret_message)
{
	size_t size = protobuf_c_message_get_packed_size(message);
	unsigned char *bytes = arena_alloc(arena, size);

	if (!bytes)
		return -1;
	*ret_message = (struct message){bytes, protobuf_c_message_pack(message, bytes)};
	return 0;
}

int message_response(struct arena *arena, const ProtobufCMessage *answer,
		     struct message *ret_message)
{
	Nri__Response response = NRI__RESPONSE__INIT;
	struct message payload = {0};

	if (answer && message_pack(arena, answer, &payload) < 0)
		return -1;
	response.payload = (ProtobufCBinaryData){payload.len, (uint8_t *)payload.bytes};
	return message_pack(arena, &response.base, ret_message);
}

int message_refusal(struct arena *arena, int status, const char *text, struct message *ret_message)
{
	Nri__Response response = NRI__RESPONSE__INIT;
	Nri__Status refused = NRI__STATUS__INIT;

	refused.code = status;
	refused.message = arena_strdup(arena, text);
	if (!refused.message)
		return -1;
	text_make_printable(refused.message);
	response.status = &refused;
	return message_pack(arena, &response.base, ret_message);
}
