/* SPDX-License-Identifier: Apache-2.0 */
/* A config.json of its parts (reading.h), and of these root and mounts */
#include "core/spec/spec.h"

#include <string.h>

#include "core/base/text.h"
#include "core/spec/reading.h"

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
