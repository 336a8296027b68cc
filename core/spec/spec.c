/* SPDX-License-Identifier: Apache-2.0 */
#include "core/spec/spec.h"

#include <stddef.h>
#include <string.h>

#include "core/base/capability.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/json/reader.h"
#include "core/spec/rule.h"

/* One entry of linux.namespaces */
struct namespace
{
	const char *type;
	const char *path;
};

struct reading {
	struct arena *arena;
	struct spec spec;
	struct identity_keys keys;
	struct {
		bool ours;
		bool asks;
	} hook;
	/* the array item that is being read */
	struct spec_device device;
	struct spec_rule rule;
	struct spec_mapping mapping;
	struct namespace namespace;
	struct spec_rlimit rlimit;
	bool odd_rlimit;       /* one of its values is no number of bytes */
	uint64_t memory_limit; /* linux.resources.memory.limit; 0: none */
	bool has_memory_max;   /* …unified has memory.max */
	uint64_t memory_max;   /* 0: none */
	uint32_t seccomp_calls;
	bool seccomp_refuses;
	/* room in the growing arrays */
	size_t memlock_room;
	size_t env_room;
	size_t mounts_room;
	size_t sources_room;
	size_t devices_room;
	size_t annotations_room;
	size_t uid_room;
	size_t gid_room;
};

static bool equals(const struct json_value *value, const char *text)
{
	return value->type == JSON_STRING && value->len == strlen(text) &&
	       memcmp(value->text, text, value->len) == 0;
}

/* ---- annotations ---- */

static int append_annotation(struct reading *r, const struct json_value *value, struct err *err)
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
	struct reading *r = context;

	if (!text_starts_with(value->key, SPEC_ANNOTATION_PREFIX))
		return 0;
	return append_annotation(r, value, err);
}

/* ---- process ---- */

static int take_env(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	return json_append_string(r->arena, value, &r->spec.env, &r->spec.n_env, &r->env_room, err);
}

static int take_rlimit_type(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->rlimit.is_memlock = equals(value, "RLIMIT_MEMLOCK");
	return 0;
}

static int begin_rlimit(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)value;
	(void)err;
	r->rlimit = (struct spec_rlimit){0};
	r->odd_rlimit = false;
	return 0;
}

/* Of another resource it does not matter. */
static int take_limit(struct reading *r, const struct json_value *value, uint64_t *ret_limit)
{
	struct err ignored;

	if (json_uint64(value, ret_limit, &ignored) < 0)
		r->odd_rlimit = true;
	return 0;
}

static int take_soft(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	return take_limit(r, value, &r->rlimit.soft);
}

static int take_hard(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	return take_limit(r, value, &r->rlimit.hard);
}

static int leave_rlimit(void *context, struct err *err)
{
	struct reading *r = context;
	struct spec_places *places = &r->spec.places;
	struct spec_rlimit *larger;

	if (!r->rlimit.is_memlock)
		return 0;
	if (r->odd_rlimit)
		return err_set(err, "RLIMIT_MEMLOCK: soft and hard must be numbers, 0 or more");
	r->spec.has_memlock = true;
	r->spec.memlock_soft = r->rlimit.soft;
	r->spec.memlock_hard = r->rlimit.hard;
	larger = arena_grow(r->arena, places->memlock, places->n_memlock, &r->memlock_room,
			    sizeof(*larger));
	if (!larger)
		return err_memory(err);
	places->memlock = larger;
	places->memlock[places->n_memlock++] = r->rlimit;
	return 0;
}

static int take_capability(struct reading *r, const struct json_value *value,
			   enum spec_capability_set set, struct err *err)
{
	const char *name;
	int number;

	if (json_string(r->arena, value, &name, err) < 0)
		return -1;
	number = capability_number(name);
	/* One that is not known here is none that it could add: nothing to decide on. */
	if (number >= 0)
		r->spec.capabilities[set] |= UINT64_C(1) << number;
	return 0;
}

