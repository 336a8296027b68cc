/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/session.h"

#include <string.h>

#define PLUGIN_NAME "oci-rdma"
/* Plugins are asked in this order: behind those that add devices (dranet and other DRA drivers
 * have 00), whose devices are in the message then. */
#define PLUGIN_INDEX "90"
#define CREATE_CONTAINER 4
#define START_CONTAINER 6
/* No bit at all would mean every event, and since 0.10 a validator, whose error fails any
 * container. */
#define EVENTS (1 << (CREATE_CONTAINER - 1) | 1 << (START_CONTAINER - 1))

#define SERVICE "nri.pkg.api.v1alpha1"
#define REGISTRATION 1

static int no_room(struct err *err)
{
	return err_set(err, "no memory for an answer");
}

/* ---- requests ---- */

/* The name and version of the runtime help in a log; nothing depends on them. */
static int read_configure(struct arena *arena, const struct message *payload, struct call *call)
{
	static const Nri__ConfigureRequest unknown = NRI__CONFIGURE_REQUEST__INIT;
	Nri__ConfigureResponse response = NRI__CONFIGURE_RESPONSE__INIT;

	call->kind = CALL_CONFIGURE;
	call->runtime = message_unpack(arena, &nri__configure_request__descriptor, payload);
	if (!call->runtime)
		call->runtime = &unknown;
	response.events = EVENTS;
	return message_response(arena, &response.base, &call->response);
}

/* Containers that run already: their limits are set, and no update of NRI's has limits. A second
 * Synchronize on the same connection would tell the same. */
static int read_synchronize(struct session *session, struct arena *arena,
			    const struct message *payload, bool whole, struct call *call)
{
	Nri__SynchronizeResponse response = NRI__SYNCHRONIZE_RESPONSE__INIT;
	struct message left = *payload;
	struct field field;
	int status;

	while ((status = field_next(&left, &field)) > 0) {
		if (field.number == SYNCHRONIZE_MORE)
			response.more = field.value != 0;
	}
	if (!session->synchronized) {
		session->known.max = SESSION_KNOWN_MAX;
		session->known_lost |=
			!whole || status < 0 ||
			buffer_append(&session->known, payload->bytes, payload->len) < 0;
		session->synchronized = !response.more;
		call->kind = response.more ? CALL_OTHER : CALL_SYNCHRONIZE;
	}
	return message_response(arena, &response.base, &call->response);
}

static void read_container(struct arena *arena, const struct message *payload, struct call *call)
{
	const Nri__CreateContainerRequest *asked =
		message_unpack(arena, &nri__create_container_request__descriptor, payload);

	call->pod = asked ? asked->pod : NULL;
	call->container = asked ? asked->container : NULL;
}

/* Before NRI 0.12 it is for all events. */
static void read_state_change(struct arena *arena, const struct message *payload, struct call *call)
{
	const Nri__StateChangeEvent *change =
		message_unpack(arena, &nri__state_change_event__descriptor, payload);

	if (!change || change->event != START_CONTAINER)
		return;
	call->kind = CALL_START;
	call->pod = change->pod;
	call->container = change->container;
}

static bool is(const struct message *name, const char *text)
{
	return name->len == strlen(text) && memcmp(name->bytes, text, name->len) == 0;
}

enum { FIELD_SERVICE = 1, FIELD_METHOD = 2, FIELD_PAYLOAD = 3, FIELDS };

/* Methods whose empty answer says what we have to say. A validator's: no objection. */
static bool is_heard(const struct message *method)
{
	static const char *const names[] = {"StateChange",      "Shutdown",
					    "UpdateContainer",  "StopContainer",
					    "UpdatePodSandbox", "ValidateContainerAdjustment"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (is(method, names[i]))
			return true;
	}
	return false;
}

/*
 * A runtime sends what was subscribed to. A method that is unknown here is UNIMPLEMENTED: since NRI
 * 0.12 a runtime then sends the event as StateChange, which every plugin has.
 */
static int refuse_unknown(struct arena *arena, struct call *call)
{
	return message_refusal(arena, TTRPC_UNIMPLEMENTED, "not implemented", &call->response);
}

