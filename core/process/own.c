/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/own.h"

#include <stdbool.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "core/base/fs.h"

uint64_t own_memlock_max(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	struct rlimit64 limit;
	/* Capabilities of a user namespace raise no limit: do_prlimit() asks for CAP_SYS_RESOURCE
	 * in the first one, which no map proves (systemd's PrivateUsers=full maps all ids). */
	bool may_raise = capget(&header, data) == 0 &&
			 data[0].effective & (UINT32_C(1) << CAP_SYS_RESOURCE) &&
			 fs_in_first_user_namespace();

	return may_raise || getrlimit64(RLIMIT_MEMLOCK, &limit) < 0 ? 0 : limit.rlim_max;
}

uint64_t own_lacks_capabilities(uint64_t capabilities)
{
	uint64_t lacking = 0;

	for (int number = 0; number < 64; number++) {
		uint64_t bit = UINT64_C(1) << number;

		if (capabilities & bit && prctl(PR_CAPBSET_READ, number, 0, 0, 0) != 1)
			lacking |= bit;
	}
	return lacking;
}
