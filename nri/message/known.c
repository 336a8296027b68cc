/* SPDX-License-Identifier: Apache-2.0 */
/* Pods and containers that are there already */
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

static void glance_at_device(struct message device, struct message_glance *glance)
{
	struct spec_device found = {0};
	struct field field;

	while (field_next(&device, &field) > 0) {
		if (field.number == DEVICE_TYPE && field.bytes.len == 1)
			found.character =
				field.bytes.bytes[0] == 'c' || field.bytes.bytes[0] == 'u';
		if (field.number == DEVICE_MAJOR)
			found.major = (int64_t)field.value;
	}
	glance->may_have_device |= spec_device_may_be_verbs(&found);
}

static void glance_at_linux(struct message platform, struct message_glance *glance)
{
	struct field field;

	while (field_next(&platform, &field) > 0) {
		if (field.number == LINUX_DEVICE && field.bytes.bytes)
			glance_at_device(field.bytes, glance);
	}
}

void message_glance(const struct message *container, struct message_glance *ret_glance)
{
	struct message left = *container;
	struct field field;

	*ret_glance = (struct message_glance){.id = ""};
	while (field_next(&left, &field) > 0) {
		const char *text = (const char *)field.bytes.bytes;

		if (field.number == CONTAINER_STATE)
			ret_glance->stopped = field.value == STATE_STOPPED;
		if (field.number == CONTAINER_ID && text) {
			ret_glance->id = text;
			ret_glance->id_len = field.bytes.len;
		}
		if (field.number == CONTAINER_ENV && text)
			ret_glance->may_have_device |= claims_is_variable(text, field.bytes.len);
		if (field.number == CONTAINER_LINUX && text)
			glance_at_linux(field.bytes, ret_glance);
	}
}

/* ---- one of many ---- */

#define OBJECT_ID 1 /* of a pod, and of a container */

static bool has_id(struct message object, const char *id)
{
	struct field field;
	bool found = false;

	while (!found && field_next(&object, &field) > 0) {
		if (field.number == OBJECT_ID)
			found = field.bytes.len == strlen(id) &&
				memcmp(field.bytes.bytes, id, field.bytes.len) == 0;
	}
	return found;
}

const struct message *message_find(const struct message *known, enum message_known kind,
				   const char *id, struct message *ret_found)
{
	struct message left = *known;
	struct field field;

	while (field_next(&left, &field) > 0) {
		*ret_found = field.bytes;
		if (field.number == kind && field.bytes.bytes && has_id(field.bytes, id))
			return ret_found;
	}
	return NULL;
}

/* ---- looked at ---- */

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

int message_parts(const struct message *message, bool is_event, struct message *ret_pod,
		  struct message *ret_container)
{
	const uint32_t pod = is_event ? 2 : 1;
	struct message left = *message;
	struct field field;
	uint64_t event = is_event ? 0 : START_CONTAINER;
	int status;

	*ret_pod = *ret_container = (struct message){0};
	while ((status = field_next(&left, &field)) > 0) {
		if (field.number == pod)
			*ret_pod = field.bytes;
		else if (field.number == pod + 1)
			*ret_container = field.bytes;
		else if (field.number == 1)
			event = field.value;
	}
	return status == 0 && event == START_CONTAINER && ret_container->bytes ? 0 : -1;
}
