/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux: the devices, the namespaces and their mappings, and where the cgroup is; resources: may it
 * use every device of the host, and its memory limit; seccomp: what the profile says of the system
 * calls that matter here, and where it stands
 */
#include <string.h>

#include "core/spec/reading.h"
#include "core/spec/spec.h"

/* ---- system calls that verbs and NCCL need ---- */

/*
 * mmap, ioctl: every verbs call (rdma-core, libibverbs/cmd_ioctl.c; the doorbell pages). mlock
 * family: UCX, gdrcopy and CUDA pin by it. madvise: ibv_fork_init, which NCCL calls
 * (src/misc/ibvwrap.cc). sched_*affinity: NCCL binds its threads to the GPU's CPUs
 * (src/os/linux.cc). The memory policy calls: CUDA needs them for host memory of a NUMA node; NCCL
 * tries, and goes without (src/misc/cudawrap.cc). The unit tests ask libseccomp whether each is the
 * name of a system call.
 */
static const char *const names[] = {
	"ioctl",         "mmap",          "munmap",     "mlock",   "mlock2",
	"munlock",       "mlockall",      "munlockall", "madvise", "sched_setaffinity",
	"get_mempolicy", "set_mempolicy", "mbind",
};

size_t seccomp_count(void)
{
	return sizeof(names) / sizeof(names[0]);
}

const char *seccomp_name(size_t place)
{
	return names[place];
}

uint32_t seccomp_bit(const char *name, size_t len)
{
	for (size_t i = 0; i < seccomp_count(); i++) {
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
			return UINT32_C(1) << i;
	}
	return 0;
}

/* True if an action ("SCMP_ACT_ERRNO", len bytes) does not let a call through. */
static bool seccomp_action_refuses(const char *action, size_t len)
{
	static const char *const through[] = {"SCMP_ACT_ALLOW", "SCMP_ACT_LOG", "SCMP_ACT_NOTIFY",
					      "SCMP_ACT_TRACE"};

	for (size_t i = 0; i < sizeof(through) / sizeof(through[0]); i++) {
		if (strlen(through[i]) == len && memcmp(through[i], action, len) == 0)
			return false;
	}
	return true;
}

uint32_t seccomp_refused_by_default(const struct seccomp_profile *profile)
{
	uint32_t all = (UINT32_C(1) << seccomp_count()) - 1;

	return profile->present && profile->default_refuses
		       ? all & ~profile->allowed & ~profile->refused
		       : 0;
}

uint32_t seccomp_refused(const struct seccomp_profile *profile)
{
	return seccomp_refused_by_default(profile) | (profile->refused & ~profile->allowed);
}

/* ---- linux ---- */

/* ---- seccomp ---- */

static int begin_seccomp(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->spec.seccomp.present = value->type == JSON_OBJECT;
	return 0;
}

static int take_default_action(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->spec.seccomp.default_refuses = seccomp_action_refuses(value->text, value->len);
	return 0;
}

static int begin_seccomp_rule(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)value;
	(void)err;
	r->seccomp_rule.calls = 0;
	r->seccomp_rule.refuses = true;
	return 0;
}

static int take_seccomp_name(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->seccomp_rule.calls |= seccomp_bit(value->text, value->len);
	return 0;
}

static int take_seccomp_action(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->seccomp_rule.refuses = seccomp_action_refuses(value->text, value->len);
	return 0;
}

static int leave_seccomp_rule(void *context, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	if (r->seccomp_rule.refuses)
		r->spec.seccomp.refused |= r->seccomp_rule.calls;
	else
		r->spec.seccomp.allowed |= r->seccomp_rule.calls;
	return 0;
}

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
	JSON_MEMBERS({"names", &seccomp_names}, {"action", &seccomp_action}),
};
static const struct json_shape syscalls = {
	.types = JSON_ARRAY | JSON_NULL, SPAN(spec.places.syscalls), .each = &seccomp_rule};
const struct json_shape spec_seccomp_shape = {
	.types = JSON_OBJECT | JSON_NULL,
	SPAN(spec.places.seccomp),
	.take = begin_seccomp,
	JSON_MEMBERS({"defaultAction", &default_action}, {"syscalls", &syscalls}),
};

/* ---- devices ---- */

static int begin_rule(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)value;
	(void)err;
	r->rule = (struct spec_rule){.any_type = true, .major = -1, .minor = -1};
	return 0;
}

static int take_rule_type(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->rule.any_type = spec_rule_any_type(value->text, value->len);
	return 0;
}

static int take_rule_access(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->rule.read_write = spec_rule_read_write(value->text, value->len);
	return 0;
}

static int leave_rule(void *context, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	spec_rule_apply(&r->rule, &r->spec.every_device);
	return 0;
}

STORE(rule_allow, JSON_BOOL, BOOL, rule.allow);
static const struct json_shape rule_type = {.types = JSON_STRING, .take = take_rule_type};
STORE(rule_major, JSON_NUMBER | JSON_NULL, INT64, rule.major);
STORE(rule_minor, JSON_NUMBER | JSON_NULL, INT64, rule.minor);
static const struct json_shape rule_access = {.types = JSON_STRING, .take = take_rule_access};
static const struct json_shape rule = {
	.types = JSON_OBJECT,
	.take = begin_rule,
	.leave = leave_rule,
	JSON_MEMBERS({"allow", &rule_allow}, {"type", &rule_type}, {"major", &rule_major},
		     {"minor", &rule_minor}, {"access", &rule_access}),
};
static const struct json_shape rules = {.types = JSON_ARRAY | JSON_NULL, .each = &rule};

