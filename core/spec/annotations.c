/* SPDX-License-Identifier: Apache-2.0 */
/* annotations: those of ours, and the keys that tell whose container it is */
#include "core/spec/reading.h"

#include <string.h>

#include "core/base/text.h"

static int append_annotation(struct spec_reading *r, const struct json_value *value,
			     struct err *err)
{
	struct spec *spec = &r->spec;
	const char *name = value->key + strlen(SPEC_ANNOTATION_PREFIX);
	struct spec_annotation *larger;
	struct spec_annotation *added;

	if (spec_annotation(spec, name))
		return err_set(err, "occurs twice");
	if (spec->n_annotations == SPEC_ANNOTATIONS_MAX)
		return err_set(err, "more than %d annotations %s*", SPEC_ANNOTATIONS_MAX,
			       SPEC_ANNOTATION_PREFIX);
	larger = arena_grow(r->arena, spec->annotations, spec->n_annotations, &r->annotations_room,
			    sizeof(*larger));
	if (!larger)
		return err_memory(err);
	spec->annotations = larger;
	added = &larger[spec->n_annotations];
	added->name = arena_strdup(r->arena, name);
	if (!added->name)
		return err_memory(err);
	if (json_string(r->arena, value, &added->value, err) < 0)
		return -1;
	added->line = json_line(value);
	spec->n_annotations++;
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
STORE(crio_type, JSON_STRING, STRING, keys.crio.type);
STORE(crio_id, JSON_STRING, STRING, keys.crio.id);
STORE(crio_sandbox_id, JSON_STRING, STRING, keys.crio.sandbox_id);
STORE(label_name, JSON_STRING, STRING, keys.crio.name);
STORE(label_pod, JSON_STRING, STRING, keys.crio.pod);
STORE(label_namespace, JSON_STRING, STRING, keys.crio.pod_namespace);
STORE(containerd_type, JSON_STRING, STRING, keys.containerd.type);
STORE(containerd_sandbox_id, JSON_STRING, STRING, keys.containerd.sandbox_id);
STORE(containerd_name, JSON_STRING, STRING, keys.containerd.name);
STORE(containerd_pod, JSON_STRING, STRING, keys.containerd.pod);
STORE(containerd_namespace, JSON_STRING, STRING, keys.containerd.pod_namespace);
const struct json_shape spec_annotations_shape = {
	.types = JSON_OBJECT | JSON_NULL,
	.each = &annotation,
	JSON_MEMBERS({"io.kubernetes.cri-o.ContainerType", &crio_type},
		     {"io.kubernetes.cri-o.ContainerID", &crio_id},
		     {"io.kubernetes.cri-o.SandboxID", &crio_sandbox_id},
		     {"io.kubernetes.container.name", &label_name},
		     {"io.kubernetes.pod.name", &label_pod},
		     {"io.kubernetes.pod.namespace", &label_namespace},
		     {"io.kubernetes.cri.container-type", &containerd_type},
		     {"io.kubernetes.cri.sandbox-id", &containerd_sandbox_id},
		     {"io.kubernetes.cri.container-name", &containerd_name},
		     {"io.kubernetes.cri.sandbox-name", &containerd_pod},
		     {"io.kubernetes.cri.sandbox-namespace", &containerd_namespace}),
};
