/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/kernel.h"

#include <stdlib.h>
#include <sys/utsname.h>

bool kernel_is_before_openat2(const char *release)
{
	char *end;
	long major = strtol(release, &end, 10);
	long minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;

	return major > 0 && (major < 5 || (major == 5 && minor < 6));
}

/* systemd's RestrictSUIDSGID= answers so to every openat2 (src/shared/seccomp-util.c,
 * seccomp_restrict_sxid), and old seccomp profiles of engines do to what they do not know. */
const char *kernel_lacks_openat2(void)
{
	struct utsname name;

	if (uname(&name) < 0 || kernel_is_before_openat2(name.release))
		return "this kernel has no openat2(2): Linux 5.6 or newer is needed";
	return "a filter of system calls hides openat2(2): remove RestrictSUIDSGID= from the unit, "
	       "or allow openat2 in the container's seccomp profile";
}
