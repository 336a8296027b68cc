/* SPDX-License-Identifier: Apache-2.0 */
#include "core/spec/spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/json/document.h"
#include "core/spec/seccomp.h"

#define LIST (JSON_ARRAY | JSON_NULL)
#define OBJECT (JSON_OBJECT | JSON_NULL)

const char *const spec_capability_sets[SPEC_CAPABILITY_SETS] = {
	[SPEC_BOUNDING] = "bounding",   [SPEC_EFFECTIVE] = "effective",
	[SPEC_PERMITTED] = "permitted", [SPEC_INHERITABLE] = "inheritable",
	[SPEC_AMBIENT] = "ambient",
};

static void read_process(struct json_document *doc, const struct json_node *process,
			 struct spec *spec)
{
	const struct json_node *capabilities = json_get(doc, process, "capabilities", OBJECT);

	spec->env = json_strings(doc, json_get(doc, process, "env", LIST), &spec->n_env);
	json_each(limit, json_get(doc, process, "rlimits", LIST)) {
		const struct json_node *type = json_get(doc, limit, "type", JSON_STRING);
		const struct json_node *soft = json_get(doc, limit, "soft", JSON_NUMBER);
		const struct json_node *hard = json_get(doc, limit, "hard", JSON_NUMBER);

		if (!json_equals(type, "RLIMIT_MEMLOCK"))
			continue;
		spec->has_memlock = true;
		spec->memlock_soft = json_uint64(doc, soft, 0);
		spec->memlock_hard = json_uint64(doc, hard, 0);
	}
	for (size_t set = 0; set < SPEC_CAPABILITY_SETS; set++) {
		json_each(item, json_get(doc, capabilities, spec_capability_sets[set], LIST)) {
			int number = capability_number(json_string(doc, item));

			/* Ignore unknown ones: we never add what we cannot name. */
			if (number >= 0)
				spec->capabilities[set] |= UINT64_C(1) << number;
		}
	}
}

void spec_apply_rule(bool allow, const char *type, const char *access, int64_t major, int64_t minor,
		     bool *every_device)
{
	bool any_type = !type[0] || strcmp(type, "a") == 0 || strcmp(type, "c") == 0;

	if (any_type && major == -1 && minor == -1 && strchr(access, 'r') && strchr(access, 'w'))
		*every_device = allow;
}

static int64_t get_number(struct json_document *doc, const struct json_node *object,
			  const char *key, unsigned types)
{
	return json_int64(doc, json_get(doc, object, key, types), -1);
}

uint64_t spec_memory_max(const char *text)
{
	unsigned long long number;

	errno = 0;
	number = strtoull(text, NULL, 10);
	return errno || text[strspn(text, "0123456789")] ? 0 : number;
}

/* unified.memory.max overrides memory.limit (crun's src/libcrun/cgroup-resources.c, runc's
 * fs2/fs2.go); cgroup v1 rejects it. -1, for runc also 0: none */
static void read_resources(struct json_document *doc, const struct json_node *resources,
			   struct spec *spec)
{
	const struct json_node *memory = json_get(doc, resources, "memory", OBJECT);
	const struct json_node *unified = json_get(doc, resources, "unified", OBJECT);
	const char *max = json_get_string(doc, unified, "memory.max");
	int64_t limit = get_number(doc, memory, "limit", JSON_NUMBER | JSON_NULL);

	json_each(rule, json_get(doc, resources, "devices", LIST)) {
		const char *type = json_get_string(doc, rule, "type");
		const char *access = json_get_string(doc, rule, "access");

		spec_apply_rule(json_bool(doc, json_get(doc, rule, "allow", JSON_BOOL), false),
				type ? type : "", access ? access : "",
				get_number(doc, rule, "major", JSON_NUMBER | JSON_NULL),
				get_number(doc, rule, "minor", JSON_NUMBER | JSON_NULL),
				&spec->every_device);
	}
	spec->memory_limit = max ? spec_memory_max(max) : limit > 0 ? (uint64_t)limit : 0;
}

