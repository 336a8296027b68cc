/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection's story: register, be configured, be synchronized, then answer for each container.
 * Bytes come in, bytes go out; where they come from and what a container gets is others' business.
 *
 * Whatever the runtime says, it gets an answer that fails nothing: empty where a method or message
 * is not understood. Only what is no NRI at all ends the connection.
 */
#ifndef OCI_RDMA_NRI_SESSION_H
#define OCI_RDMA_NRI_SESSION_H

#include <stddef.h>

#include "core/base/err.h"
#include "nri/message/message.h"
#include "nri/wire/wire.h"

/* Answers that the runtime has not read yet. An answer has at most what a policy has, and there is
 * one request at a time. */
#define SESSION_OUT_MAX (4 * 1024 * 1024)

enum session_stage {
	SESSION_CONNECTED,
	SESSION_CONFIGURED,
	SESSION_SYNCHRONIZED, /* containers come */
};

struct session_handler {
	/*
	 * A container is to be created: its packed pod and container, which is NULL if it cannot
	 * be read. The response is of message_response() or message_refusal(), in the arena; one
	 * that is not set is empty.
	 */
	void (*create)(void *context, struct arena *arena, const struct message *pod,
		       const struct message *container, struct message *ret_response);
	/* One is about to start. May be NULL. */
	void (*start)(void *context, struct arena *arena, const struct message *pod,
		      const struct message *container, struct message *ret_response);
	void (*configured)(void *context, const struct message_runtime *runtime);
	/* What is there already: a SynchronizeRequest or several, before synchronized(); each is
	 * valid during the call. May be NULL. */
	void (*known)(void *context, const struct message *request);
	/* whole: each message could be read to its end */
	void (*synchronized)(void *context, bool whole);
};

struct session {
	const struct session_handler *handler;
	void *context;
	enum session_stage stage;
	bool synchronize_broken; /* a part of Synchronize was not whole */
	struct mux mux;
	struct buffer out; /* for the socket */
};

/* Says who we are. Returns 0, or -1 without memory. */
int session_begin(struct session *session, const struct session_handler *handler, void *context,
		  struct err *err);

/* What was read, cut anywhere. Returns 0, or -1 where the connection is of no more use. */
int session_read(struct session *session, const unsigned char *bytes, size_t len, struct err *err);

/* Frees what it holds, in any stage. */
void session_end(struct session *session);

#endif
