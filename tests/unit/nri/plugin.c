/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin's loop: what the suites with an engine see only by a race */
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "nri/plugin.c"
#include "tests/unit/nri/nri.h"

UNIT_TEST("while an answer waits for an engine that reads nothing, no other request is read")
{
	static const char answer[1024 * 1024], request[] = "more";
	struct plugin plugin = {.session.out = empty_buffer()};
	int ends[2], unread = 0;
	struct err err = {0};

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	plugin.fd = ends[0];
	put(&plugin.session.out, answer, sizeof(answer));
	assert_int_equal(write(ends[1], request, sizeof(request)), sizeof(request));
	assert_int_equal(read_and_answer(&plugin, POLLIN | POLLOUT, &err), 0);
	assert_in_range(plugin.session.out.len, 1, sizeof(answer) - 1); /* a part is on its way */
	assert_int_equal(ioctl(plugin.fd, FIONREAD, &unread), 0);
	assert_int_equal(unread, sizeof(request));
	buffer_free(&plugin.session.out);
	close(ends[0]);
	close(ends[1]);
}
