/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttrpc's messages on one stream of the multiplexer (containerd/ttrpc, PROTOCOL.md).
 *
 *   u32be length | u32be call | u8 type | u8 flags | length bytes
 *
 * An answer has the number of its request. A message is handed on in parts, as it comes: who wants
 * it whole keeps it.
 */
#ifndef OCI_RDMA_NRI_TTRPC_H
#define OCI_RDMA_NRI_TTRPC_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "nri/wire/buffer.h"
#include "nri/wire/mux.h"

enum ttrpc_type {
	TTRPC_REQUEST = 1,
	TTRPC_RESPONSE = 2,
};

#define TTRPC_HEADER 10
/* The protocol says 4 MiB; what is only looked through costs us nothing. */
#define TTRPC_READ_MAX (64 * 1024 * 1024)

/* google.rpc.Code, of a response that says no */
enum ttrpc_status {
	TTRPC_OK = 0,
	TTRPC_PERMISSION_DENIED = 7,
	TTRPC_UNIMPLEMENTED = 12,
	TTRPC_INTERNAL = 13,
};

struct ttrpc {
	unsigned char header[TTRPC_HEADER];
	size_t have; /* of the header */
	uint32_t call;
	uint8_t type;
	uint32_t left; /* of the message */
};

/* Negative: no further. */
struct ttrpc_handler {
	int (*begin)(void *context, const struct ttrpc *message, struct err *err);
	int (*part)(void *context, const unsigned char *bytes, size_t len, struct err *err);
	int (*end)(void *context, const struct ttrpc *message, struct err *err);
};

/* What was read, cut anywhere. Returns 0, or -1 where this is no ttrpc, or the handler says so. */
int ttrpc_read(struct ttrpc *ttrpc, const unsigned char *bytes, size_t len,
	       const struct ttrpc_handler *handler, void *context, struct err *err);

/* A message of len bytes, in frames of the stream. Returns 0, or -1 where out has no room for it.
 */
int ttrpc_write(struct buffer *out, enum mux_stream stream, enum ttrpc_type type, uint32_t call,
		const unsigned char *bytes, size_t len);

#endif