static void read_device_list(struct json_document *doc, const struct json_node *devices,
			     struct spec *spec)
{
	spec->devices = json_items(doc, devices, sizeof(*spec->devices));
	json_each(item, spec->devices ? devices : NULL) {
		const char *path = json_get_string(doc, item, "path");
		const struct json_node *type = json_get(doc, item, "type", JSON_STRING);

		spec->devices[spec->n_devices++] = (struct spec_device){
			.path = path ? path : "",
			.character = json_equals(type, "c") || json_equals(type, "u"),
			.major = get_number(doc, item, "major", JSON_NUMBER),
			.minor = get_number(doc, item, "minor", JSON_NUMBER),
		};
	}
}

static void read_linux(struct json_document *doc, const struct json_node *linux_part,
		       struct spec *spec)
{
	const struct json_node *seccomp = json_get(doc, linux_part, "seccomp", OBJECT);

	read_device_list(doc, json_get(doc, linux_part, "devices", LIST), spec);
	read_resources(doc, json_get(doc, linux_part, "resources", OBJECT), spec);
	json_each(item, json_get(doc, linux_part, "namespaces", LIST)) {
		const struct json_node *type = json_get(doc, item, "type", JSON_STRING);

		spec->user_namespace |= json_equals(type, "user");
		spec->network_namespace |= json_equals(type, "network");
	}
	spec->cgroups_path = json_get_string(doc, linux_part, "cgroupsPath");
	if (seccomp)
		spec->seccomp = seccomp_read(doc, seccomp);
}

int spec_add_annotation(struct arena *arena, struct spec *spec, struct spec_annotation annotation,
			struct err *err)
{
	if (!spec->annotations)
		spec->annotations =
			arena_alloc(arena, SPEC_ANNOTATIONS_MAX * sizeof(*spec->annotations));
	if (!spec->annotations)
		return err_memory(err);
	if (spec->n_annotations == SPEC_ANNOTATIONS_MAX)
		return err_set(err, "more than %d annotations %s*", SPEC_ANNOTATIONS_MAX,
			       SPEC_ANNOTATION_PREFIX);
	spec->annotations[spec->n_annotations++] = annotation;
	return 0;
}

static void add_own_annotation(struct json_document *doc, const struct json_node *member,
			       struct spec *spec)
{
	struct spec_annotation annotation = {json_key(doc, member), json_string(doc, member),
					     member->begin};
	struct err reason;

	if (doc->failed)
		return;
	annotation.name += strlen(SPEC_ANNOTATION_PREFIX);
	if (spec_annotation(spec, annotation.name))
		json_fail(doc, member, "occurs twice");
	else if (spec_add_annotation(doc->arena, spec, annotation, &reason) < 0)
		(void)(reason.errnum == ENOMEM ? json_no_memory(doc)
					       : json_fail(doc, member, "%s", reason.text));
}

static bool is_verbs_source(const struct json_node *source)
{
	return json_equals(source, "/dev/infiniband") ||
	       (source && source->type == JSON_STRING &&
		text_starts_with(source->text, SPEC_VERBS_DIR));
}

static void read_mount_list(struct json_document *doc, const struct json_node *mounts,
			    struct spec *spec)
{
	spec->mounts = json_items(doc, mounts, sizeof(*spec->mounts));
	spec->verbs_sources = json_items(doc, mounts, sizeof(*spec->verbs_sources));
	json_each(mount, spec->mounts && spec->verbs_sources ? mounts : NULL) {
		const struct json_node *destination =
			json_get(doc, mount, "destination", JSON_STRING);
		const struct json_node *source = json_get(doc, mount, "source", JSON_ANY);

		if (destination)
			spec->mounts[spec->n_mounts++] = json_string(doc, destination);
		if (is_verbs_source(source))
			spec->verbs_sources[spec->n_verbs_sources++] = json_string(doc, source);
	}
}

/* The runtime validates other projects' hooks. */
static const struct json_node *get_any(struct json_document *doc, const struct json_node *node,
				       const char *key)
{
	return node && node->type == JSON_OBJECT ? json_get(doc, node, key, JSON_ANY) : NULL;
}

static bool hook_asks(struct json_document *doc, const struct json_node *hook)
{
	const struct json_node *path = get_any(doc, hook, "path");

	if (!path || path->type != JSON_STRING || !text_ends_with(path->text, "/" HOOK_NAME))
		return false;
	json_each(arg, get_any(doc, hook, "args")) {
		if (json_equals(arg, SPEC_ASK))
			return true;
	}
	return false;
}

