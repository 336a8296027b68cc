/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/nri_socket.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "core/base/fs.h"

/* A connection makes the engine wait for a plugin and blocks others. Datagram sockets are refused:
 * EPROTOTYPE if a process listens, else ECONNREFUSED (net/unix/af_unix.c, unix_find_bsd). */
static bool is_open(int fd)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	cleanup_fd probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", fd);
	return probe < 0 ||
	       connect(probe, (const struct sockaddr *)&address, sizeof(address)) == 0 ||
	       errno != ECONNREFUSED;
}

enum nri_socket nri_socket_of(int fd, bool recorded)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode))
		return NRI_SOCKET_ABSENT;
	return recorded || is_open(fd) ? NRI_SOCKET_LIVE : NRI_SOCKET_DEAD;
}

const char *nri_socket_text(enum nri_socket socket)
{
	switch (socket) {
	case NRI_SOCKET_LIVE:
		return "on";
	case NRI_SOCKET_DEAD:
		return "off, nothing listens at the socket";
	case NRI_SOCKET_ABSENT:
		break;
	}
	return "off, no such socket";
}
