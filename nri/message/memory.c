/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/message/memory.h"

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

ProtobufCAllocator memory_allocator(struct memory *memory)
{
	return (ProtobufCAllocator){.alloc = take, .free = give_back, .allocator_data = memory};
}
