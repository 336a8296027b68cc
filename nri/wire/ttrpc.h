/* SPDX-License-Identifier: Apache-2.0 */
/* NRI's frames and their ttrpc messages */
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

/* ---- buffers ---- */

struct buffer {
	unsigned char *bytes;
	size_t len;
	size_t room;
	size_t max;  /* of len */
	size_t skip; /* next bytes to discard */
};

/* -1: no memory, or above max; buffer unchanged */
int buffer_append(struct buffer *buffer, const void *bytes, size_t len);

/* Removes the first len bytes; frees a large empty buffer */
void buffer_consume(struct buffer *buffer, size_t len);

void buffer_free(struct buffer *buffer);

/* ---- NRI's frames ---- */

/*
 * Two streams (containerd/nri, pkg/net/multiplex), never opened or closed; others are skipped. A
 * frame holds any part of its stream:
 *
 *   u32be stream | u32be length | length bytes
 */

enum mux_stream {
	MUX_PLUGIN = 1,
	MUX_RUNTIME = 2,
	MUX_STREAMS,
};

#define MUX_HEADER 8
/* ttrpc's largest message with header: no runtime writes more at once */
#define MUX_READ_MAX (4 * 1024 * 1024 + 10)
/* With header. The runtime closes on a larger frame (pkg/net/multiplex/mux.go, Read: ENOMEM). */
#define MUX_WRITE_MAX 4096

/* Zero for a new connection */
struct mux {
	struct buffer frame;                /* incomplete */
	struct buffer streams[MUX_STREAMS]; /* unconsumed bytes */
};

/* bytes: any part, up to MUX_READ_MAX. -1: malformed or no memory */
int mux_read(struct mux *mux, const unsigned char *bytes, size_t len, struct err *err);

void mux_free(struct mux *mux);

/* ---- ttrpc ---- */

/* containerd/ttrpc, PROTOCOL.md; a response repeats the request's call:
 *
 *   u32be length | u32be call | u8 type | u8 flags | length bytes */

enum ttrpc_type {
	TTRPC_REQUEST = 1,
	TTRPC_RESPONSE = 2,
};

#define TTRPC_HEADER 10
/* 4 MiB by protocol; ttrpc before 1.2.6 sends more (NRI 0.6: the whole node in one message) */
#define TTRPC_READ_MAX (64 * 1024 * 1024)
/* Larger ones are cut: pods' authors control the size, and the plugin may have 64 MiB */
#define TTRPC_KEPT_MAX (24 * 1024 * 1024)
#define TTRPC_BEGINNING (16 * 1024)

/* google.rpc.Code */
enum ttrpc_status {
	TTRPC_PERMISSION_DENIED = 7,
	TTRPC_UNIMPLEMENTED = 12,
	TTRPC_INTERNAL = 13,
};

struct ttrpc {
	uint32_t call;
	uint8_t type;
	struct message body; /* until consumed */
};

/* Takes the first message, cut above TTRPC_KEPT_MAX. Returns 1, 0 if incomplete, -1 if malformed */
int ttrpc_next(struct buffer *stream, struct ttrpc *ret_message, struct err *err);

/* Appends frames. -1: no room; out unchanged */
int ttrpc_write(struct buffer *out, enum mux_stream stream, enum ttrpc_type type, uint32_t call,
		const struct message *body);
