/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/cgroup.h"

#include <string.h>

#include "core/base/text.h"

bool cgroup_names(const char *cgroups, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = cgroups; (at = strstr(at, name)); at++) {
		const char *end = at + len;

		if (at > cgroups && strchr("/-", at[-1]) &&
		    (strchr("/\n", *end) || text_starts_with(end, ".scope")))
			return true;
	}
	return false;
}
