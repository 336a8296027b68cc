/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OCI_RDMA_NRI_MEMORY_H
#define OCI_RDMA_NRI_MEMORY_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

#include "core/base/arena.h"

/* A message of two bytes an entry can be forty times as large unpacked; real ones take 20 KiB. */
#define MEMORY_MAX (16 * 1024 * 1024)

/* What protobuf-c may take from an arena; it frees nothing, the arena does. */
struct memory {
	struct arena *arena;
	size_t left;
};

/* In force as long as *memory is. */
ProtobufCAllocator memory_allocator(struct memory *memory);

#endif
