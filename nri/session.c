/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/session.h"

#include "core/base/arena.h"

#define PLUGIN_NAME "oci-rdma"
/* Plugins are asked in this order: behind those that add devices (dranet and other DRA drivers
 * have 00), whose devices are in the message then. */
#define PLUGIN_INDEX "90"
/* Event.CREATE_CONTAINER = 4, START_CONTAINER = 6. No bit at all would mean every event, and since
 * 0.10 a validator, whose error fails any container. */
#define EVENTS (1 << 3 | 1 << 5)

#define REGISTRATION 1

static int no_room(struct err *err)
{
	return err_set(err, "no memory for an answer");
}

/* ---- requests ---- */

static int answer_configure(struct session *session, const struct call *call, struct arena *arena,
			    struct message *ret_response, struct err *err)
{
	struct message_runtime runtime = {.name = "", .version = ""};
	struct message events;
	struct err ignored;

	/* The name and version of the runtime help in a log; nothing depends on them. */
	if (call->whole && call->payload.len)
		(void)message_read_configure(arena, &call->payload, &runtime, &ignored);
	if (message_events(arena, EVENTS, &events) < 0 ||
	    message_response(arena, &events, ret_response) < 0)
		return no_room(err);
	if (session->stage == SESSION_CONNECTED)
		session->stage = SESSION_CONFIGURED;
	session->handler->configured(session->context, &runtime);
	return 0;
}

/* Returns whether the message could be read to its end. */
static bool is_whole(const struct message *payload, bool *ret_more)
{
	struct message left = *payload;
	struct field field;
	int status;

	*ret_more = false;
	while ((status = field_next(&left, &field)) > 0) {
		if (field.number == MESSAGE_MORE)
			*ret_more = field.value != 0;
	}
	return status == 0;
}

/* A second Synchronize on the same connection would tell the same. */
static void hear(struct session *session, const struct call *call, bool *ret_more)
{
	bool whole = is_whole(&call->payload, ret_more) && call->whole;

	session->synchronize_broken |= !whole;
	if (whole && session->stage != SESSION_SYNCHRONIZED && session->handler->known)
		session->handler->known(session->context, &call->payload);
}

/* Containers that run already: their limits are set, and no update of NRI's has limits. */
static int answer_synchronize(struct session *session, const struct call *call, struct arena *arena,
			      struct message *ret_response, struct err *err)
{
	struct message answer;
	bool more;

	hear(session, call, &more);
	if (message_more(arena, more, &answer) < 0 ||
	    message_response(arena, &answer, ret_response) < 0)
		return no_room(err);
	if (more || session->stage == SESSION_SYNCHRONIZED)
		return 0;
	session->stage = SESSION_SYNCHRONIZED;
	session->handler->synchronized(session->context, !session->synchronize_broken);
	return 0;
}

static void answer_create(struct session *session, const struct call *call, struct arena *arena,
			  struct message *ret_response)
{
	struct message pod;
	struct message container;
	bool whole = call->whole && message_parts(&call->payload, false, &pod, &container) == 0;

	session->handler->create(session->context, arena, &pod, whole ? &container : NULL,
				 ret_response);
}

static void answer_start(struct session *session, const struct call *call, struct arena *arena,
			 struct message *ret_response)
{
	bool is_event = call->method == CALL_STATE_CHANGE;
	struct message pod;
	struct message container;

	if (call->whole && session->handler->start &&
	    message_parts(&call->payload, is_event, &pod, &container) == 0)
		session->handler->start(session->context, arena, &pod, &container, ret_response);
}

static int answer(struct session *session, const struct ttrpc *message, struct err *err)
{
	cleanup_arena arena = {0};
	struct message response = {0};
	struct call call;
	int status = 0;

	call_read(&message->body, &call);
	switch (call.method) {
	case CALL_CONFIGURE:
		status = answer_configure(session, &call, &arena, &response, err);
		break;
	case CALL_SYNCHRONIZE:
		status = answer_synchronize(session, &call, &arena, &response, err);
		break;
	case CALL_CREATE_CONTAINER:
		answer_create(session, &call, &arena, &response);
		break;
	case CALL_START_CONTAINER:
	case CALL_STATE_CHANGE:
		answer_start(session, &call, &arena, &response);
		break;
	case CALL_OTHER:
		break;
	case CALL_UNKNOWN:
		if (message_refusal(&arena, TTRPC_UNIMPLEMENTED, "not implemented", &response) < 0)
			status = no_room(err);
		break;
	}
	if (status < 0)
		return -1;
	if (ttrpc_write(&session->out, MUX_PLUGIN, TTRPC_RESPONSE, message->call, response.bytes,
			response.len) < 0)
		return no_room(err);
	return 0;
}

/* The runtime's answer to our registration; any other is none of ours. */
static int registered(const struct ttrpc *message, struct err *err)
{
	cleanup_arena arena = {0};
	const char *text;
	int status;

	if (message->call != REGISTRATION || !message->body.len)
		return 0;
	if (message_read_response(&arena, &message->body, &status, &text, err) < 0)
		return -1;
	return status ? err_set(err, "the runtime refuses the plugin: %.400s (status %d)", text,
				status)
		      : 0;
}

/* A message of another type wants no answer. */
static int take(struct session *session, enum mux_stream stream, const struct ttrpc *message,
		struct err *err)
{
	if (stream == MUX_PLUGIN && message->type == TTRPC_REQUEST)
		return answer(session, message, err);
	if (stream == MUX_RUNTIME && message->type == TTRPC_RESPONSE)
		return registered(message, err);
	return 0;
}

static int take_all(struct session *session, enum mux_stream stream, struct err *err)
{
	struct buffer *in = &session->mux.streams[stream];
	struct ttrpc message;
	int status;

	while ((status = ttrpc_next(in, &message, err)) > 0) {
		if (take(session, stream, &message, err) < 0)
			return -1;
		ttrpc_taken(in, &message);
	}
	return status;
}

/* ---- the session ---- */

int session_begin(struct session *session, const struct session_handler *handler, void *context,
		  struct err *err)
{
	cleanup_arena arena = {0};
	struct message request;

	*session = (struct session){
		.handler = handler,
		.context = context,
		.out.max = SESSION_OUT_MAX,
	};
	if (message_register(&arena, PLUGIN_NAME, PLUGIN_INDEX, &request) < 0 ||
	    ttrpc_write(&session->out, MUX_RUNTIME, TTRPC_REQUEST, REGISTRATION, request.bytes,
			request.len) < 0)
		return no_room(err);
	return 0;
}

int session_read(struct session *session, const unsigned char *bytes, size_t len, struct err *err)
{
	if (mux_read(&session->mux, bytes, len, err) < 0 || take_all(session, MUX_RUNTIME, err) < 0)
		return -1;
	return take_all(session, MUX_PLUGIN, err);
}

void session_end(struct session *session)
{
	mux_free(&session->mux);
	buffer_free(&session->out);
}
