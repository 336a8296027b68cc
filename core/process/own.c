/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/own.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/resource.h>

#include "core/base/arena.h"
#include "core/base/cleanup.h"
#include "core/base/fs.h"

#define STATUS_SIZE_MAX (64 * 1024)

/*
 * Capabilities of a user namespace raise no limit: do_prlimit() asks for CAP_SYS_RESOURCE in the
 * first. Its map does not tell which it is: systemd's PrivateUsers=full maps all ids to themselves.
 */
static bool may_raise_limits(void)
{
	cap_flag_value_t has = CAP_CLEAR;
	cap_t set = cap_get_proc();

	if (!set)
		return false;
	(void)cap_get_flag(set, CAP_SYS_RESOURCE, CAP_EFFECTIVE, &has);
	(void)cap_free(set);
	return has == CAP_SET && fs_in_first_user_namespace();
}

uint64_t own_memlock_max(void)
{
	struct rlimit64 limit;

	if (getrlimit64(RLIMIT_MEMLOCK, &limit) < 0 || may_raise_limits())
		return 0;
	return limit.rlim_max;
}

int own_may_have_memlock(uint64_t bytes, struct err *err)
{
	uint64_t max = own_memlock_max();

	if (!max || max >= bytes)
		return 0;
	return err_set(err,
		       "RLIMIT_MEMLOCK cannot be raised above %llu bytes: that needs "
		       "CAP_SYS_RESOURCE on the node, which this process does not have",
		       (unsigned long long)max);
}

uint64_t own_lacks_capabilities(uint64_t capabilities)
{
	static const char field[] = "\nCapBnd:\t";
	cleanup_arena arena = {0};
	cleanup_fd fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	struct fs_text text;
	struct err ignored;
	const char *found = NULL;

	if (fd >= 0 &&
	    fs_read(&arena, fd, STATUS_SIZE_MAX, "/proc/self/status", &text, &ignored) == 0)
		found = strstr(text.bytes, field);
	return found ? capabilities & ~strtoull(found + sizeof(field) - 1, NULL, 16) : 0;
}