/* ---- memory ---- */

static int take_memory_limit(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;
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
	struct spec_reading *r = context;
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
static int leave_resources(void *context, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->spec.memory_limit = r->has_memory_max ? r->memory_max : r->memory_limit;
	return 0;
}

static const struct json_shape memory_limit = {.types = JSON_NUMBER | JSON_NULL,
					       .take = take_memory_limit};
static const struct json_shape memory = {.types = JSON_OBJECT | JSON_NULL,
					 JSON_MEMBERS({"limit", &memory_limit})};
static const struct json_shape memory_max = {.types = JSON_STRING, .take = take_memory_max};
static const struct json_shape unified = {.types = JSON_OBJECT | JSON_NULL,
					  JSON_MEMBERS({"memory.max", &memory_max})};

const struct json_shape spec_resources_shape = {
	.types = JSON_OBJECT | JSON_NULL,
	.leave = leave_resources,
	JSON_MEMBERS({"devices", &rules}, {"memory", &memory}, {"unified", &unified}),
};

/* ---- devices ---- */

static int begin_device(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)value;
	(void)err;
	r->device = (struct spec_device){.path = "", .major = -1, .minor = -1};
	return 0;
}

static int take_device_type(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->device.character = json_equals(value, "c") || json_equals(value, "u");
	return 0;
}

static int leave_device(void *context, struct err *err)
{
	struct spec_reading *r = context;
	struct spec *spec = &r->spec;
	struct spec_device *larger = arena_grow(r->arena, spec->devices, spec->n_devices,
						&r->devices_room, sizeof(*larger));

	if (!larger)
		return err_memory(err);
	spec->devices = larger;
	spec->devices[spec->n_devices++] = r->device;
	return 0;
}

STORE(device_path, JSON_STRING, STRING, device.path);
static const struct json_shape device_type = {.types = JSON_STRING, .take = take_device_type};
STORE(device_major, JSON_NUMBER, INT64, device.major);
STORE(device_minor, JSON_NUMBER, INT64, device.minor);
static const struct json_shape device = {
	.types = JSON_OBJECT,
	.take = begin_device,
	.leave = leave_device,
	JSON_MEMBERS({"path", &device_path}, {"type", &device_type}, {"major", &device_major},
		     {"minor", &device_minor}),
};
static const struct json_shape devices = {.types = JSON_ARRAY | JSON_NULL, .each = &device};

/* ---- namespaces ---- */

static int begin_namespace(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)value;
	(void)err;
	r->namespace = (struct spec_namespace){0};
	return 0;
}

static int leave_namespace(void *context, struct err *err)
{
	struct spec_reading *r = context;
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

STORE(namespace_type, JSON_STRING, STRING, namespace.type);
STORE(namespace_path, JSON_STRING | JSON_NULL, STRING, namespace.path);
static const struct json_shape namespace_item = {
	.types = JSON_OBJECT,
	.take = begin_namespace,
	.leave = leave_namespace,
	JSON_MEMBERS({"type", &namespace_type}, {"path", &namespace_path}),
};
static const struct json_shape namespaces = {.types = JSON_ARRAY | JSON_NULL,
					     .each = &namespace_item};

/* ---- uidMappings, gidMappings ---- */

static int begin_mapping(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)value;
	(void)err;
	r->mapping = (struct spec_mapping){0};
	return 0;
}

static int append_mapping(struct spec_reading *r, struct spec_mapping **map, size_t *count,
			  size_t *room, struct err *err)
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
	struct spec_reading *r = context;

	return append_mapping(r, &r->spec.uid_map, &r->spec.n_uid_map, &r->uid_room, err);
}

static int leave_gid_mapping(void *context, struct err *err)
{
	struct spec_reading *r = context;

	return append_mapping(r, &r->spec.gid_map, &r->spec.n_gid_map, &r->gid_room, err);
}

STORE(map_container, JSON_NUMBER, UINT64, mapping.container);
STORE(map_host, JSON_NUMBER, UINT64, mapping.host);
STORE(map_size, JSON_NUMBER, UINT64, mapping.size);
#define MAPPING_MEMBERS                                                                            \
	JSON_MEMBERS({"containerID", &map_container}, {"hostID", &map_host}, {"size", &map_size})
static const struct json_shape uid_mapping = {
	.types = JSON_OBJECT, .take = begin_mapping, .leave = leave_uid_mapping, MAPPING_MEMBERS};
static const struct json_shape gid_mapping = {
	.types = JSON_OBJECT, .take = begin_mapping, .leave = leave_gid_mapping, MAPPING_MEMBERS};
static const struct json_shape uid_mappings = {.types = JSON_ARRAY | JSON_NULL,
					       .each = &uid_mapping};
static const struct json_shape gid_mappings = {.types = JSON_ARRAY | JSON_NULL,
					       .each = &gid_mapping};

STORE(cgroups_path, JSON_STRING, STRING, spec.cgroups_path);
const struct json_shape spec_linux_shape = {
	.types = JSON_OBJECT | JSON_NULL,
	JSON_MEMBERS({"devices", &devices}, {"resources", &spec_resources_shape},
		     {"namespaces", &namespaces}, {"uidMappings", &uid_mappings},
		     {"gidMappings", &gid_mappings}, {"cgroupsPath", &cgroups_path},
		     {"seccomp", &spec_seccomp_shape}),
};
