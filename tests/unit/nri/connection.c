/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/socket.h>
#include <sys/un.h>

#include "nri/connection.h"
#include "tests/unit/nri/nri.h"

/* ---- the connection ---- */

static int listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 0), 0);
	return fd;
}

UNIT_TEST("a runtime that accepts nobody is not waited for")
{
	WITH_DIR(dir);
	const char *path = arena_printf(&arena, "%s/nri.sock", dir.path);
	cleanup_fd listener = listen_at(path);
	cleanup_fd first = -1;
	int fd = 0;

	first = link_connect(path, &err);
	assert_true(first >= 0);
	assert_int_equal(fcntl(first, F_GETFD), FD_CLOEXEC);
	assert_true(fcntl(first, F_GETFL) & O_NONBLOCK);
	for (int i = 0; i < 100 && fd >= 0; i++) /* they belong to the listener and close with it */
		fd = link_connect(path, &err);
	assert_int_equal(fd, -1);
	assert_has(err.text, path);
}

UNIT_TEST("no socket, or too long a path: no connection, and the reason")
{
	WITH_DIR(dir);
	char path[sizeof(((struct sockaddr_un *)0)->sun_path) + 1];

	assert_int_equal(link_connect(arena_printf(&arena, "%s/nri.sock", dir.path), &err), -1);
	assert_has(err.text, "nri.sock: No such file or directory");
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 2] = '\0'; /* fits with its NUL */
	assert_int_equal(link_connect(path, &err), -1);
	assert_has(err.text, "No such file or directory");
	path[sizeof(path) - 2] = 'x';
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(link_connect(path, &err), -1);
	assert_has(err.text, "too long for a socket");
}

/* Ends as a runtime hands them to a launched plugin: blocking */
#define WITH_ENDS                                                                                  \
	struct err err = {0};                                                                      \
	UNUSED char bytes[8];                                                                      \
	int ends[2];                                                                               \
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0)

UNIT_TEST("reading takes what there is, and knows an end")
{
	WITH_ENDS;

	assert_int_equal(link_read(ends[0], bytes, sizeof(bytes), &err), 0);
	assert_int_equal(write(ends[1], "abc", 3), 3);
	assert_int_equal(link_read(ends[0], bytes, sizeof(bytes), &err), 3);
	assert_memory_equal(bytes, "abc", 3);
	assert_string_equal(err.text, "");
	(void)close(ends[1]);
	assert_int_equal(link_read(ends[0], bytes, sizeof(bytes), &err), -1);
	assert_string_equal(err.text, "the runtime has closed the connection");
	(void)close(ends[0]);
}

/* ECONNRESET: the runtime ended with unread data. */
UNIT_TEST("a connection that is reset is lost")
{
	WITH_ENDS;

	assert_int_equal(write(ends[0], "abc", 3), 3);
	(void)close(ends[1]);
	assert_int_equal(link_read(ends[0], bytes, sizeof(bytes), &err), -1);
	assert_string_equal(err.text, "connection lost: Connection reset by peer");
	(void)close(ends[0]);
}

static void fill(struct buffer *out, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)(i % 251);

		assert_int_equal(buffer_append(out, &byte, 1), 0);
	}
}

/* Reads everything there, appending to what was read. */
static size_t drain(int fd, size_t seen)
{
	unsigned char bytes[4096];
	ssize_t n;

	while ((n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
		for (ssize_t i = 0; i < n; i++, seen++)
			assert_int_equal(bytes[i], seen % 251);
	}
	return seen;
}

/* Unsent bytes stay, and go when the runtime reads. */
UNIT_TEST("writing keeps what does not go, in its order")
{
	static const size_t size = 2 * 1024 * 1024;
	cleanup_buffer out = {.max = size};
	size_t seen = 0;
	WITH_ENDS;

	fill(&out, size);
	assert_int_equal(link_write(ends[0], &out, &err), 0);
	assert_in_range(out.len, 1, size - 1);
	while (seen < size) {
		seen = drain(ends[1], seen);
		assert_int_equal(link_write(ends[0], &out, &err), 0);
	}
	assert_int_equal(out.len, 0);
	assert_string_equal(err.text, "");
	(void)close(ends[0]);
	(void)close(ends[1]);
}

/* SIGPIPE would end the suite. */
UNIT_TEST("writing to nobody is said, and no signal")
{
	cleanup_buffer out = {.max = 8};
	WITH_ENDS;

	(void)close(ends[1]);
	assert_int_equal(link_write(ends[0], &out, &err), 0);
	fill(&out, 3);
	assert_int_equal(link_write(ends[0], &out, &err), -1);
	assert_string_equal(err.text, "connection lost: Broken pipe");
	(void)close(ends[0]);
}
