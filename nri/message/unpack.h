/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf-c's unpacking, in an arena */
#ifndef OCI_RDMA_NRI_UNPACK_H
#define OCI_RDMA_NRI_UNPACK_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

#include "core/base/arena.h"

struct message;

/*
 * The message's struct, which lives in the arena and is never freed by protobuf-c. NULL where the
 * bytes are no such message, or would take more than 16 MiB: one of two bytes an entry can be forty
 * times as large unpacked; real ones take 20 KiB.
 */
void *unpack_message(struct arena *arena, const ProtobufCMessageDescriptor *descriptor,
		     const unsigned char *bytes, size_t len);

/* The other way round. Returns 0, or -1 without memory. */
int message_pack(struct arena *arena, const ProtobufCMessage *message, struct message *ret_message);

#endif
