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
	glance->has_verbs |= spec_device_may_be_verbs(&found);
	glance->may_have_device |= glance->has_verbs;
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
