/* SPDX-License-Identifier: Apache-2.0 */
/* Extended attributes of a file that the shim edits */
#include <errno.h>
#include <linux/limits.h>
#include <string.h>
#include <sys/xattr.h>

#include "core/base/fs.h"

int attributes_copy(int from, int to)
{
	/* Static: on the stack, -fstack-clash-protection would touch all of their pages. */
	static char names[XATTR_LIST_MAX];
	static char value[XATTR_SIZE_MAX];
	ssize_t len = flistxattr(from, names, sizeof(names));

	if (len < 0)
		return errno == ENOTSUP ? 0 : -errno;
	for (const char *name = names; name < names + len; name += strlen(name) + 1) {
		ssize_t size;

		/* These are hashes and signatures of the old content. */
		if (strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0)
			continue;
		size = fgetxattr(from, name, value, sizeof(value));
		if ((size < 0 || fsetxattr(to, name, value, (size_t)size, 0) < 0) &&
		    strcmp(name, "security.selinux") == 0)
			return -errno;
	}
	return 0;
}
