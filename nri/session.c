/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/session.h"

#include <string.h>

#include "nri/message/message.h"
#include "nri/message/message_spec.h"

#define PLUGIN_NAME "oci-rdma"
/* After dranet and other DRA drivers (00), which add devices */
#define PLUGIN_INDEX "90"
#define CREATE_CONTAINER 4
#define START_CONTAINER 6
/* 0: all events, since 0.10 also a validator, whose errors fail any container */
#define EVENTS (1 << (CREATE_CONTAINER - 1) | 1 << (START_CONTAINER - 1))

#define SERVICE "nri.pkg.api.v1alpha1"
#define REGISTRATION 1

static int no_room(struct err *err)
{
	return err_set(err, "no memory for an answer");
}

/* May be unreadable: name and version are only logged */
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

static bool keep(struct known *known, uint32_t number, const struct message *told)
{
	cleanup_arena arena = {0};
	const ProtobufCMessageDescriptor *descriptor =
		number == SYNCHRONIZE_POD               ? &nri__pod_sandbox__descriptor
		: message_may_have_device(&arena, told) ? &nri__container__descriptor
							: &nri__container_id__descriptor;
	size_t len = message_strip(descriptor, told, NULL);
	size_t size = len + sizeof(struct field);
	unsigned char *bytes;
	struct field *item;

	if (len > SESSION_KNOWN_EACH_MAX || size > SESSION_KNOWN_MAX - known->size)
		return false;
	bytes = arena_alloc(&known->arena, len);
	item = bytes ? arena_push(&known->arena, known->items, known->n, known->room) : NULL;
	if (!item)
		return false;
	(void)message_strip(descriptor, told, bytes);
	*item = (struct field){.number = number, .bytes = {bytes, len}};
	known->size += size;
	return true;
}

/* Only reads: NRI cannot update limits. A second Synchronize repeats the first. */
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
		else if (!session->synchronized && field.number <= SYNCHRONIZE_CONTAINER &&
			 field.bytes.bytes)
			session->known.lost |= !keep(&session->known, field.number, &field.bytes);
	}
	if (!session->synchronized) {
		session->known.lost |= !whole || status < 0;
		session->synchronized = !response.more;
		call->kind = response.more ? CALL_OTHER : CALL_SYNCHRONIZE;
	}
	return message_response(arena, &response.base, &call->response);
}

/* CreateContainerRequest, StartContainerRequest {pod = 1, container = 2};
 * StateChangeEvent, before NRI 0.12 for all events {event = 1, pod = 2, container = 3} */
static void read_container(struct arena *arena, const struct message *payload, struct call *call)
{
	struct message parts[4] = {{0}};
	struct message left = *payload;
	const struct message *pod = call->kind == CALL_OTHER ? &parts[2] : &parts[1];
	uint64_t event = 0;
	struct field field;
	int status;

	while ((status = field_next(&left, &field)) > 0) {
		if (field.number < 4)
			parts[field.number] = field.bytes;
		if (field.number == 1)
			event = field.value;
	}
	if (status < 0 || (call->kind == CALL_OTHER && event != START_CONTAINER))
		return;
	if (call->kind == CALL_OTHER)
		call->kind = CALL_START;
	if (pod->bytes)
		call->pod = message_unpack(arena, &nri__pod_sandbox__descriptor, pod);
	/* Without its pod a container would lack annotations */
	if (pod[1].bytes && (call->pod || !pod->bytes))
		call->container = message_unpack(arena, &nri__container__descriptor, pod + 1);
}

static bool is(const struct message *name, const char *text)
{
	return name->len == strlen(text) && memcmp(name->bytes, text, name->len) == 0;
}

enum { FIELD_SERVICE = 1, FIELD_METHOD = 2, FIELD_PAYLOAD = 3, FIELDS };

static int read_call(struct session *session, struct arena *arena, struct call *call)
{
	struct message parts[FIELDS] = {{0}};
	struct message left = call->message.body;
	const struct message *method = &parts[FIELD_METHOD];
	const struct message *payload = &parts[FIELD_PAYLOAD];
	bool known;
	struct field field;
	int status;

	while ((status = field_next(&left, &field)) > 0) {
		if (field.number < FIELDS && field.bytes.bytes)
			parts[field.number] = field.bytes;
	}
	known = is(&parts[FIELD_SERVICE], SERVICE ".Plugin");
	if (known && is(method, "Configure"))
		return read_configure(arena, payload, call);
	if (known && is(method, "Synchronize"))
		return read_synchronize(session, arena, payload, status == 0, call);
	if (known && is(method, "CreateContainer"))
		call->kind = CALL_CREATE;
	else if (known && is(method, "StartContainer"))
		call->kind = CALL_START;
	else if (!known || !is(method, "StateChange"))
		/* The runtime then sends StateChange */
		return message_refusal(arena, TTRPC_UNIMPLEMENTED, "not implemented",
				       &call->response);
	/* If cut, the pod's annotations may be missing */
	if (status == 0)
		read_container(arena, payload, call);
	return 0;
}

/* Skips all but our registration's answer */
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
		consume(calls, &message);
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
	arena_free(&session->known.arena);
	buffer_free(&session->out);
}