static int read_call(struct session *session, struct arena *arena, struct call *call)
{
	struct message parts[FIELDS] = {{0}}; /* if one occurs twice, the last one holds */
	struct message left = call->message.body;
	const struct message *method = &parts[FIELD_METHOD];
	const struct message *payload = &parts[FIELD_PAYLOAD];
	struct field field;
	int status;

	while ((status = field_next(&left, &field)) > 0) {
		if (field.number < FIELDS && field.bytes.bytes)
			parts[field.number] = field.bytes;
	}
	if (!is(&parts[FIELD_SERVICE], SERVICE ".Plugin"))
		return refuse_unknown(arena, call);
	if (is(method, "Configure"))
		return read_configure(arena, payload, call);
	if (is(method, "Synchronize"))
		return read_synchronize(session, arena, payload, status == 0, call);
	if (is(method, "CreateContainer"))
		call->kind = CALL_CREATE;
	if (is(method, "StartContainer"))
		call->kind = CALL_START;
	/* Cut behind its container, it may lack the pod's annotations. */
	if (call->kind != CALL_OTHER && status == 0)
		read_container(arena, payload, call);
	if (is(method, "StateChange") && status == 0)
		read_state_change(arena, payload, call);
	return call->kind == CALL_OTHER && !is_heard(method) ? refuse_unknown(arena, call) : 0;
}

/* The runtime's answer to our registration; any other is none of ours. */
static int read_response(const struct ttrpc *message, struct err *err)
{
	cleanup_arena arena = {0};
	const Nri__Response *response;

	if (message->type != TTRPC_RESPONSE || message->call != REGISTRATION)
		return 0;
	response = message_unpack(&arena, &nri__response__descriptor, &message->body);
	if (!response)
		return err_set(err, "the runtime's answer is not a ttrpc response");
	if (response->status && response->status->code)
		return err_set(err, "the runtime refuses the plugin: %.400s (status %d)",
			       response->status->message, response->status->code);
	return 0;
}

/* ---- the session ---- */

int session_begin(struct session *session, struct err *err)
{
	Nri__RegisterPluginRequest plugin = NRI__REGISTER_PLUGIN_REQUEST__INIT;
	Nri__Request request = NRI__REQUEST__INIT;
	cleanup_arena arena = {0};
	struct message payload;
	struct message message;

	*session = (struct session){.out.max = SESSION_OUT_MAX};
	plugin.plugin_name = (char *)PLUGIN_NAME;
	plugin.plugin_idx = (char *)PLUGIN_INDEX;
	if (message_pack(&arena, &plugin.base, &payload) < 0)
		return no_room(err);
	request.service = (char *)SERVICE ".Runtime";
	request.method = (char *)"RegisterPlugin";
	request.payload = (ProtobufCBinaryData){payload.len, (uint8_t *)payload.bytes};
	if (message_pack(&arena, &request.base, &message) < 0 ||
	    ttrpc_write(&session->out, MUX_RUNTIME, TTRPC_REQUEST, REGISTRATION, &message) < 0)
		return no_room(err);
	return 0;
}

int session_read(struct session *session, const unsigned char *bytes, size_t len, struct err *err)
{
	return mux_read(&session->mux, bytes, len, err);
}

static void consume(struct buffer *stream, const struct ttrpc *message)
{
	buffer_consume(stream, TTRPC_HEADER + message->body.len);
}

int session_next(struct session *session, struct arena *arena, struct call *ret_call,
		 struct err *err)
{
	struct buffer *calls = &session->mux.streams[MUX_PLUGIN];
	struct buffer *answers = &session->mux.streams[MUX_RUNTIME];
	struct ttrpc message;
	int status;

	while ((status = ttrpc_next(answers, &message, err)) > 0) {
		if (read_response(&message, err) < 0)
			return -1;
		consume(answers, &message);
	}
	if (status < 0)
		return -1;
	while ((status = ttrpc_next(calls, &message, err)) > 0 && message.type != TTRPC_REQUEST)
		consume(calls, &message); /* it wants no answer */
	if (status <= 0)
		return status;
	*ret_call = (struct call){.message = message};
	return read_call(session, arena, ret_call) < 0 ? no_room(err) : 1;
}

int session_answer(struct session *session, const struct call *call, struct err *err)
{
	if (ttrpc_write(&session->out, MUX_PLUGIN, TTRPC_RESPONSE, call->message.call,
			&call->response) < 0)
		return no_room(err);
	consume(&session->mux.streams[MUX_PLUGIN], &call->message);
	return 0;
}

void session_end(struct session *session)
{
	mux_free(&session->mux);
	buffer_free(&session->known);
	buffer_free(&session->out);
}