#define CAPABILITY_SET(name, set)                                                                  \
	static int take_##name(void *context, const struct json_value *value, struct err *err)     \
	{                                                                                          \
		return take_capability(context, value, set, err);                                  \
	}                                                                                          \
	static const struct json_shape name##_item = {.types = JSON_STRING, .take = take_##name};  \
	static const struct json_shape name = {                                                    \
		.types = JSON_ARRAY | JSON_NULL,                                                   \
		.store = JSON_STORE_SPAN,                                                          \
		.offset = offsetof(struct reading, spec.places.sets[set]),                         \
		.each = &name##_item,                                                              \
	}

CAPABILITY_SET(bounding, SPEC_BOUNDING);
CAPABILITY_SET(effective, SPEC_EFFECTIVE);
CAPABILITY_SET(permitted, SPEC_PERMITTED);
CAPABILITY_SET(inheritable, SPEC_INHERITABLE);
CAPABILITY_SET(ambient, SPEC_AMBIENT);

/* ---- root and mounts ---- */

static int take_mount(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	return json_append_string(r->arena, value, &r->spec.mounts, &r->spec.n_mounts,
				  &r->mounts_room, err);
}

static int take_source(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;
	size_t prefix = strlen(SPEC_VERBS_DIR);

	if (value->type != JSON_STRING || value->len <= prefix ||
	    memcmp(value->text, SPEC_VERBS_DIR, prefix) != 0)
		return 0;
	return json_append_string(r->arena, value, &r->spec.verbs_sources, &r->spec.n_verbs_sources,
				  &r->sources_room, err);
}

/* ---- linux ---- */

static int begin_device(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)value;
	(void)err;
	r->device = (struct spec_device){.path = "", .major = -1, .minor = -1};
	return 0;
}

static int take_device_type(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->device.character = equals(value, "c") || equals(value, "u");
	return 0;
}

static int leave_device(void *context, struct err *err)
{
	struct reading *r = context;
	struct spec *spec = &r->spec;
	struct spec_device *larger = arena_grow(r->arena, spec->devices, spec->n_devices,
						&r->devices_room, sizeof(*larger));

	if (!larger)
		return err_memory(err);
	spec->devices = larger;
	spec->devices[spec->n_devices++] = r->device;
	return 0;
}

static int begin_rule(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)value;
	(void)err;
	r->rule = (struct spec_rule){.any_type = true, .major = -1, .minor = -1};
	return 0;
}

static int take_rule_type(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->rule.any_type = spec_rule_any_type(value->text, value->len);
	return 0;
}

static int take_rule_access(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->rule.read_write = spec_rule_read_write(value->text, value->len);
	return 0;
}

static int leave_rule(void *context, struct err *err)
{
	struct reading *r = context;

	(void)err;
	spec_rule_apply(&r->rule, &r->spec.every_device);
	return 0;
}

static int take_memory_limit(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;
	int64_t limit;

	if (value->type == JSON_NULL)
		return 0;
	if (json_int64(value, &limit, err) < 0)
		return -1;
	r->memory_limit = limit > 0 ? (uint64_t)limit : 0;
	return 0;
}

/* Digits alone: what the kernel makes of all else is no limit, an error, or a limit of 0. */
static int take_memory_max(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;
	struct err ignored;

	(void)err;
	r->has_memory_max = true;
	if (!value->len || value->text[0] < '0' || value->text[0] > '9' ||
	    json_uint64(value, &r->memory_max, &ignored) < 0)
		r->memory_max = 0;
	return 0;
}

/*
 * Both runtimes write unified.memory.max last, over what memory.limit said (crun's
 * src/libcrun/cgroup-resources.c, runc's fs2/fs2.go); with cgroup v1 they refuse unified. A limit
 * of 0 is none for runc, and -1 for both.
 */
static uint64_t memory_limit_of(const struct reading *r)
{
	return r->has_memory_max ? r->memory_max : r->memory_limit;
}

static int begin_namespace(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)value;
	(void)err;
	r->namespace = (struct namespace){0};
	return 0;
}

static int leave_namespace(void *context, struct err *err)
{
	struct reading *r = context;
	const char *type = r->namespace.type ? r->namespace.type : "";

	(void)err;
	if (strcmp(type, "user") == 0)
		r->spec.user_namespace = true;
	if (strcmp(type, "network") == 0) {
		r->spec.network_namespace = true;
		r->spec.network_path = r->namespace.path;
	}
	return 0;
}

