/* SPDX-License-Identifier: Apache-2.0 */
/* ttrpc's and NRI's messages (nri.proto): protobuf-c packs and unpacks them, in an arena. No
 * sockets, no policy */
#pragma once

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/spec/spec.h"
#include "nri/message/nri.pb-c.h"
#include "nri/wire/field.h"

/*
 * Copies what is read of a message: fields that the descriptor has, and of annotations ours alone.
 * A pod's author writes 65,000 others into 256 KiB, and protobuf-c keeps also what it does not
 * know: they would be 11 MiB unpacked. to NULL: only counts. Returns the length.
 */
size_t message_strip(const ProtobufCMessageDescriptor *descriptor, const struct message *message,
		     unsigned char *to);

/*
 * The struct of the stripped message, which lives in the arena and is never freed by protobuf-c.
 * NULL if the bytes are no such message, or would take more than 8 MiB beyond their own size: one
 * of two bytes an entry can be forty times as large unpacked; real ones take 20 KiB.
 */
void *message_unpack(struct arena *arena, const ProtobufCMessageDescriptor *descriptor,
		     const struct message *message);

/* The functions below return 0, or -1 without memory. */

int message_pack(struct arena *arena, const ProtobufCMessage *message, struct message *ret_message);

/* The response around an answer; NULL: an empty one */
int message_response(struct arena *arena, const ProtobufCMessage *answer,
		     struct message *ret_message);

/* The response that says no. text becomes printable UTF-8: Go refuses a string that is none. */
int message_refusal(struct arena *arena, int status, const char *text, struct message *ret_message);
