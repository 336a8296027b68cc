/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/message/message.h"

#include "core/base/text.h"

#define UNPACKED_MAX (16 * 1024 * 1024)

/* What protobuf-c may still take */
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

/* All of it goes with the arena. */
static void give_back(void *context, void *bytes)
{
	(void)context;
	(void)bytes;
}

void *message_unpack(struct arena *arena, const ProtobufCMessageDescriptor *descriptor,
		     const struct message *message)
{
	struct memory memory = {arena, UNPACKED_MAX + message->len};
	ProtobufCAllocator allocator = {
		.alloc = take, .free = give_back, .allocator_data = &memory};

	return protobuf_c_message_unpack(descriptor, &allocator, message->len, message->bytes);
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
