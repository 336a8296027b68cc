/* SPDX-License-Identifier: Apache-2.0 */
/* A config.json of its parts (reading.h), and of these root, mounts, annotations and hooks; and
 * questions about a spec that has been read */
#include <string.h>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/spec/reading.h"
#include "core/spec/spec.h"

static int begin_hook(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)value;
	(void)err;
	r->hook.ours = false;
	r->hook.asks = false;
	return 0;
}

static int take_hook_path(void *context, const struct json_value *value, struct err *err)
{
	static const char name[] = "/" HOOK_NAME;
	struct spec_reading *r = context;
	size_t len = sizeof(name) - 1;

	(void)err;
	r->hook.ours = value->type == JSON_STRING && value->len >= len &&
		       memcmp(value->text + value->len - len, name, len) == 0;
	return 0;
}

static int take_hook_arg(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->hook.asks |= json_equals(value, SPEC_ASK);
	return 0;
}

static int leave_hook(void *context, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->spec.asked |= r->hook.ours && r->hook.asks;
	return 0;
}

/* Most are others': whatever they look like, it is the runtime's to say. */
static const struct json_shape hook_path = {.types = ~0U, .take = take_hook_path};
static const struct json_shape hook_arg = {.types = ~0U, .take = take_hook_arg};
static const struct json_shape hook_args = {.types = ~0U, .each = &hook_arg, .repeats = true};
static const struct json_shape hook = {
	.types = ~0U,
	.take = begin_hook,
	.leave = leave_hook,
	JSON_MEMBERS({"path", &hook_path}, {"args", &hook_args}),
};
static const struct json_shape stage = {.types = ~0U, .each = &hook, .repeats = true};
const struct json_shape spec_hooks_shape = {
	.types = ~0U,
	.repeats = true,
	JSON_MEMBERS({"createRuntime", &stage}, {"prestart", &stage}),
};

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

/* ---- root and mounts ---- */

static int take_mount(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	return json_append_string(r->arena, value, &r->spec.mounts, &r->spec.n_mounts,
				  &r->mounts_room, err);
}

static int take_source(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;
	size_t prefix = strlen(SPEC_VERBS_DIR);

	if (value->type != JSON_STRING || value->len <= prefix ||
	    memcmp(value->text, SPEC_VERBS_DIR, prefix) != 0)
		return 0;
	return json_append_string(r->arena, value, &r->spec.verbs_sources, &r->spec.n_verbs_sources,
				  &r->sources_room, err);
}

STORE(root_path, JSON_STRING, STRING, spec.root);
static const struct json_shape root_dir = {.types = JSON_OBJECT | JSON_NULL,
					   JSON_MEMBERS({"path", &root_path})};
static const struct json_shape destination = {.types = JSON_STRING, .take = take_mount};
static const struct json_shape mount_source = {.types = ~0U, .take = take_source};
static const struct json_shape mount = {
	.types = JSON_OBJECT,
	JSON_MEMBERS({"destination", &destination}, {"source", &mount_source})};
/* Runtimes take the first or the last "mounts": what either has is looked at. */
static const struct json_shape mounts = {
	.types = JSON_ARRAY | JSON_NULL, .each = &mount, .repeats = true};

/* ---- the whole ---- */

static const struct json_shape config_json = {
	.types = JSON_OBJECT,
	JSON_MEMBERS({"process", &spec_process_shape}, {"root", &root_dir}, {"mounts", &mounts},
		     {"annotations", &spec_annotations_shape}, {"linux", &spec_linux_shape},
		     {"hooks", &spec_hooks_shape}),
};

/* They go into the log and onto terminals; the kubelet and the engines write nothing else. */
static int check_identity(const struct identity *identity, const char *what, struct err *err)
{
	const char *const parts[] = {identity->id, identity->sandbox_id, identity->name,
				     identity->pod, identity->pod_namespace};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i] && text_has_control(parts[i]))
			return err_set(err, "%s: annotations: a name contains a control character",
				       what);
	}
	return 0;
}

static int parse(struct arena *arena, const struct json_source *source,
		 const struct json_shape *shape, struct spec *ret_spec, struct err *err)
{
	struct spec_reading reading = {.arena = arena};

	if (json_read(arena, source, shape, &reading, err) < 0)
		return -1;
	reading.keys.cgroup = reading.spec.cgroups_path;
	reading.keys.root = reading.spec.root;
	reading.spec.identity = identity_of(&reading.keys);
	if (check_identity(&reading.spec.identity, source->what, err) < 0)
		return -1;
	*ret_spec = reading.spec;
	return 0;
}

int spec_parse(struct arena *arena, const char *what, const char *text, size_t len,
	       struct spec *ret_spec, struct err *err)
{
	return parse(arena, &(struct json_source){what, text, len, 0}, &config_json, ret_spec, err);
}

int spec_parse_process(struct arena *arena, const char *what, const char *text, size_t len,
		       struct spec *ret_spec, struct err *err)
{
	if (parse(arena, &(struct json_source){what, text, len, 0}, &spec_process_shape, ret_spec,
		  err) < 0)
		return -1;
	ret_spec->process_only = true;
	return 0;
}

const char *spec_getenv(const struct spec *spec, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < spec->n_env; i++) {
		if (strncmp(spec->env[i], name, len) == 0 && spec->env[i][len] == '=')
			return spec->env[i] + len + 1;
	}
	return NULL;
}

const struct spec_annotation *spec_annotation(const struct spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->n_annotations; i++) {
		if (strcmp(spec->annotations[i].name, name) == 0)
			return &spec->annotations[i];
	}
	return NULL;
}

bool spec_host_id(const struct spec_mapping *map, size_t n, uint64_t id, uint64_t *ret_host)
{
	for (size_t i = 0; i < n; i++) {
		if (id < map[i].container || id - map[i].container >= map[i].size)
			continue;
		*ret_host = map[i].host + (id - map[i].container);
		return true;
	}
	return false;
}

const char *spec_cgroup_name(const struct spec *spec)
{
	const char *path = spec->cgroups_path;
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;
	const char *colon = name ? strrchr(name, ':') : NULL;

	name = colon ? colon + 1 : name;
	return name && name[0] ? name : NULL;
}
