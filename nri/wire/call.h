/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request of the runtime's, while it comes in: ttrpc's Request, of which service, method and
 * payload are wanted. A payload that nobody will unpack is looked through and forgotten. After each
 * connection Synchronize has every pod and container of the node: a listener gets one after the
 * other, and the memory of one is used for the next.
 */
#ifndef OCI_RDMA_NRI_CALL_H
#define OCI_RDMA_NRI_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "nri/wire/buffer.h"
#include "nri/wire/fields.h"

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
	CALL_OTHER, /* a method of NRI's whose empty answer says: nothing to add */
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
