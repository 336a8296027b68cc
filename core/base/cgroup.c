/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/cgroup.h"

#include <string.h>

#include "core/base/text.h"

#define ID_LENGTH 64 /* of CRI-O's, podman's, containerd's and Docker's */

static bool has_id(const char *from, const char *to)
{
	for (size_t len = 0; from < to; from++) {
		len = strchr("0123456789abcdef", *from) && *from ? len + 1 : 0;
		if (len == ID_LENGTH)
			return true;
	}
	return false;
}

/*
 * Whether an earlier part of that path has a container's id. A container whose cgroups are writable
 * can make one of any name, but only below its own.
 */
static bool is_below_another(const char *cgroups, const char *at)
{
	const char *line = at;
	const char *part = at;

	while (line > cgroups && line[-1] != '\n')
		line--;
	while (part > line && part[-1] != '/')
		part--;
	return has_id(line, part);
}

bool cgroup_names(const char *cgroups, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = cgroups; (at = strstr(at, name)); at++) {
		const char *end = at + len;

		if (at > cgroups && strchr("/-", at[-1]) &&
		    (strchr("/\n", *end) || text_starts_with(end, ".scope")) &&
		    !is_below_another(cgroups, at))
			return true;
	}
	return false;
}
