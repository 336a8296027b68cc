/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection: register, Configure, Synchronize, then containers. No I/O, no policy.
 *
 *   mux_read(); while session_next() returns 1: set .response, session_answer(); send .out
 *
 * Unknown methods and unreadable messages get an empty answer, which fails nothing; only bytes
 * other than NRI's disconnect.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "nri/message/nri.pb-c.h"
#include "nri/wire/field.h"
#include "nri/wire/ttrpc.h"

/* Unsent answers, each bounded by the policy; requests come one at a time */
#define SESSION_OUT_MAX (4 * 1024 * 1024)

/* 100 bytes a pod, 2 KiB a container with a device, else its id */
#define SESSION_KNOWN_MAX (8 * 1024 * 1024)
/* Per item: one tenant cannot fill it */
#define SESSION_KNOWN_EACH_MAX (256 * 1024)

/* Existing pods and containers, stripped */
struct known {
	struct arena arena;
	struct field *items;
	size_t n;
	size_t room;
	size_t size;
	bool lost; /* cut, or no room */
};

struct session {
	bool synchronized;
	struct known known;
	struct mux mux;
	struct buffer out; /* for the socket */
};

enum call_kind {
	CALL_OTHER, /* needs an answer only */
	CALL_CONFIGURE,
	CALL_SYNCHRONIZE, /* .known is complete */
	CALL_CREATE,
	CALL_START,
};

struct call {
	enum call_kind kind;
	struct ttrpc message;
	const Nri__ConfigureRequest *runtime; /* of Configure */
	const Nri__PodSandbox *pod;           /* NULL: unknown */
	const Nri__Container *container;      /* NULL: unreadable */
	struct message response;              /* message_response(), message_refusal() */
};

int session_begin(struct session *session, struct err *err);

/* Returns 1 with a request, 0 if incomplete, -1 to disconnect */
int session_next(struct session *session, struct arena *arena, struct call *ret_call,
		 struct err *err);

/* Once per request, before the next */
int session_answer(struct session *session, const struct call *call, struct err *err);

void session_end(struct session *session);
