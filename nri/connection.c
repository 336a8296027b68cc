/* SPDX-License-Identifier: Apache-2.0 */

#include "nri/connection.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "nri/wire/ttrpc.h"

int link_connect(const char *path, struct err *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	cleanup_fd fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(err, "%s: the path is too long for a socket", path);
	strcpy(address.sun_path, path);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return err_sys(err, errno, "%s", path);
	return steal_fd(&fd);
}

ssize_t link_read(int fd, void *bytes, size_t size, struct err *err)
{
	ssize_t n = recv(fd, bytes, size, MSG_DONTWAIT);

	if (n > 0)
		return n;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n < 0 ? err_sys(err, errno, "connection lost")
		     : err_set(err, "the runtime has closed the connection");
}

int link_write(int fd, struct buffer *out, struct err *err)
{
	while (out->len) {
		ssize_t n = send(fd, out->bytes, out->len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n < 0)
			return err_sys(err, errno, "connection lost");
		buffer_consume(out, (size_t)n);
	}
	return 0;
}
