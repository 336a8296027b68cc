/* SPDX-License-Identifier: Apache-2.0 */
#include "core/spec/seccomp.h"

#include <string.h>

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

bool seccomp_action_refuses(const char *action, size_t len)
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
