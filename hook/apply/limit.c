/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/apply/limit.h"

#include <errno.h>
#include <sys/resource.h>

#include "core/process/process.h"
#include "core/report/log.h"

int limit_inherit(struct grant *grant, struct err *err)
{
	if (getrlimit64(RLIMIT_MEMLOCK, &grant->inherited) < 0)
		return err_sys(err, errno, "RLIMIT_MEMLOCK");
	return 0;
}

int limit_grant(struct container *container, struct grant *grant, const char *way_in,
		struct err *err)
{
	struct plan *plan = &container->plan;

	if (limit_inherit(grant, err) < 0)
		return -1;
	if (plan->shortage) {
		(void)err_set(err, "%s", plan->shortage);
		log_failure_silently(container, err, way_in);
	}
	if (!plan->adds_rlimit || process_may_have_memlock(grant->memlock, err) == 0)
		return 0;
	if (container->config.fail_on_error)
		return -1;
	log_failure_silently(container, err, way_in);
	plan->sets_memlock = false;
	grant->memlock = 0;
	return 0;
}
