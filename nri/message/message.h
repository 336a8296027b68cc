/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/spec/spec.h"
#include "nri/message/nri.pb-c.h"
#include "nri/wire/field.h"

/* Fields of SynchronizeRequest; concatenated requests form one */
enum synchronize_field {
	SYNCHRONIZE_POD = 1,
	SYNCHRONIZE_CONTAINER = 2,
	SYNCHRONIZE_MORE = 3, /* requests follow */
};

/* Keeps known fields and our annotations: a pod's author fits 65,000 others into 256 KiB, and
 * protobuf-c keeps unknown fields. to NULL: only counts. Returns the length. */
size_t message_strip(const ProtobufCMessageDescriptor *descriptor, const struct message *message,
		     unsigned char *to);

/* Strips and unpacks into the arena; never free. NULL: malformed, or over 8 MiB beyond its size
 * (two-byte entries grow fortyfold; real messages take 20 KiB). */
void *message_unpack(struct arena *arena, const ProtobufCMessageDescriptor *descriptor,
		     const struct message *message);

int message_pack(struct arena *arena, const ProtobufCMessage *message, struct message *ret_message);

/* answer may be NULL */
int message_response(struct arena *arena, const ProtobufCMessage *answer,
		     struct message *ret_message);

/* Go rejects strings that are not UTF-8 */
int message_refusal(struct arena *arena, int status, const char *text, struct message *ret_message);
