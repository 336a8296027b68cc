/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/rootless.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"

/* PROC_USER_INIT_INO (the kernel's proc_ns.h) */
#define FIRST_USER_NAMESPACE_LINK "user:[4026531837]"

bool fs_in_first_user_namespace(void)
{
	char text[sizeof(FIRST_USER_NAMESPACE_LINK)];

	return fs_read_link(AT_FDCWD, "/proc/self/ns/user", text, sizeof(text)) >= 0 &&
	       strcmp(text, FIRST_USER_NAMESPACE_LINK) == 0;
}

/* Also checks the map: /proc may be another namespace's. */
bool rootless(void)
{
	char map[128];

	if (geteuid() != 0)
		return true;
	/* The first namespace's map is a single line. */
	return !fs_in_first_user_namespace() &&
	       fs_read_line(AT_FDCWD, "/proc/self/uid_map", map, sizeof(map)) >= 0 &&
	       !strstr(map, "4294967295");
}
