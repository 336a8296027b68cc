/* SPDX-License-Identifier: Apache-2.0 */
#include "core/report/remember.h"

#include <syslog.h>

#include "core/note/refusal.h"
#include "core/report/log.h"

static struct note_pair *annotations_of(struct arena *arena, const struct spec *spec)
{
	struct note_pair *pairs = arena_alloc(arena, spec->n_annotations * sizeof(*pairs));

	for (size_t i = 0; pairs && i < spec->n_annotations; i++)
		pairs[i] =
			(struct note_pair){spec->annotations[i].name, spec->annotations[i].value};
	return pairs;
}

static struct note_pair *settings_of(struct arena *arena, const struct plan *plan)
{
	struct note_pair *pairs = arena_alloc(arena, plan->n_settings * sizeof(*pairs));

	for (size_t i = 0; pairs && i < plan->n_settings; i++)
		pairs[i] = (struct note_pair){plan->settings[i].name, plan->settings[i].value};
	return pairs;
}

int remember(const char *sysroot, struct container *container, enum note_result result,
	     const char *reason, const char *entry_point, struct err *err)
{
	const struct plan *plan = &container->plan;
	struct note note = {
		.id = container->id,
		.name = container->spec.identity.name,
		.pod = container->spec.identity.pod,
		.pod_namespace = container->spec.identity.pod_namespace,
		.result = result,
		.reason = reason ? reason : plan->reason,
		.entry_point = entry_point,
		.policy = container->has_config ? container->config.path : NULL,
		.memlock = plan->sets_memlock ? plan->memlock : 0,
		.n_annotations = container->spec.n_annotations,
		.n_settings = plan->n_settings,
	};

	if (!container->devices.n && !request_is_made(&container->spec) &&
	    container->spec.n_annotations == 0)
		return 0;
	note.annotations = annotations_of(&container->arena, &container->spec);
	note.settings = settings_of(&container->arena, plan);
	if (!note.annotations || !note.settings)
		return err_memory(err);
	return note_write(sysroot, &note, err);
}

/* The annotations that the author wrote say so. */
static bool is_chosen(const struct container *container)
{
	const struct request *request = &container->request;

	return request->inject == INJECT_REFUSED ||
	       (request->other_container && container->spec.identity.doubt == IDENTITY_BELIEVED);
}

void remember_refusal(const char *sysroot, const struct container *container,
		      enum note_result result, const char *reason, const char *entry_point)
{
	static struct err err; /* a caller's stack may be small */
	const struct identity *identity = &container->spec.identity;
	const struct refusal refusal = {
		.id = container->id,
		.container = identity->name,
		.pod = identity->pod,
		.pod_namespace = identity->pod_namespace,
		.pod_uid = identity->pod_uid,
		.result = result,
		.reason = reason,
		.entry_point = entry_point,
	};

	if (identity->sandbox || (result == NOTE_NOTHING && is_chosen(container)))
		return;
	if (refusal_leave(sysroot, &refusal, &err) < 0)
		log_event(LOG_WARNING, "cannot leave a record for oci-rdma-events: %s", err.text);
}
