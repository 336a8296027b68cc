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

static int send_response(struct session *session, uint32_t call, const struct message *response,
			 struct err *err)
{
	return ttrpc_write(&session->out, MUX_PLUGIN, TTRPC_RESPONSE, call, response->bytes,
			   response->len) < 0
		       ? no_room(err)
		       : 0;
}

/* ---- requests ---- */

static int answer_configure(struct session *session, struct arena *arena,
			    struct message *ret_response, struct err *err)
{
	struct message payload = {session->call.payload.bytes, session->call.payload.len};
	struct message_runtime runtime = {.name = "", .version = ""};
	struct message events;
	struct err ignored;

	/* The name and version of the runtime help in a log; nothing depends on them. */
	if (call_whole(&session->call) && payload.len)
		(void)message_read_configure(arena, &payload, &runtime, &ignored);
	if (message_events(arena, EVENTS, &events) < 0 ||
	    message_response(arena, &events, ret_response) < 0)
		return no_room(err);
	if (session->stage == SESSION_CONNECTED)
		session->stage = SESSION_CONFIGURED;
	session->handler->configured(session->context, &runtime);
	return 0;
}

/* A second Synchronize on the same connection would tell the same. */
static void on_object(void *context, enum call_object kind, const unsigned char *bytes, size_t len)
{
	const struct session *session = context;
	const struct session_handler *handler = session->handler;
	const struct message message = {bytes, len};
	void (*hear)(void *, const struct message *) =
		kind == CALL_POD ? handler->pod : handler->container;

	if (hear && session->stage != SESSION_SYNCHRONIZED)
		hear(session->context, bytes ? &message : NULL);
}

/* Containers that run already: their limits are set, and no update of NRI's has limits. */
static int answer_synchronize(struct session *session, struct arena *arena,
			      struct message *ret_response, struct err *err)
{
	struct message answer;

	if (message_more(arena, session->call.more, &answer) < 0 ||
	    message_response(arena, &answer, ret_response) < 0)
		return no_room(err);
	session->synchronize_broken |= !call_whole(&session->call);
	if (session->call.more || session->stage == SESSION_SYNCHRONIZED)
		return 0;
	session->stage = SESSION_SYNCHRONIZED;
	session->handler->synchronized(session->context, !session->synchronize_broken);
	return 0;
}

static void answer_create(struct session *session, struct arena *arena,
			  struct message *ret_response)
{
	struct message payload = {session->call.payload.bytes, session->call.payload.len};

	session->handler->create(session->context, arena,
				 call_whole(&session->call) ? &payload : NULL, ret_response);
}

static void answer_start(struct session *session, struct arena *arena, bool is_event,
			 struct message *ret_response)
{
	struct message payload = {session->call.payload.bytes, session->call.payload.len};
	struct message pod;
	struct message container;

	if (call_whole(&session->call) && session->handler->start &&
	    message_read_start(arena, &payload, is_event, &pod, &container) == 0)
		session->handler->start(session->context, arena, &pod, &container, ret_response);
}

static int answer(struct session *session, uint32_t call, struct err *err)
{
	cleanup_arena arena = {0};
	struct message response = {0};
	int status = 0;

	switch (call_method(&session->call)) {
	case CALL_CONFIGURE:
		status = answer_configure(session, &arena, &response, err);
		break;
	case CALL_SYNCHRONIZE:
		status = answer_synchronize(session, &arena, &response, err);
		break;
	case CALL_CREATE_CONTAINER:
		answer_create(session, &arena, &response);
		break;
	case CALL_START_CONTAINER:
	case CALL_STATE_CHANGE:
		answer_start(session, &arena, call_method(&session->call) == CALL_STATE_CHANGE,
			     &response);
		break;
	case CALL_OTHER:
		break;
	case CALL_UNKNOWN:
		if (message_refusal(&arena, TTRPC_UNIMPLEMENTED, "not implemented", &response) < 0)
			status = no_room(err);
		break;
	}
	return status < 0 ? -1 : send_response(session, call, &response, err);
}

static int begin_request(void *context, const struct ttrpc *message, struct err *err)
{
	struct session *session = context;

	(void)message;
	(void)err;
	call_reset(&session->call);
	return 0;
}

static int read_request(void *context, const unsigned char *bytes, size_t len, struct err *err)
{
	struct session *session = context;

	(void)err;
	call_read(&session->call, bytes, len);
	return 0;
}

/* What is no request on this stream wants no answer. */
static int end_request(void *context, const struct ttrpc *message, struct err *err)
{
	return message->type == TTRPC_REQUEST ? answer(context, message->call, err) : 0;
}

static const struct ttrpc_handler requests = {begin_request, read_request, end_request};

/* ---- the answer to our registration ---- */

static int begin_response(void *context, const struct ttrpc *message, struct err *err)
{
	struct session *session = context;

	(void)message;
	(void)err;
	buffer_clear(&session->response);
	return 0;
}

static int read_response(void *context, const unsigned char *bytes, size_t len, struct err *err)
{
	struct session *session = context;

	if (buffer_append(&session->response, bytes, len) < 0)
		return err_set(err, "the runtime's answer is longer than %d bytes",
			       SESSION_RESPONSE_MAX);
	return 0;
}

static int end_response(void *context, const struct ttrpc *message, struct err *err)
{
	struct session *session = context;
	struct message response = {session->response.bytes, session->response.len};
	cleanup_arena arena = {0};
	const char *text;
	int status;

	if (message->type != TTRPC_RESPONSE || message->call != REGISTRATION || !response.len)
		return 0;
	if (message_read_response(&arena, &response, &status, &text, err) < 0)
		return -1;
	return status ? err_set(err, "the runtime refuses the plugin: %.400s (status %d)", text,
				status)
		      : 0;
}

static const struct ttrpc_handler responses = {begin_response, read_response, end_response};

/* ---- both ---- */

/* A stream that a later version may add is nothing to us. */
static int take(void *context, uint32_t stream, const unsigned char *bytes, size_t len,
		struct err *err)
{
	struct session *session = context;

	if (stream == MUX_PLUGIN)
		return ttrpc_read(&session->plugin, bytes, len, &requests, session, err);
	if (stream == MUX_RUNTIME)
		return ttrpc_read(&session->runtime, bytes, len, &responses, session, err);
	return 0;
}

int session_begin(struct session *session, const struct session_handler *handler, void *context,
		  struct err *err)
{
	cleanup_arena arena = {0};
	struct message request;

	*session = (struct session){
		.handler = handler,
		.context = context,
		.call = CALL_NONE,
		.response.max = SESSION_RESPONSE_MAX,
		.out.max = SESSION_OUT_MAX,
	};
	session->call.listener = (struct call_listener){on_object, session};
	if (message_register(&arena, PLUGIN_NAME, PLUGIN_INDEX, &request) < 0 ||
	    ttrpc_write(&session->out, MUX_RUNTIME, TTRPC_REQUEST, REGISTRATION, request.bytes,
			request.len) < 0)
		return no_room(err);
	return 0;
}

int session_read(struct session *session, const unsigned char *bytes, size_t len, struct err *err)
{
	return mux_read(&session->mux, bytes, len, take, session, err);
}

void session_end(struct session *session)
{
	call_free(&session->call);
	buffer_free(&session->response);
	buffer_free(&session->out);
}
