/* SPDX-License-Identifier: Apache-2.0 */
#include "core/confine/confine.h"

#include <linux/seccomp.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* libcap's sets have no more (capget(2), version 3) */
#define SET_SIZE 64

/* The sanitizers and gcc's counters make system calls of their own (tests/safety.mk). */
#ifdef UNFILTERED
#define FILTERS 0
#else
#define FILTERS 1
#endif

static void keep(cap_t set, uint64_t capabilities)
{
	cap_value_t others[SET_SIZE];
	int n = 0;

	for (cap_value_t number = 0; number < cap_max_bits(); number++)
		if (!(capabilities >> number & 1))
			others[n++] = number;
	(void)cap_clear_flag(set, CAP_INHERITABLE);
	(void)cap_set_flag(set, CAP_EFFECTIVE, n, others, CAP_CLEAR);
	(void)cap_set_flag(set, CAP_PERMITTED, n, others, CAP_CLEAR);
}

static void drop_capabilities(uint64_t capabilities)
{
	cap_t set = cap_get_proc();

	if (!set)
		return;
	keep(set, capabilities);
	(void)cap_set_proc(set);
	(void)cap_free(set);
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
