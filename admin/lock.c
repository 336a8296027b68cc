/* SPDX-License-Identifier: Apache-2.0 */

#include "admin/lock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "core/base/names.h"

#define DESCRIPTOR_MAX 255

static int failed(const char *descriptor, int errnum)
{
	fprintf(stderr, ADMIN_NAME ": --lock: descriptor %s: %s\n", descriptor, strerror(errnum));
	return 1;
}

int lock_descriptor(const char *descriptor)
{
	char *end;
	long fd = strtol(descriptor, &end, 10);

	if (end == descriptor || *end || fd < 0 || fd > DESCRIPTOR_MAX)
		return failed(descriptor, EBADF);
	if (flock((int)fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return failed(descriptor, errno);
	fprintf(stderr,
		ADMIN_NAME ": waiting until another install or removal on this node ends\n");
	while (flock((int)fd, LOCK_EX) < 0) {
		if (errno != EINTR)
			return failed(descriptor, errno);
	}
	return 0;
}