static void read_hooks(struct json_document *doc, const struct json_node *hooks, struct spec *spec)
{
	json_each(hook, get_any(doc, hooks, "createRuntime"))
		spec->asked |= hook_asks(doc, hook);
	json_each(hook, get_any(doc, hooks, "prestart"))
		spec->asked |= hook_asks(doc, hook);
}

/* Shown on terminals; kubelet and engines write no control characters. */
static void check_identity(struct json_document *doc, const struct json_node *annotations,
			   const struct identity *identity)
{
	const char *const parts[] = {identity->id, identity->sandbox_id, identity->name,
				     identity->pod, identity->pod_namespace};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i] && text_has_control(parts[i]))
			json_fail(doc, annotations, "a name contains a control character");
	}
}

int spec_parse(struct arena *arena, const char *what, const char *text, size_t len,
	       struct spec *ret_spec, struct err *err)
{
	struct spec spec = {.text = text};
	struct json_document doc;
	const struct json_node *annotations;

	if (json_parse(&doc, arena, what, text, len, 0, err) < 0)
		return -1;
	spec.process = json_get(&doc, doc.root, "process", OBJECT);
	read_process(&doc, spec.process, &spec);
	spec.root = json_get_string(&doc, json_get(&doc, doc.root, "root", OBJECT), "path");
	read_mount_list(&doc, json_get(&doc, doc.root, "mounts", LIST), &spec);
	read_linux(&doc, json_get(&doc, doc.root, "linux", OBJECT), &spec);
	annotations = json_get(&doc, doc.root, "annotations", OBJECT);
	json_each(member, annotations) {
		if (text_starts_with(member->key, SPEC_ANNOTATION_PREFIX))
			add_own_annotation(&doc, member, &spec);
	}
	spec.identity = identity_read(&doc, annotations, &spec);
	check_identity(&doc, annotations, &spec.identity);
	read_hooks(&doc, json_get(&doc, doc.root, "hooks", JSON_ANY), &spec);
	if (doc.failed)
		return -1;
	*ret_spec = spec;
	return 0;
}

int spec_parse_process(struct arena *arena, const char *what, const char *text, size_t len,
		       struct spec *ret_spec, struct err *err)
{
	struct spec spec = {.process_only = true};
	struct json_document doc;

	if (json_parse(&doc, arena, what, text, len, 0, err) < 0)
		return -1;
	spec.process = json_get(&doc, doc.root, "process", OBJECT);
	if (!spec.process)
		spec.process = doc.root;
	read_process(&doc, spec.process, &spec);
	if (doc.failed)
		return -1;
	*ret_spec = spec;
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

const char *spec_cgroup_name(const struct spec *spec)
{
	const char *name = spec->cgroups_path ? text_base_name(spec->cgroups_path) : "";
	const char *colon = strrchr(name, ':');

	name = colon ? colon + 1 : name;
	return name[0] ? name : NULL;
}

/* Verbs: major 231, dynamic from the 33rd device (drivers/infiniband/core/uverbs_main.c;
 * fs/char_dev.c, find_dynamic_major). vfio: dynamic (drivers/vfio/group.c, device_cdev.c). */
bool spec_device_may_count(const struct spec_device *device)
{
	int64_t major = device->major;

	return device->character &&
	       (major == 231 || (major >= 234 && major <= 254) || (major >= 384 && major <= 511));
}

static bool names_devices(const char *entry)
{
	return text_starts_with(entry, "PCIDEVICE_") ||
	       text_starts_with(entry, "SRIOVNETWORK_VF_DEVICE_");
}

size_t spec_addresses(struct arena *arena, const struct spec *spec,
		      const char *const **ret_addresses)
{
	const char **addresses = NULL;
	size_t room = 0;
	size_t n = 0;

	for (size_t i = 0; i < spec->n_env; i++) {
		const char *value = strchr(spec->env[i], '=');
		char *rest = value && names_devices(spec->env[i]) ? arena_strdup(arena, value + 1)
								  : NULL;
		char *address;

		while (n < SPEC_ADDRESSES_MAX && (address = strsep(&rest, ","))) {
			const char **added;

			if (!text_is_pci_address(address) && !text_is_device_name(address))
				continue;
			added = arena_push(arena, addresses, n, room);
			if (added)
				*added = address;
		}
	}
	*ret_addresses = addresses;
	return n;
}
