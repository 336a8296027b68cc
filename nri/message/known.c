/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods and containers that are there already. After a start of the plugin each of the node's comes
 * by: nearly all are dismissed by a glance, which unpacks nothing, and those that are kept are
 * reduced to what a decision needs.
 */
#include <string.h>

#include "core/base/text.h"
#include "core/spec/spec.h"
#include "nri/message/message.h"
#include "nri/message/nri.pb-c.h"
#include "nri/message/unpack.h"
#include "nri/wire/wire.h"

#define STATE_STOPPED 4
#define NANOSECONDS 1000000000

/* ---- a glance: fields of messages that lie in memory whole ---- */

enum {
	CONTAINER_ID = 1,
	CONTAINER_STATE = 4,
	CONTAINER_ENV = 8,
	CONTAINER_LINUX = 11,
	LINUX_DEVICE = 2,
	DEVICE_TYPE = 2,
	DEVICE_MAJOR = 3,
};

static void no_number(void *context, uint32_t field, uint64_t number)
{
	(void)context;
	(void)field;
	(void)number;
}

static void no_begin(void *context, uint32_t field)
{
	(void)context;
	(void)field;
}

static void device_number(void *context, uint32_t field, uint64_t number)
{
	struct spec_device *device = context;

	if (field == DEVICE_MAJOR)
		device->major = (int64_t)number;
}

static void device_part(void *context, uint32_t field, const unsigned char *bytes, size_t len)
{
	struct spec_device *device = context;

	if (field == DEVICE_TYPE)
		device->character = len == 1 && (bytes[0] == 'c' || bytes[0] == 'u');
}

static const struct fields_handler device_handler = {device_number, no_begin, device_part, NULL};

static void linux_part(void *context, uint32_t field, const unsigned char *bytes, size_t len)
{
	struct message_glance *glance = context;
	struct spec_device device = {0};
	struct fields fields = {0};

	if (field != LINUX_DEVICE)
		return;
	fields_read(&fields, bytes, len, &device_handler, &device);
	glance->has_verbs |= spec_device_may_be_verbs(&device);
	glance->may_have_device |= glance->has_verbs;
}

static const struct fields_handler linux_handler = {no_number, no_begin, linux_part, NULL};

static void container_number(void *context, uint32_t field, uint64_t number)
{
	struct message_glance *glance = context;

	if (field == CONTAINER_STATE)
		glance->stopped = number == STATE_STOPPED;
}

static void container_part(void *context, uint32_t field, const unsigned char *bytes, size_t len)
{
	struct message_glance *glance = context;
	struct fields fields = {0};

	if (field == CONTAINER_ID) {
		glance->id = (const char *)bytes;
		glance->id_len = len;
	}
	if (field == CONTAINER_ENV)
		glance->may_have_device |= claims_is_variable((const char *)bytes, len);
	if (field == CONTAINER_LINUX)
		fields_read(&fields, bytes, len, &linux_handler, glance);
}

static const struct fields_handler container_handler = {container_number, no_begin, container_part,
							NULL};

void message_glance(const struct message *container, struct message_glance *ret_glance)
{
	struct fields fields = {0};

	*ret_glance = (struct message_glance){.id = ""};
	fields_read(&fields, container->bytes, container->len, &container_handler, ret_glance);
}

/* ---- reduced ---- */

/* A pod's author writes both, so that what is kept of them is bounded: beyond it is nothing that a
 * decision needs. */
#define OURS_MAX 1024
#define CLAIMS_SIZE_MAX 4096

static bool fits(size_t *used, size_t len, size_t max)
{
	if (len > max - *used)
		return false;
	*used += len;
	return true;
}

static size_t keep_ours(Nri__Entry **entries, size_t n)
{
	size_t kept = 0;
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		const Nri__Entry *entry = entries[i];

		if (text_starts_with(entry->key, SPEC_ANNOTATION_PREFIX) &&
		    fits(&used, strlen(entry->key) + strlen(entry->value), OURS_MAX))
			entries[kept++] = entries[i];
	}
	return kept;
}

int message_reduce_pod(struct arena *arena, const struct message *pod, const char **ret_id,
		       bool *ret_asks, struct message *ret_reduced)
{
	Nri__PodSandbox *sandbox =
		unpack_message(arena, &nri__pod_sandbox__descriptor, pod->bytes, pod->len);

	if (!sandbox)
		return -1;
	sandbox->base.n_unknown_fields = 0;
	sandbox->n_annotations = keep_ours(sandbox->annotations, sandbox->n_annotations);
	*ret_id = sandbox->id;
	*ret_asks = sandbox->n_annotations > 0;
	return message_pack(arena, &sandbox->base, ret_reduced);
}

static size_t keep_claims(char **env, size_t n)
{
	size_t kept = 0;
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(env[i]);

		if (claims_is_variable(env[i], len) && fits(&used, len, CLAIMS_SIZE_MAX))
			env[kept++] = env[i];
	}
	return kept;
}

int message_reduce_container(struct arena *arena, const struct message *container,
			     struct message *ret_reduced)
{
	Nri__Container *unpacked = unpack_message(arena, &nri__container__descriptor,
						  container->bytes, container->len);

	if (!unpacked)
		return -1;
	unpacked->base.n_unknown_fields = 0;
	unpacked->n_annotations = keep_ours(unpacked->annotations, unpacked->n_annotations);
	unpacked->n_env = keep_claims(unpacked->env, unpacked->n_env);
	unpacked->n_mounts = 0;
	if (unpacked->platform)
		unpacked->platform->base.n_unknown_fields = 0;
	return message_pack(arena, &unpacked->base, ret_reduced);
}

/* ---- looked at again ---- */

int message_read_state(struct arena *arena, const struct message *container,
		       struct message_state *ret_state)
{
	const Nri__Container *unpacked = unpack_message(arena, &nri__container__descriptor,
							container->bytes, container->len);

	if (!unpacked)
		return -1;
	*ret_state = (struct message_state){
		.pod = unpacked->pod_sandbox_id,
		.pid = unpacked->pid,
		.created = unpacked->created_at / NANOSECONDS,
	};
	return 0;
}

#define START_CONTAINER 6

static struct message part_of(const ProtobufCBinaryData *data)
{
	return (struct message){data->data, data->len};
}

int message_read_start(struct arena *arena, const struct message *message, bool is_event,
		       struct message *ret_pod, struct message *ret_container)
{
	const Nri__PackedStateChangeEvent *event = NULL;
	const Nri__PackedCreateContainerRequest *request = NULL;

	if (is_event)
		event = unpack_message(arena, &nri__packed_state_change_event__descriptor,
				       message->bytes, message->len);
	else
		request = unpack_message(arena, &nri__packed_create_container_request__descriptor,
					 message->bytes, message->len);
	if (!request && (!event || event->event != START_CONTAINER))
		return -1;
	*ret_pod = part_of(event ? &event->pod : &request->pod);
	*ret_container = part_of(event ? &event->container : &request->container);
	return 0;
}

int message_join(struct arena *arena, const struct message *pod, const struct message *container,
		 struct message *ret_request)
{
	Nri__PackedCreateContainerRequest request = NRI__PACKED_CREATE_CONTAINER_REQUEST__INIT;

	if (pod)
		request.pod = (ProtobufCBinaryData){pod->len, (uint8_t *)pod->bytes};
	request.container = (ProtobufCBinaryData){container->len, (uint8_t *)container->bytes};
	return message_pack(arena, &request.base, ret_request);
}
