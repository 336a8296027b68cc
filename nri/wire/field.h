/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf's fields */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Bytes of a packed message, which somebody else owns */
struct message {
	const unsigned char *bytes;
	size_t len;
};

/* Requests are read without a copy: one that synchronizes may have 64 MiB. What is inside of a pod
 * or container is unpacked by protobuf-c (nri/message). */
struct field {
	uint32_t number;
	uint64_t value;       /* of a varint */
	struct message bytes; /* of all else, also a message; .bytes NULL: a varint */
};

/* Takes the next field off the message. Returns 1, 0 at the end, or -1 if that is no protobuf. */
int field_next(struct message *message, struct field *ret_field);
