/* SPDX-License-Identifier: Apache-2.0 */

#include "core/spec/seccomp.h"

#include "core/json/document.h"

/* ioctl, mmap: all verbs calls (rdma-core, libibverbs/cmd_ioctl.c; doorbells). mlock*: UCX,
 * gdrcopy, CUDA. madvise: ibv_fork_init, by NCCL (src/misc/ibvwrap.cc). sched_*: NCCL
 * (src/os/linux.cc). Memory policy: CUDA on NUMA; optional for NCCL (src/misc/cudawrap.cc). */
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
