/* SPDX-License-Identifier: Apache-2.0 */
#include "core/confine/confine.h"

#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The sanitizers and gcc's counters make system calls of their own (tests/safety.mk). */
#ifdef UNFILTERED
#define FILTERS 0
#else
#define FILTERS 1
#endif

static void drop_capabilities(uint64_t capabilities)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data) < 0)
		return;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		uint32_t kept = (uint32_t)(capabilities >> (32 * i));

		data[i].effective &= kept;
		data[i].permitted &= kept;
		data[i].inheritable = 0;
	}
	(void)syscall(SYS_capset, &header, data);
}

static void filter_calls(const struct confinement *confinement)
{
	struct sock_fprog program = {
		.len = confinement->n_instructions,
		.filter = (struct sock_filter *)confinement->instructions,
	};

	/* Without it only CAP_SYS_ADMIN of this user namespace may set a filter. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

void confine(const struct confinement *confinement, const char *directory)
{
	if (directory)
		(void)!chdir(directory);
#ifdef SYS_close_range
	(void)syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
#endif
	(void)umask(077);
	drop_capabilities(confinement->capabilities);
	if (FILTERS)
		filter_calls(confinement);
}
