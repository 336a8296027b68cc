/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as they pass between the runtime and the plugin: NRI's frames, ttrpc's messages in them,
 * and protobuf's fields in these. */
#ifndef OCI_RDMA_NRI_WIRE_H
#define OCI_RDMA_NRI_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

/* ---- the headers' integers, which are big-endian ---- */

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

/* ---- a buffer (ttrpc.c) ---- */

/* Bytes on their way in or out: grows as far as its owner allows, and no further. */

struct buffer {
	unsigned char *bytes;
	size_t len;
	size_t room;
	size_t max; /* of len */
};

/* Returns 0, or -1, with the buffer as it was, without memory or where it would exceed max. */
int buffer_append(struct buffer *buffer, const void *bytes, size_t len);

/* Takes the first len bytes out. */
void buffer_consume(struct buffer *buffer, size_t len);

/* Empty again. Memory that only a large message needs is given back. */
void buffer_clear(struct buffer *buffer);

void buffer_free(struct buffer *buffer);

/* ---- protobuf (call.c) ---- */

/*
 * The fields of one protobuf message as they pass by, cut anywhere: nothing is kept, so that a
 * message may be as long as it likes. Messages inside of it are bytes here.
 */

enum fields_state {
	FIELDS_TAG,
	FIELDS_VARINT,
	FIELDS_LENGTH,
	FIELDS_BYTES, /* of a field, fixed32 or fixed64 */
	FIELDS_BROKEN,
};

/* All zero at the beginning of a message */
struct fields {
	enum fields_state state;
	uint64_t number; /* that is being read */
	unsigned shift;
	uint32_t field;
	uint64_t left; /* of FIELDS_BYTES */
	bool fixed;    /* those are a number's, which nobody here wants */
};

struct fields_handler {
	void (*number)(void *context, uint32_t field, uint64_t number);
	void (*begin)(void *context, uint32_t field);
	void (*part)(void *context, uint32_t field, const unsigned char *bytes, size_t len);
	/* All bytes of the field have been there. May be NULL. */
	void (*end)(void *context, uint32_t field);
};

/* What is none of protobuf is told by fields_whole() in the end. */
void fields_read(struct fields *fields, const unsigned char *bytes, size_t len,
		 const struct fields_handler *handler, void *context);

/* True if the message may end here. */
bool fields_whole(const struct fields *fields);

/* ---- NRI's frames (ttrpc.c) ---- */

/*
 * NRI's multiplexer: two streams over one socket (containerd/nri, pkg/net/multiplex).
 *
 *   u32be stream | u32be length | length bytes
 *
 * A frame holds any part of its stream. The plugin's service is called on one stream, the runtime's
 * on the other; no frame opens or closes them.
 */

enum mux_stream {
	MUX_PLUGIN = 1,
	MUX_RUNTIME = 2,
};

#define MUX_HEADER 8
/* The largest message of ttrpc and its header: no runtime writes more at once. */
#define MUX_READ_MAX (4 * 1024 * 1024 + 10)
/* With the header. The runtime reads by 4096 bytes, and closes where a frame is larger
 * (pkg/net/multiplex/mux.go, Read: ENOMEM). */
#define MUX_WRITE_MAX 4096

struct mux {
	unsigned char header[MUX_HEADER];
	size_t have; /* of the header */
	uint32_t stream;
	uint32_t left; /* of the frame */
};

/* A part of a stream, in order. Negative: no further. */
typedef int mux_take(void *context, uint32_t stream, const unsigned char *bytes, size_t len,
		     struct err *err);

/* What was read, cut anywhere. Returns 0, or -1 where this is none of the protocol, or take says
 * so. */
int mux_read(struct mux *mux, const unsigned char *bytes, size_t len, mux_take *take, void *context,
	     struct err *err);

/* Returns 0, or -1 where out has no room for all of it. */
int mux_write(struct buffer *out, enum mux_stream stream, const unsigned char *bytes, size_t len);

/* ---- ttrpc (ttrpc.c) ---- */

/*
 * ttrpc's messages on one stream of the multiplexer (containerd/ttrpc, PROTOCOL.md).
 *
 *   u32be length | u32be call | u8 type | u8 flags | length bytes
 *
 * An answer has the number of its request. A message is handed on in parts, as it comes: who wants
 * it whole keeps it.
 */

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

/* ---- calls (call.c) ---- */

/*
 * A request of the runtime's, while it comes in: ttrpc's Request, of which service, method and
 * payload are wanted. A payload that nobody will unpack is looked through and forgotten. After each
 * connection Synchronize has every pod and container of the node: a listener gets one after the
 * other, and the memory of one is used for the next.
 */

/* ttrpc's own bound for a message (channel.go, messageLengthMax) */
#define CALL_PAYLOAD_MAX (4 * 1024 * 1024)
#define CALL_NAME_MAX 64
/* A pod or a container of Synchronize that is longer is not given to the listener. */
#define CALL_OBJECT_MAX (512 * 1024)

enum call_method {
	CALL_UNKNOWN,
	CALL_CONFIGURE,
	CALL_SYNCHRONIZE,
	CALL_CREATE_CONTAINER,
	CALL_START_CONTAINER, /* since NRI 0.12 */
	CALL_STATE_CHANGE,    /* before it, for all events */
	CALL_OTHER,           /* a method of NRI's whose empty answer says: nothing to add */
};

struct call_name {
	char text[CALL_NAME_MAX];
	size_t len; /* may be more than fits: then it is no name of ours */
};

/* Numbers of Synchronize's fields */
enum call_object {
	CALL_POD = 1,
	CALL_CONTAINER = 2,
};

struct call_listener {
	/* bytes: its message, valid during the call; NULL: it was too long, or without memory */
	void (*object)(void *context, enum call_object kind, const unsigned char *bytes,
		       size_t len);
	void *context;
};

struct call {
	struct call_listener listener; /* .object NULL: nobody listens */
	struct buffer object;          /* that comes in */
	bool object_lost;
	struct fields request;
	struct fields inside; /* the payload's */
	struct call_name service;
	struct call_name name;
	struct buffer payload;
	bool keeps; /* the payload goes there */
	bool lost;  /* it did not fit, or there was no memory */
	bool more;  /* field 3 of the payload, of Synchronize: more messages follow */
};

#define CALL_NONE ((struct call){.payload.max = CALL_PAYLOAD_MAX, .object.max = CALL_OBJECT_MAX})

/* Begins anew; listener and memory stay. */
void call_reset(struct call *call);
/* Also frees the memory. */
void call_free(struct call *call);

/* The next bytes of the request, cut anywhere. What is wrong with them call_whole says. */
void call_read(struct call *call, const unsigned char *bytes, size_t len);

enum call_method call_method(const struct call *call);

/* True if the request could be read, and its payload is there whole. */
bool call_whole(const struct call *call);

#endif
