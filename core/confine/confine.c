/* SPDX-License-Identifier: Apache-2.0 */
#include "core/confine/confine.h"

#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Made by filter/generate.c when this is built: at run time it costs one system call. */
static const struct sock_filter instructions[] = {
#include "filter.inc"
};

/* The sanitizers and gcc's counters make system calls of their own (tests/safety.mk). */
#ifdef UNFILTERED
#define FILTERS 0
#else
#define FILTERS 1
#endif

#define CAPABILITY(number) (UINT64_C(1) << (number))

/*
 * CHOWN, DAC_OVERRIDE, FOWNER: nccl.conf in a root file system that belongs to others.
 * SYS_RESOURCE: to raise another process' hard limit (kernel/sys.c, do_prlimit).
 * SYS_PTRACE: /proc/<pid>/ns/net and uid_map of a process that is not dumpable (ptrace_may_access).
 * SYS_ADMIN: to enter the pod's network namespace with a sysfs of its own (setns, unshare, mount).
 */
#define KEPT                                                                                       \
	(CAPABILITY(CAP_CHOWN) | CAPABILITY(CAP_DAC_OVERRIDE) | CAPABILITY(CAP_FOWNER) |           \
	 CAPABILITY(CAP_SYS_RESOURCE) | CAPABILITY(CAP_SYS_PTRACE) | CAPABILITY(CAP_SYS_ADMIN))

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data) < 0)
		return;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		uint32_t kept = (uint32_t)(KEPT >> (32 * i));

		data[i].effective &= kept;
		data[i].permitted &= kept;
		data[i].inheritable = 0;
	}
	(void)syscall(SYS_capset, &header, data);
}

static void filter_calls(void)
{
	struct sock_fprog program = {
		.len = sizeof(instructions) / sizeof(instructions[0]),
		.filter = (struct sock_filter *)instructions,
	};

	/* Without it only CAP_SYS_ADMIN of this user namespace may set a filter. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

void confine(const char *directory)
{
	if (directory)
		(void)!chdir(directory);
#ifdef SYS_close_range
	(void)syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
#endif
	(void)umask(077);
	drop_capabilities();
	if (FILTERS)
		filter_calls();
}
