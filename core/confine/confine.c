/* SPDX-License-Identifier: Apache-2.0 */
#include "core/confine/confine.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Sanitizers and gcov make other system calls (tests/safety.mk). */
#ifdef UNFILTERED
#define FILTERS 0
#else
#define FILTERS 1
#endif

/* libcap's sets need memory. */
static int drop_capabilities(uint64_t kept)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (capget(&header, data) < 0)
		return -1;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].effective &= (uint32_t)(kept >> (32 * i));
		data[i].permitted &= (uint32_t)(kept >> (32 * i));
		data[i].inheritable = 0;
	}
	return capset(&header, data);
}

int confine(const struct confinement *confinement, const char *directory, struct err *err)
{
	struct sock_fprog filter = {
		.len = confinement->n_instructions,
		.filter = (struct sock_filter *)confinement->instructions,
	};
	const char *failed = NULL;

	if (directory && chdir(directory) < 0)
		failed = "leave the caller's directory";
#ifdef SYS_close_range
	if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) < 0)
		failed = "close inherited descriptors";
#endif
	(void)umask(077);
	if (drop_capabilities(confinement->capabilities) < 0)
		failed = "give up capabilities";
	/* Without no_new_privs a filter needs CAP_SYS_ADMIN. */
	if (FILTERS && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0))
		failed = "restrict system calls (seccomp)";
	/* err_sys() would blame openat2(2) for ENOSYS. */
	return failed ? err_set(err, "cannot %s: %s", failed, strerror(errno)) : 0;
}
