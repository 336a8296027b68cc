/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The course of one connection: register, be configured, be synchronized, then answer for each
 * container. Bytes come in, bytes go out; there is no I/O and no policy here.
 *
 *   mux_read(&session.mux, what the socket says), then while session_next() returns 1: set
 * .response if the container is to get something, session_answer(); send .out
 *
 * Whatever the runtime says, the answer fails nothing: it is empty if a method or message is not
 * understood. Only what is no NRI at all ends the connection.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "nri/message/nri.pb-c.h"
#include "nri/wire/field.h"
#include "nri/wire/ttrpc.h"

/* Answers that the runtime has not read yet. An answer has at most what a policy has, and there is
 * one request at a time. */
#define SESSION_OUT_MAX (4 * 1024 * 1024)

/* What is kept of all that is there when the plugin connects: 100 bytes of a pod, 2 KiB of a
 * container with a device, the id of any other. */
#define SESSION_KNOWN_MAX (8 * 1024 * 1024)
/* Of one of them: that of some tenants must not fill it all. */
#define SESSION_KNOWN_EACH_MAX (256 * 1024)

/* Fields of SynchronizeRequest. Several requests one behind the other are one, as everywhere in
 * protobuf. */
enum synchronize_field {
	SYNCHRONIZE_POD = 1,
	SYNCHRONIZE_CONTAINER = 2,
	SYNCHRONIZE_MORE = 3, /* requests follow */
};

/* Pods and containers that are there already: fields of SynchronizeRequest, stripped */
struct known {
	struct arena arena;
	struct field *items;
	size_t n;
	size_t room;
	size_t size; /* in bytes, of SESSION_KNOWN_MAX */
	bool lost;   /* a part of them: it was cut, or there was no room */
};

struct session {
	bool synchronized;
	struct known known;
	struct mux mux;
	struct buffer out; /* for the socket */
};

enum call_kind {
	CALL_OTHER, /* wants nothing but its answer */
	CALL_CONFIGURE,
	CALL_SYNCHRONIZE, /* the last one of the connection: all is known */
	CALL_CREATE,
	CALL_START,
};

struct call {
	enum call_kind kind;
	struct ttrpc message;
	const Nri__ConfigureRequest *runtime; /* of Configure */
	const Nri__PodSandbox *pod;           /* of Create and Start; NULL: not known */
	const Nri__Container *container;      /* of Create and Start; NULL: it cannot be read */
	struct message response; /* what is answered, by message_response() or message_refusal() */
};

/* Says who we are. Returns 0, or -1 without memory. */
int session_begin(struct session *session, struct err *err);

/* The next request, which lives in the arena. Returns 1, 0 if none is there whole, or -1 if the
 * connection is of no more use. */
int session_next(struct session *session, struct arena *arena, struct call *ret_call,
		 struct err *err);

/* Answers it: once, before the next one. Returns 0 or -1. */
int session_answer(struct session *session, const struct call *call, struct err *err);

/* Frees what it holds. */
void session_end(struct session *session);
