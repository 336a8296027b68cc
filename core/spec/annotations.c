/* SPDX-License-Identifier: Apache-2.0 */
/* annotations: those of ours, and the keys that tell whose container it is */
#include "core/spec/reading.h"

#include <string.h>

#include "core/base/text.h"

struct spec_annotation *spec_add_annotation(struct arena *arena, struct spec *spec, size_t *room,
					    struct err *err)
{
	struct spec_annotation *larger;

	if (spec->n_annotations == SPEC_ANNOTATIONS_MAX) {
		(void)err_set(err, "more than %d annotations %s*", SPEC_ANNOTATIONS_MAX,
			      SPEC_ANNOTATION_PREFIX);
		return NULL;
	}
	larger = arena_grow(arena, spec->annotations, spec->n_annotations, room, sizeof(*larger));
	if (!larger) {
		(void)err_memory(err);
		return NULL;
	}
	spec->annotations = larger;
	return &larger[spec->n_annotations++];
}

static int append_annotation(struct spec_reading *r, const struct json_value *value,
			     struct err *err)
{
	struct spec_annotation read = {.line = json_line(value)};
	struct spec_annotation *added;

	read.name = arena_strdup(r->arena, value->key + strlen(SPEC_ANNOTATION_PREFIX));
	if (!read.name)
		return err_memory(err);
	if (spec_annotation(&r->spec, read.name))
		return err_set(err, "occurs twice");
	if (json_string(r->arena, value, &read.value, err) < 0)
		return -1;
	added = spec_add_annotation(r->arena, &r->spec, &r->annotations_room, err);
	if (!added)
		return -1;
	*added = read;
	return 0;
}

static int take_annotation(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	if (!text_starts_with(value->key, SPEC_ANNOTATION_PREFIX))
		return 0;
	return append_annotation(r, value, err);
}

static const struct json_shape annotation = {.types = ~0U, .take = take_annotation};
STORE(manager, JSON_STRING, STRING, keys.manager);
STORE(crio_type, JSON_STRING, STRING, keys.crio.type);
STORE(crio_id, JSON_STRING, STRING, keys.crio.id);
STORE(crio_sandbox_id, JSON_STRING, STRING, keys.crio.sandbox_id);
STORE(label_name, JSON_STRING, STRING, keys.crio.name);
STORE(label_pod, JSON_STRING, STRING, keys.crio.pod);
STORE(label_namespace, JSON_STRING, STRING, keys.crio.pod_namespace);
STORE(label_uid, JSON_STRING, STRING, keys.crio.pod_uid);
STORE(containerd_type, JSON_STRING, STRING, keys.containerd.type);
STORE(containerd_sandbox_id, JSON_STRING, STRING, keys.containerd.sandbox_id);
STORE(containerd_name, JSON_STRING, STRING, keys.containerd.name);
STORE(containerd_pod, JSON_STRING, STRING, keys.containerd.pod);
STORE(containerd_namespace, JSON_STRING, STRING, keys.containerd.pod_namespace);
STORE(containerd_uid, JSON_STRING, STRING, keys.containerd.pod_uid);
const struct json_shape spec_annotations_shape = {
	.types = JSON_OBJECT | JSON_NULL,
	.each = &annotation,
	JSON_MEMBERS({"io.container.manager", &manager},
		     {"io.kubernetes.cri-o.ContainerType", &crio_type},
		     {"io.kubernetes.cri-o.ContainerID", &crio_id},
		     {"io.kubernetes.cri-o.SandboxID", &crio_sandbox_id},
		     {"io.kubernetes.container.name", &label_name},
		     {"io.kubernetes.pod.name", &label_pod},
		     {"io.kubernetes.pod.namespace", &label_namespace},
		     {"io.kubernetes.pod.uid", &label_uid},
		     {"io.kubernetes.cri.container-type", &containerd_type},
		     {"io.kubernetes.cri.sandbox-id", &containerd_sandbox_id},
		     {"io.kubernetes.cri.container-name", &containerd_name},
		     {"io.kubernetes.cri.sandbox-name", &containerd_pod},
		     {"io.kubernetes.cri.sandbox-namespace", &containerd_namespace},
		     {"io.kubernetes.cri.sandbox-uid", &containerd_uid}),
};
