/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/message/message.h"

#include "core/base/text.h"
#include "nri/message/nri.pb-c.h"
#include "nri/message/unpack.h"

/* ---- read ---- */

int message_read_response(struct arena *arena, const struct message *message, int *ret_status,
			  const char **ret_text, struct err *err)
{
	const Nri__Response *response =
		unpack_message(arena, &nri__response__descriptor, message->bytes, message->len);

	if (!response)
		return err_set(err, "the runtime's answer is not a ttrpc response");
	*ret_status = response->status ? response->status->code : 0;
	*ret_text = response->status ? response->status->message : "";
	return 0;
}

int message_read_configure(struct arena *arena, const struct message *message,
			   struct message_runtime *ret_runtime, struct err *err)
{
	const Nri__ConfigureRequest *request = unpack_message(
		arena, &nri__configure_request__descriptor, message->bytes, message->len);

	if (!request)
		return err_set(err, "Configure: this is not a message of NRI");
	*ret_runtime = (struct message_runtime){
		.name = request->runtime_name,
		.version = request->runtime_version,
		.timeout_ms = request->request_timeout,
	};
	return 0;
}

/* ---- write ---- */

int message_pack(struct arena *arena, const ProtobufCMessage *message, struct message *ret_message)
{
	size_t size = protobuf_c_message_get_packed_size(message);
	unsigned char *bytes = arena_alloc(arena, size);

	if (!bytes)
		return -1;
	*ret_message = (struct message){bytes, protobuf_c_message_pack(message, bytes)};
	return 0;
}

static ProtobufCBinaryData binary(const struct message *message)
{
	return (ProtobufCBinaryData){message->len, (uint8_t *)message->bytes};
}

int message_register(struct arena *arena, const char *name, const char *index,
		     struct message *ret_message)
{
	Nri__RegisterPluginRequest plugin = NRI__REGISTER_PLUGIN_REQUEST__INIT;
	Nri__Request request = NRI__REQUEST__INIT;
	struct message payload;

	plugin.plugin_name = (char *)name;
	plugin.plugin_idx = (char *)index;
	if (message_pack(arena, &plugin.base, &payload) < 0)
		return -1;
	request.service = (char *)"nri.pkg.api.v1alpha1.Runtime";
	request.method = (char *)"RegisterPlugin";
	request.payload = binary(&payload);
	return message_pack(arena, &request.base, ret_message);
}

int message_events(struct arena *arena, int32_t events, struct message *ret_message)
{
	Nri__ConfigureResponse response = NRI__CONFIGURE_RESPONSE__INIT;

	response.events = events;
	return message_pack(arena, &response.base, ret_message);
}

int message_more(struct arena *arena, bool more, struct message *ret_message)
{
	Nri__SynchronizeResponse response = NRI__SYNCHRONIZE_RESPONSE__INIT;

	response.more = more;
	return message_pack(arena, &response.base, ret_message);
}

static int set_env(struct arena *arena, const struct message_adjustment *adjustment,
		   Nri__ContainerAdjustment *adjust)
{
	size_t n = adjustment->n_variables;
	Nri__Entry *entries = arena_alloc(arena, n * sizeof(*entries));
	Nri__Entry **env = arena_alloc(arena, n * sizeof(void *));

	if (!entries || !env)
		return -1;
	for (size_t i = 0; i < n; i++) {
		nri__entry__init(&entries[i]);
		entries[i].key = (char *)adjustment->names[i];
		entries[i].value = (char *)adjustment->values[i];
		env[i] = &entries[i];
	}
	adjust->n_env = n;
	adjust->env = env;
	return 0;
}

int message_adjust(struct arena *arena, const struct message_adjustment *adjustment,
		   struct message *ret_message)
{
	Nri__CreateContainerResponse response = NRI__CREATE_CONTAINER_RESPONSE__INIT;
	Nri__ContainerAdjustment adjust = NRI__CONTAINER_ADJUSTMENT__INIT;
	Nri__Rlimit rlimit = NRI__RLIMIT__INIT;
	Nri__Rlimit *rlimits[] = {&rlimit};

	if (set_env(arena, adjustment, &adjust) < 0)
		return -1;
	rlimit.type = (char *)"RLIMIT_MEMLOCK";
	rlimit.hard = adjustment->memlock_hard;
	rlimit.soft = adjustment->memlock_soft;
	adjust.rlimits = rlimits;
	adjust.n_rlimits = adjustment->sets_memlock;
	response.adjust = &adjust;
	return message_pack(arena, &response.base, ret_message);
}

int message_response(struct arena *arena, const struct message *answer, struct message *ret_message)
{
	Nri__Response response = NRI__RESPONSE__INIT;

	response.payload = binary(answer);
	return message_pack(arena, &response.base, ret_message);
}

int message_refusal(struct arena *arena, int status, const char *text, struct message *ret_message)
{
	Nri__Response response = NRI__RESPONSE__INIT;
	Nri__Status refused = NRI__STATUS__INIT;

	refused.code = status;
	refused.message = arena_strdup(arena, text);
	if (!refused.message)
		return -1;
	text_make_printable(refused.message);
	response.status = &refused;
	return message_pack(arena, &response.base, ret_message);
}