static int begin_mapping(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)value;
	(void)err;
	r->mapping = (struct spec_mapping){0};
	return 0;
}

static int append_mapping(struct reading *r, struct spec_mapping **map, size_t *count, size_t *room,
			  struct err *err)
{
	struct spec_mapping *larger = arena_grow(r->arena, *map, *count, room, sizeof(*larger));

	if (!larger)
		return err_memory(err);
	larger[(*count)++] = r->mapping;
	*map = larger;
	return 0;
}

static int leave_uid_mapping(void *context, struct err *err)
{
	struct reading *r = context;

	return append_mapping(r, &r->spec.uid_map, &r->spec.n_uid_map, &r->uid_room, err);
}

static int leave_gid_mapping(void *context, struct err *err)
{
	struct reading *r = context;

	return append_mapping(r, &r->spec.gid_map, &r->spec.n_gid_map, &r->gid_room, err);
}

/* ---- linux.seccomp ---- */

static int begin_seccomp(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->spec.seccomp.present = value->type == JSON_OBJECT;
	return 0;
}

static int take_default_action(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->spec.seccomp.default_refuses = seccomp_action_refuses(value->text, value->len);
	return 0;
}

static int begin_seccomp_rule(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)value;
	(void)err;
	r->seccomp_calls = 0;
	r->seccomp_refuses = true;
	return 0;
}

static int take_seccomp_name(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->seccomp_calls |= seccomp_bit(value->text, value->len);
	return 0;
}

static int take_seccomp_action(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->seccomp_refuses = seccomp_action_refuses(value->text, value->len);
	return 0;
}

static int leave_seccomp_rule(void *context, struct err *err)
{
	struct reading *r = context;

	(void)err;
	if (r->seccomp_refuses)
		r->spec.seccomp.refused |= r->seccomp_calls;
	else
		r->spec.seccomp.allowed |= r->seccomp_calls;
	return 0;
}

/* ---- what is wanted, and where it stands ---- */

/* ---- hooks ---- */

static int begin_hook(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)value;
	(void)err;
	r->hook.ours = false;
	r->hook.asks = false;
	return 0;
}

static int take_hook_path(void *context, const struct json_value *value, struct err *err)
{
	static const char name[] = "/" HOOK_NAME;
	struct reading *r = context;
	size_t len = sizeof(name) - 1;

	(void)err;
	r->hook.ours = value->type == JSON_STRING && value->len >= len &&
		       memcmp(value->text + value->len - len, name, len) == 0;
	return 0;
}

static int take_hook_arg(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->hook.asks |= value->type == JSON_STRING && equals(value, SPEC_ASK);
	return 0;
}

static int leave_hook(void *context, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->spec.asked |= r->hook.ours && r->hook.asks;
	return 0;
}

#define MEMBERS(...)                                                                               \
	.members = (const struct json_member[])                                                    \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

/* A scalar that goes into a field of struct reading as it is */
#define STORE(name, wanted, kind, field)                                                           \
	static const struct json_shape name = {.types = (wanted),                                  \
					       .store = JSON_STORE_##kind,                         \
					       .offset = offsetof(struct reading, field)}

