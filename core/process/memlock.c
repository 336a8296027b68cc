/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/memlock.h"

#include <errno.h>
#include <sys/capability.h>
#include <sys/resource.h>

#include "core/base/rootless.h"
#include "core/process/process.h"

bool memlock_raise(struct rlimit64 *limit, uint64_t bytes)
{
	struct rlimit64 old = *limit;

	limit->rlim_cur = old.rlim_cur > bytes ? old.rlim_cur : bytes;
	limit->rlim_max = old.rlim_max > bytes ? old.rlim_max : bytes;
	return limit->rlim_cur != old.rlim_cur || limit->rlim_max != old.rlim_max;
}

int inherited_memlock(struct rlimit64 *ret_limit, struct err *err)
{
	if (getrlimit64(RLIMIT_MEMLOCK, ret_limit) < 0)
		return err_sys(err, errno, "RLIMIT_MEMLOCK");
	return 0;
}

int memlock_raise_own(uint64_t bytes, struct err *err)
{
	struct rlimit64 limit;

	if (inherited_memlock(&limit, err) < 0)
		return -1;
	if (memlock_raise(&limit, bytes) && setrlimit64(RLIMIT_MEMLOCK, &limit) < 0)
		return err_sys(err, errno, "cannot raise RLIMIT_MEMLOCK (needs CAP_SYS_RESOURCE)");
	return 0;
}

uint64_t own_memlock_max(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	struct rlimit64 limit;
	/* do_prlimit() needs CAP_SYS_RESOURCE in the first user namespace; no id map proves it
	 * (systemd's PrivateUsers=full maps all). */
	bool may_raise = capget(&header, data) == 0 &&
			 data[0].effective & (UINT32_C(1) << CAP_SYS_RESOURCE) &&
			 fs_in_first_user_namespace();

	return may_raise || getrlimit64(RLIMIT_MEMLOCK, &limit) < 0 ? 0 : limit.rlim_max;
}

uint64_t rootless_memlock_max(void)
{
	struct rlimit64 limit;

	return rootless() && getrlimit64(RLIMIT_MEMLOCK, &limit) == 0 ? limit.rlim_max : 0;
}

int memlock_check_raise(uint64_t bytes, struct err *err)
{
	uint64_t max = own_memlock_max();

	if (!max || max >= bytes)
		return 0;
	return err_set(err,
		       "RLIMIT_MEMLOCK cannot be raised above %llu bytes: that needs "
		       "CAP_SYS_RESOURCE on the node, which this process does not have",
		       (unsigned long long)max);
}

int process_raise_memlock(pid_t pid, int pidfd, uint64_t bytes, bool *ret_changed, struct err *err)
{
	struct rlimit64 limit;
	int status = prlimit64(pid, RLIMIT_MEMLOCK, NULL, &limit);

	*ret_changed = false;
	if (status == 0) {
		if (!memlock_raise(&limit, bytes) || process_has_ended(pidfd))
			return 0;
		status = prlimit64(pid, RLIMIT_MEMLOCK, &limit, NULL);
	}
	if (status < 0)
		return errno == ESRCH ? 0
				      : err_sys(err, errno,
						"cannot raise RLIMIT_MEMLOCK of pid %d (needs "
						"CAP_SYS_RESOURCE on the node)",
						pid);
	/* prlimit(2) takes no pidfd: the pid was its own only if it lives. */
	*ret_changed = !process_has_ended(pidfd);
	return 0;
}
