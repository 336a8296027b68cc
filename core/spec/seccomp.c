/* SPDX-License-Identifier: Apache-2.0 */

#include "core/spec/seccomp.h"

#include "core/json/document.h"

/*
 * mmap, ioctl: every verbs call (rdma-core, libibverbs/cmd_ioctl.c; the doorbell pages). mlock
 * family: UCX, gdrcopy and CUDA pin by it. madvise: ibv_fork_init, which NCCL calls
 * (src/misc/ibvwrap.cc). sched_*affinity: NCCL binds its threads to the GPU's CPUs
 * (src/os/linux.cc). The memory policy calls: CUDA needs them for host memory of a NUMA node; NCCL
 * tries, and goes without (src/misc/cudawrap.cc). The unit tests ask libseccomp whether each is the
 * name of a system call.
 */
const char *const seccomp_names[] = {
	"ioctl",         "mmap",          "munmap",     "mlock",   "mlock2",
	"munlock",       "mlockall",      "munlockall", "madvise", "sched_setaffinity",
	"get_mempolicy", "set_mempolicy", "mbind",      NULL,
};

#define SECCOMP_ALL ((UINT32_C(1) << (sizeof(seccomp_names) / sizeof(seccomp_names[0]) - 1)) - 1)

static uint32_t seccomp_bit(const struct json_node *name)
{
	for (size_t i = 0; seccomp_names[i]; i++) {
		if (json_equals(name, seccomp_names[i]))
			return UINT32_C(1) << i;
	}
	return 0;
}

/* True if an action, or none, does not let a call through */
static bool seccomp_action_refuses(const struct json_node *action)
{
	return !json_equals(action, "SCMP_ACT_ALLOW") && !json_equals(action, "SCMP_ACT_LOG") &&
	       !json_equals(action, "SCMP_ACT_NOTIFY") && !json_equals(action, "SCMP_ACT_TRACE");
}

struct seccomp_profile seccomp_read(struct json_document *doc, const struct json_node *seccomp)
{
	const struct json_node *action = json_get(doc, seccomp, "defaultAction", JSON_STRING);
	struct seccomp_profile profile = {.place = seccomp};
	uint32_t allowed = 0;
	uint32_t refused = 0;

	json_each(rule, json_get(doc, seccomp, "syscalls", JSON_ARRAY | JSON_NULL)) {
		const struct json_node *names =
			json_get(doc, rule, "names", JSON_ARRAY | JSON_NULL);
		bool refuses = seccomp_action_refuses(json_get(doc, rule, "action", JSON_STRING));
		uint32_t *calls = refuses ? &refused : &allowed;

		json_each(name, names) {
			if (json_expect(doc, name, JSON_STRING))
				*calls |= seccomp_bit(name);
		}
	}
	if (action && seccomp_action_refuses(action))
		profile.by_default = SECCOMP_ALL & ~allowed & ~refused;
	profile.refused = profile.by_default | (refused & ~allowed);
	return profile;
}