/* The place of an array or object */
#define SPAN(field) .store = JSON_STORE_SPAN, .offset = offsetof(struct reading, field)

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
static const struct json_shape annotations = {
	.types = JSON_OBJECT | JSON_NULL,
	.each = &annotation,
	MEMBERS({"io.kubernetes.cri-o.ContainerType", &crio_type},
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

static const struct json_shape env_item = {.types = JSON_STRING, .take = take_env};
static const struct json_shape env = {
	.types = JSON_ARRAY | JSON_NULL, SPAN(spec.places.env), .each = &env_item};
static const struct json_shape rlimit_type = {.types = JSON_STRING, .take = take_rlimit_type};
static const struct json_shape soft = {.types = JSON_NUMBER, .take = take_soft};
static const struct json_shape hard = {.types = JSON_NUMBER, .take = take_hard};
static const struct json_shape rlimit = {
	.types = JSON_OBJECT,
	SPAN(rlimit.span),
	.take = begin_rlimit,
	.leave = leave_rlimit,
	MEMBERS({"type", &rlimit_type}, {"soft", &soft}, {"hard", &hard}),
};
static const struct json_shape rlimits = {
	.types = JSON_ARRAY | JSON_NULL, SPAN(spec.places.rlimits), .each = &rlimit};
static const struct json_shape capabilities = {
	.types = JSON_OBJECT | JSON_NULL,
	SPAN(spec.places.capabilities),
	MEMBERS({"bounding", &bounding}, {"effective", &effective}, {"permitted", &permitted},
		{"inheritable", &inheritable}, {"ambient", &ambient}),
};
static const struct json_shape process = {
	.types = JSON_OBJECT | JSON_NULL,
	SPAN(spec.places.process),
	MEMBERS({"env", &env}, {"rlimits", &rlimits}, {"capabilities", &capabilities}),
};

STORE(root_path, JSON_STRING, STRING, spec.root);
static const struct json_shape root_dir = {.types = JSON_OBJECT | JSON_NULL,
					   MEMBERS({"path", &root_path})};
static const struct json_shape destination = {.types = JSON_STRING, .take = take_mount};
static const struct json_shape mount_source = {.types = ~0U, .take = take_source};
static const struct json_shape mount = {
	.types = JSON_OBJECT, MEMBERS({"destination", &destination}, {"source", &mount_source})};
/* Runtimes take the first or the last "mounts": what either has is looked at. */
static const struct json_shape mounts = {
	.types = JSON_ARRAY | JSON_NULL, .each = &mount, .repeats = true};

STORE(device_path, JSON_STRING, STRING, device.path);
static const struct json_shape device_type = {.types = JSON_STRING, .take = take_device_type};
STORE(device_major, JSON_NUMBER, INT64, device.major);
STORE(device_minor, JSON_NUMBER, INT64, device.minor);
static const struct json_shape device = {
	.types = JSON_OBJECT,
	.take = begin_device,
	.leave = leave_device,
	MEMBERS({"path", &device_path}, {"type", &device_type}, {"major", &device_major},
		{"minor", &device_minor}),
};
static const struct json_shape devices = {.types = JSON_ARRAY | JSON_NULL, .each = &device};

STORE(rule_allow, JSON_BOOL, BOOL, rule.allow);
static const struct json_shape rule_type = {.types = JSON_STRING, .take = take_rule_type};
STORE(rule_major, JSON_NUMBER | JSON_NULL, INT64, rule.major);
STORE(rule_minor, JSON_NUMBER | JSON_NULL, INT64, rule.minor);
static const struct json_shape rule_access = {.types = JSON_STRING, .take = take_rule_access};
static const struct json_shape rule = {
	.types = JSON_OBJECT,
	.take = begin_rule,
	.leave = leave_rule,
	MEMBERS({"allow", &rule_allow}, {"type", &rule_type}, {"major", &rule_major},
		{"minor", &rule_minor}, {"access", &rule_access}),
};
static const struct json_shape rules = {.types = JSON_ARRAY | JSON_NULL, .each = &rule};
static const struct json_shape memory_limit = {.types = JSON_NUMBER | JSON_NULL,
					       .take = take_memory_limit};
static const struct json_shape memory = {.types = JSON_OBJECT | JSON_NULL,
					 MEMBERS({"limit", &memory_limit})};
static const struct json_shape memory_max = {.types = JSON_STRING, .take = take_memory_max};
static const struct json_shape unified = {.types = JSON_OBJECT | JSON_NULL,
					  MEMBERS({"memory.max", &memory_max})};
static const struct json_shape resources = {
	.types = JSON_OBJECT | JSON_NULL,
	MEMBERS({"devices", &rules}, {"memory", &memory}, {"unified", &unified}),
};

STORE(namespace_type, JSON_STRING, STRING, namespace.type);
STORE(namespace_path, JSON_STRING | JSON_NULL, STRING, namespace.path);
static const struct json_shape namespace_item = {
	.types = JSON_OBJECT,
	.take = begin_namespace,
	.leave = leave_namespace,
	MEMBERS({"type", &namespace_type}, {"path", &namespace_path}),
};
static const struct json_shape namespaces = {.types = JSON_ARRAY | JSON_NULL,
					     .each = &namespace_item};
STORE(map_container, JSON_NUMBER, UINT64, mapping.container);
STORE(map_host, JSON_NUMBER, UINT64, mapping.host);
STORE(map_size, JSON_NUMBER, UINT64, mapping.size);
#define MAPPING_MEMBERS                                                                            \
	MEMBERS({"containerID", &map_container}, {"hostID", &map_host}, {"size", &map_size})
static const struct json_shape uid_mapping = {
	.types = JSON_OBJECT, .take = begin_mapping, .leave = leave_uid_mapping, MAPPING_MEMBERS};
static const struct json_shape gid_mapping = {
	.types = JSON_OBJECT, .take = begin_mapping, .leave = leave_gid_mapping, MAPPING_MEMBERS};
static const struct json_shape uid_mappings = {.types = JSON_ARRAY | JSON_NULL,
					       .each = &uid_mapping};
static const struct json_shape gid_mappings = {.types = JSON_ARRAY | JSON_NULL,
					       .each = &gid_mapping};
STORE(cgroups_path, JSON_STRING, STRING, spec.cgroups_path);
static const struct json_shape default_action = {.types = JSON_STRING, .take = take_default_action};
static const struct json_shape seccomp_name_item = {.types = JSON_STRING,
						    .take = take_seccomp_name};
static const struct json_shape seccomp_names = {.types = JSON_ARRAY | JSON_NULL,
						.each = &seccomp_name_item};
static const struct json_shape seccomp_action = {.types = JSON_STRING, .take = take_seccomp_action};
static const struct json_shape seccomp_rule = {
	.types = JSON_OBJECT,
	.take = begin_seccomp_rule,
	.leave = leave_seccomp_rule,
	MEMBERS({"names", &seccomp_names}, {"action", &seccomp_action}),
};
static const struct json_shape syscalls = {
	.types = JSON_ARRAY | JSON_NULL, SPAN(spec.places.syscalls), .each = &seccomp_rule};
static const struct json_shape seccomp = {
	.types = JSON_OBJECT | JSON_NULL,
	SPAN(spec.places.seccomp),
	.take = begin_seccomp,
	MEMBERS({"defaultAction", &default_action}, {"syscalls", &syscalls}),
};
static const struct json_shape linux_part = {
	.types = JSON_OBJECT | JSON_NULL,
	MEMBERS({"devices", &devices}, {"resources", &resources}, {"namespaces", &namespaces},
		{"uidMappings", &uid_mappings}, {"gidMappings", &gid_mappings},
		{"cgroupsPath", &cgroups_path}, {"seccomp", &seccomp}),
};

/* Most are others': whatever they look like, it is the runtime's to say. */
static const struct json_shape hook_path = {.types = ~0U, .take = take_hook_path};
static const struct json_shape hook_arg = {.types = ~0U, .take = take_hook_arg};
static const struct json_shape hook_args = {.types = ~0U, .each = &hook_arg, .repeats = true};
static const struct json_shape hook = {
	.types = ~0U,
	.take = begin_hook,
	.leave = leave_hook,
	MEMBERS({"path", &hook_path}, {"args", &hook_args}),
};
static const struct json_shape stage = {.types = ~0U, .each = &hook, .repeats = true};
static const struct json_shape hooks = {
	.types = ~0U,
	.repeats = true,
	MEMBERS({"createRuntime", &stage}, {"prestart", &stage}),
};

static const struct json_shape config_json = {
	.types = JSON_OBJECT,
	MEMBERS({"process", &process}, {"root", &root_dir}, {"mounts", &mounts},
		{"annotations", &annotations}, {"linux", &linux_part}, {"hooks", &hooks}),
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
	struct reading reading = {.arena = arena};

	if (json_read(arena, source, shape, &reading, err) < 0)
		return -1;
	reading.spec.identity = identity_of(&reading.keys);
	reading.spec.memory_limit = memory_limit_of(&reading);
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
	if (parse(arena, &(struct json_source){what, text, len, 0}, &process, ret_spec, err) < 0)
		return -1;
	ret_spec->process_only = true;
	return 0;
}
