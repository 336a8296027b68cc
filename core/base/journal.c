/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/journal.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>

#include "core/base/fs.h"

bool journal_send(const char *message, size_t len)
{
	static const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = _PATH_LOG};
	cleanup_fd fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd >= 0 && sendto(fd, message, len, MSG_DONTWAIT | MSG_NOSIGNAL,
				 (const struct sockaddr *)&address, sizeof(address)) >= 0;
}
