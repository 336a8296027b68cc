/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux: the devices, the namespaces and their mappings, and where the cgroup is; resources: may it
 * use every device of the host, and its memory limit; seccomp: what the profile says of the system
 * calls that matter here, and where it stands
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/spec/parts.h"
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

/* ---- devices and their rules ---- */

bool spec_rule_any_type(const char *type, size_t len)
{
	return !len || (len == 1 && (type[0] == 'a' || type[0] == 'c'));
}

bool spec_rule_read_write(const char *access, size_t len)
{
	return len && memchr(access, 'r', len) && memchr(access, 'w', len);
}

void spec_rule_apply(const struct spec_rule *rule, bool *every_device)
{
	if (rule->any_type && rule->major == -1 && rule->minor == -1 && rule->read_write)
		*every_device = rule->allow;
}

bool spec_device_may_count(const struct spec_device *device)
{
	int64_t major = device->major;

	return device->character &&
	       (major == 231 || (major >= 234 && major <= 254) || (major >= 384 && major <= 511));
}

/* ---- linux ---- */

#define LIST (JSON_ARRAY | JSON_NULL)
#define OBJECT (JSON_OBJECT | JSON_NULL)

static void read_seccomp(struct json_document *doc, const struct json_node *linux_part,
			 struct spec *spec)
{
	struct seccomp_profile *profile = &spec->seccomp;
	const struct json_node *seccomp =
		json_locate(doc, linux_part, "seccomp", OBJECT, &spec->places.seccomp);
	const struct json_node *action = json_get(doc, seccomp, "defaultAction", JSON_STRING);

	profile->present = seccomp != NULL;
	profile->default_refuses = action && seccomp_action_refuses(action->text, action->len);
	json_each(rule, json_locate(doc, seccomp, "syscalls", LIST, &spec->places.syscalls)) {
		uint32_t calls = 0;

		json_each(name, json_get(doc, rule, "names", LIST)) {
			if (json_expect(doc, name, JSON_STRING))
				calls |= seccomp_bit(name->text, name->len);
		}
		action = json_get(doc, rule, "action", JSON_STRING);
		if (!action || seccomp_action_refuses(action->text, action->len))
			profile->refused |= calls;
		else
			profile->allowed |= calls;
	}
}

static int64_t get_number(struct json_document *doc, const struct json_node *object,
			  const char *key, unsigned types)
{
	return json_int64(doc, json_get(doc, object, key, types), -1);
}

static void read_device_rules(struct json_document *doc, const struct json_node *rules,
			      bool *every_device)
{
	json_each(item, rules) {
		const struct json_node *type = json_get(doc, item, "type", JSON_STRING);
		const struct json_node *access = json_get(doc, item, "access", JSON_STRING);
		struct spec_rule rule = {
			.allow = json_bool(doc, json_get(doc, item, "allow", JSON_BOOL), false),
			.any_type = !type || spec_rule_any_type(type->text, type->len),
			.read_write = access && spec_rule_read_write(access->text, access->len),
			.major = get_number(doc, item, "major", JSON_NUMBER | JSON_NULL),
			.minor = get_number(doc, item, "minor", JSON_NUMBER | JSON_NULL),
		};

		spec_rule_apply(&rule, every_device);
	}
}

/* Digits alone: what the kernel makes of all else is no limit, an error, or a limit of 0. */
static uint64_t cgroup_memory_max(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long long number;

	errno = 0;
	number = strtoull(text, NULL, 10);
	return errno || text[digits] || digits > 20 ? 0 : number;
}

/*
 * Both runtimes write unified.memory.max last, over what memory.limit said (crun's
 * src/libcrun/cgroup-resources.c, runc's fs2/fs2.go); with cgroup v1 they refuse unified. A limit
 * of 0 is none for runc, and -1 for both.
 */
static void read_resources(struct json_document *doc, const struct json_node *resources,
			   struct spec *spec)
{
	const struct json_node *memory = json_get(doc, resources, "memory", OBJECT);
	const struct json_node *unified = json_get(doc, resources, "unified", OBJECT);
	const char *max = json_string(doc, json_get(doc, unified, "memory.max", JSON_STRING));
	int64_t limit = get_number(doc, memory, "limit", JSON_NUMBER | JSON_NULL);

	read_device_rules(doc, json_get(doc, resources, "devices", LIST), &spec->every_device);
	spec->memory_limit = max ? cgroup_memory_max(max) : limit > 0 ? (uint64_t)limit : 0;
}

static void read_device_list(struct json_document *doc, const struct json_node *devices,
			     struct spec *spec)
{
	spec->devices = json_items(doc, devices, sizeof(*spec->devices));
	if (!spec->devices)
		return;
	json_each(item, devices) {
		const char *path = json_string(doc, json_get(doc, item, "path", JSON_STRING));
		const struct json_node *type = json_get(doc, item, "type", JSON_STRING);

		spec->devices[spec->n_devices++] = (struct spec_device){
			.path = path ? path : "",
			.character = json_equals(type, "c") || json_equals(type, "u"),
			.major = get_number(doc, item, "major", JSON_NUMBER),
			.minor = get_number(doc, item, "minor", JSON_NUMBER),
		};
	}
}

static void read_namespace_list(struct json_document *doc, const struct json_node *namespaces,
				struct spec *spec)
{
	json_each(item, namespaces) {
		const struct json_node *type = json_get(doc, item, "type", JSON_STRING);
		const char *path =
			json_string(doc, json_get(doc, item, "path", JSON_STRING | JSON_NULL));

		if (json_equals(type, "user"))
			spec->user_namespace = true;
		if (json_equals(type, "network")) {
			spec->network_namespace = true;
			spec->network_path = path;
		}
	}
}

/* uidMappings, gidMappings */
static struct spec_mapping *read_mappings(struct json_document *doc,
					  const struct json_node *mappings, size_t *ret_n)
{
	struct spec_mapping *map = json_items(doc, mappings, sizeof(*map));
	size_t n = 0;

	if (!map)
		return NULL;
	json_each(item, mappings) {
		map[n++] = (struct spec_mapping){
			json_uint64(doc, json_get(doc, item, "containerID", JSON_NUMBER), 0),
			json_uint64(doc, json_get(doc, item, "hostID", JSON_NUMBER), 0),
			json_uint64(doc, json_get(doc, item, "size", JSON_NUMBER), 0),
		};
	}
	*ret_n = n;
	return map;
}

void spec_read_linux(struct json_document *doc, const struct json_node *linux_part,
		     struct spec *spec)
{
	read_device_list(doc, json_get(doc, linux_part, "devices", LIST), spec);
	read_resources(doc, json_get(doc, linux_part, "resources", OBJECT), spec);
	read_namespace_list(doc, json_get(doc, linux_part, "namespaces", LIST), spec);
	spec->uid_map = read_mappings(doc, json_get(doc, linux_part, "uidMappings", LIST),
				      &spec->n_uid_map);
	spec->gid_map = read_mappings(doc, json_get(doc, linux_part, "gidMappings", LIST),
				      &spec->n_gid_map);
	spec->cgroups_path =
		json_string(doc, json_get(doc, linux_part, "cgroupsPath", JSON_STRING));
	read_seccomp(doc, linux_part, spec);
}
