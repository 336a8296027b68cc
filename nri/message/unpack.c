/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/message/unpack.h"

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

void *unpack_message(struct arena *arena, const ProtobufCMessageDescriptor *descriptor,
		     const unsigned char *bytes, size_t len)
{
	struct memory memory = {arena, UNPACKED_MAX};
	ProtobufCAllocator allocator = {
		.alloc = take, .free = give_back, .allocator_data = &memory};

	return protobuf_c_message_unpack(descriptor, &allocator, len, bytes);
}
