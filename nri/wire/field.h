/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Borrowed bytes */
struct message {
	const unsigned char *bytes;
	size_t len;
};

/* Reads requests (Synchronize: up to 64 MiB) in place; protobuf-c unpacks pods and containers */
struct field {
	uint32_t number;
	uint64_t value;       /* of a varint */
	struct message bytes; /* .bytes NULL: a varint */
};

/* Removes the next field. Returns 1, 0 at the end, or -1 if malformed */
int field_next(struct message *message, struct field *ret_field);
