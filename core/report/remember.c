/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <syslog.h>

#include "core/base/fs.h"
#include "core/record/store.h"
#include "core/report/report.h"

/* The author's annotations say that this container gets nothing. */
static bool is_chosen(const struct container *container)
{
	const struct request *request = &container->request;

	return request->inject == INJECT_REFUSED ||
	       (request->other_container && container->spec.identity.doubt == IDENTITY_BELIEVED);
}

/* The author sees a grant, and needs no event about the pod's own annotations. */
static bool should_tell(const struct container *container, enum record_result result)
{
	const struct identity *identity = &container->spec.identity;

	if (!identity->pod || !identity->pod_namespace || result == RECORD_GRANTED)
		return false;
	return result != RECORD_NOTHING || (log_wants_none(container) && !is_chosen(container));
}

/* Returns 0 or -1. */
static int fill_pairs(struct container *container, struct record *record)
{
	const struct spec *spec = &container->spec;
	const struct plan *plan = &container->plan;
	struct json_pair *pairs = arena_alloc(
		&container->arena, (spec->n_annotations + plan->n_settings) * sizeof(*pairs));

	if (!pairs)
		return -1;
	record->annotations = (struct json_pairs){pairs, spec->n_annotations};
	record->settings = (struct json_pairs){pairs + spec->n_annotations, plan->n_settings};
	for (size_t i = 0; i < spec->n_annotations; i++)
		pairs[i] =
			(struct json_pair){spec->annotations[i].name, spec->annotations[i].value};
	for (size_t i = 0; i < plan->n_settings; i++)
		record->settings.item[i] =
			(struct json_pair){plan->settings[i].name, plan->settings[i].value};
	return 0;
}

int remember(const struct options *options, struct container *container, enum record_result result,
	     const char *reason, const char *entry_point)
{
	static struct err err; /* a caller's stack may be small */
	const struct identity *identity = &container->spec.identity;
	const struct plan *plan = &container->plan;
	struct arena_text devices = {.arena = &container->arena};
	struct record record = {
		.id = container->id,
		.container = identity->name,
		.pod = identity->pod,
		.pod_namespace = identity->pod_namespace,
		.pod_uid = identity->pod_uid,
		.engine = options->engine,
		.cgroup = container->cgroup,
		.result = result,
		.entry_point = entry_point,
		.policy = container->config.path,
		.reason = reason ? reason : plan->reason,
		.memlock = plan->sets_memlock ? plan->memlock : 0,
		.tell = should_tell(container, result),
	};
	int status;

	devices_append_names(&container->devices, &devices);
	record.devices = devices.text;
	if (!record.id || identity->sandbox ||
	    (result == RECORD_NOTHING && !devices_any(&container->devices) &&
	     !request_is_made(&container->spec) && !container->spec.n_annotations))
		return 0;
	status = fill_pairs(container, &record) < 0 ? err_memory(&err)
						    : record_write(options->sysroot, &record, &err);
	/* A recorded tree without a /run is no node, no engine of pods makes an id that is no
	 * file's name, and the user of a rootless engine writes nothing there. */
	if (status == 0 || status == -ENOENT || status == -EINVAL || rootless())
		return 0;
	log_event(LOG_WARNING, "cannot leave a record of container %.80s: %s", record.id, err.text);
	return -1;
}
