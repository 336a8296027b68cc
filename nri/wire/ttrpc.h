/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes between the runtime and the plugin: NRI's frames, and ttrpc's messages in them */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "nri/wire/field.h"

static inline uint32_t integer_read(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static inline void integer_write(unsigned char *bytes, uint32_t number)
{
	bytes[0] = (unsigned char)(number >> 24);
	bytes[1] = (unsigned char)(number >> 16);
	bytes[2] = (unsigned char)(number >> 8);
	bytes[3] = (unsigned char)number;
}

/* ---- a buffer: bytes on their way in or out ---- */

struct buffer {
	unsigned char *bytes;
	size_t len;
	size_t room;
	size_t max;  /* of len */
	size_t skip; /* bytes that come next and are not kept */
};

/* Returns 0, or -1, with the buffer as it was, without memory or if it would exceed max. */
int buffer_append(struct buffer *buffer, const void *bytes, size_t len);

/* Takes the first len bytes out. An empty buffer keeps no memory that only a large message needs.
 */
void buffer_consume(struct buffer *buffer, size_t len);

void buffer_free(struct buffer *buffer);

/* ---- NRI's frames ---- */

/*
 * NRI's multiplexer: two streams over one socket (containerd/nri, pkg/net/multiplex).
 *
 *   u32be stream | u32be length | length bytes
 *
 * A frame holds any part of its stream. The plugin's service is called on one stream, the runtime's
 * on the other; no frame opens or closes them. Streams that a later version may add are skipped.
 */

enum mux_stream {
	MUX_PLUGIN = 1,
	MUX_RUNTIME = 2,
	MUX_STREAMS,
};

#define MUX_HEADER 8
/* The largest message of ttrpc and its header: no runtime writes more at once. */
#define MUX_READ_MAX (4 * 1024 * 1024 + 10)
/* With the header. The runtime reads by 4096 bytes, and closes if a frame is larger
 * (pkg/net/multiplex/mux.go, Read: ENOMEM). */
#define MUX_WRITE_MAX 4096

/* All zero at the beginning of a connection */
struct mux {
	struct buffer frame;                /* that is not there whole */
	struct buffer streams[MUX_STREAMS]; /* what was read of each, and not taken yet */
};

/* What was read from the socket, cut anywhere, MUX_READ_MAX at most. Returns 0, or -1 if this is
 * not the protocol, or without memory. */
int mux_read(struct mux *mux, const unsigned char *bytes, size_t len, struct err *err);

void mux_free(struct mux *mux);

/* ---- ttrpc ---- */

/*
 * ttrpc's messages on one stream of the multiplexer (containerd/ttrpc, PROTOCOL.md).
 *
 *   u32be length | u32be call | u8 type | u8 flags | length bytes
 *
 * An answer has the number of its request.
 */

enum ttrpc_type {
	TTRPC_REQUEST = 1,
	TTRPC_RESPONSE = 2,
};

#define TTRPC_HEADER 10
/* The protocol says 4 MiB, but ttrpc before 1.2.6 sends more: NRI 0.6 tells all that is on the node
 * in one message. */
#define TTRPC_READ_MAX (64 * 1024 * 1024)
/* Pods' authors decide how much that is, and the plugin may have 64 MiB of memory: of a larger
 * message only the beginning is kept. */
#define TTRPC_KEPT_MAX (24 * 1024 * 1024)
#define TTRPC_BEGINNING (16 * 1024)

/* google.rpc.Code, of a response that says no */
enum ttrpc_status {
	TTRPC_PERMISSION_DENIED = 7,
	TTRPC_UNIMPLEMENTED = 12,
	TTRPC_INTERNAL = 13,
};

struct ttrpc {
	uint32_t call;
	uint8_t type;
	struct message body; /* until it is consumed */
};

/* The first message of a stream; one that is larger than TTRPC_KEPT_MAX is cut, and the stream
 * skips its rest. Returns 1, 0 as long as it is not there, or -1 if this is no ttrpc. */
int ttrpc_next(struct buffer *stream, struct ttrpc *ret_message, struct err *err);

/* Appends a message, in frames of the stream. Returns 0, or -1, with out as it was, if it has no
 * room for it. */
int ttrpc_write(struct buffer *out, enum mux_stream stream, enum ttrpc_type type, uint32_t call,
		const struct message *body);
