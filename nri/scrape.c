/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/nri.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/command_line.h"
#include "core/report/report.h"

#define WAITING 16
#define TEXT "text/plain; version=0.0.4; charset=utf-8"

/* ---- the request ---- */

/* Returns the events that there are, or 0 when the deadline has passed. */
static int wait_for(int client, short events, int64_t deadline)
{
	struct pollfd wanted = {.fd = client, .events = events};
	int64_t left;

	while ((left = deadline - clock_ms()) > 0) {
		int n = poll(&wanted, 1, (int)left);

		if (n > 0)
			return wanted.revents;
		if (n < 0 && errno != EINTR)
			return 0;
	}
	return 0;
}

/* All up to the empty line; a request with a body is refused by its method. Returns 0 or -1. */
static int read_request(int client, int64_t deadline, char request[SCRAPE_REQUEST_MAX + 1])
{
	size_t len = 0;

	while (len < SCRAPE_REQUEST_MAX && wait_for(client, POLLIN, deadline)) {
		ssize_t n = recv(client, request + len, SCRAPE_REQUEST_MAX - len, 0);

		if (n <= 0)
			return -1;
		len += (size_t)n;
		request[len] = '\0';
		if (strstr(request, "\r\n\r\n"))
			return 0;
	}
	return -1;
}

/* ---- the answer ---- */

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

struct reply {
	const char *status;
	const char *bytes;
	size_t len;
};

/* The file is replaced by rename, so that it is opened for each request. */
static struct reply reply_to(const char *request, const char *path, struct arena *arena)
{
	static const char none[] = "# No plugin of this pod has served the node.\n";
	cleanup_fd file = -1;
	struct fs_text text;
	struct err err;
	const char *why;

	if (!begins(request, "GET "))
		return (struct reply){"405 Method Not Allowed", "", 0};
	if (!begins(request, "GET /metrics ") && !begins(request, "GET /metrics?"))
		return (struct reply){"404 Not Found", "", 0};
	file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	/* No file is no failure: another installation may serve the node, or the pod's predecessor.
	 */
	if (file < 0 && errno == ENOENT)
		return (struct reply){"200 OK", none, sizeof(none) - 1};
	if (file < 0)
		(void)err_sys(&err, errno, "%s", path);
	else if (fs_read_regular(arena, file, SCRAPE_FILE_MAX, path, &text, &err) == 0)
		return (struct reply){"200 OK", text.bytes, text.len};
	/* The collector's target is down then, and shows why. */
	why = arena_printf(arena, "# %s\n", err.text);
	return (struct reply){"500 Internal Server Error", why ? why : "", why ? strlen(why) : 0};
}

static int send_all(int client, const char *bytes, size_t len, int64_t deadline)
{
	while (len) {
		ssize_t n = wait_for(client, POLLOUT, deadline) & POLLOUT
				    ? send(client, bytes, len, MSG_NOSIGNAL)
				    : -1;

		if (n < 0)
			return -1;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

static void answer(int client, const char *path)
{
	int64_t deadline = clock_ms() + SCRAPE_PATIENCE_MS;
	char request[SCRAPE_REQUEST_MAX + 1];
	char head[256];
	cleanup_arena arena = {0};
	struct reply reply;
	int n;

	if (read_request(client, deadline, request) < 0)
		return;
	reply = reply_to(request, path, &arena);
	n = snprintf(head, sizeof(head),
		     "HTTP/1.1 %s\r\nContent-Type: " TEXT
		     "\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
		     reply.status, reply.len);
	if (send_all(client, head, (size_t)n, deadline) == 0)
		(void)send_all(client, reply.bytes, reply.len, deadline);
}

/* ---- the socket ---- */

static int listen_at(const struct sockaddr *address, socklen_t size)
{
	cleanup_fd fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int on = 1;
	const int off = 0;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
		return -1;
	/* The net.ipv6.bindv6only of a node must not take IPv4 away. */
	if (address->sa_family == AF_INET6 &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) < 0)
		return -1;
	if (bind(fd, address, size) < 0 || listen(fd, WAITING) < 0)
		return -1;
	return take_fd(&fd);
}

/* Both families by one socket; on a kernel without IPv6 the other one alone */
static int listen_on(uint16_t port)
{
	const struct sockaddr_in6 both = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	const struct sockaddr_in one = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = listen_at((const struct sockaddr *)&both, sizeof(both));

	if (fd < 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL))
		fd = listen_at((const struct sockaddr *)&one, sizeof(one));
	return fd;
}

/* ---- the beginning and the end ---- */

/* The kernel drops a signal with its default action where the receiver is process 1, as in a
 * container. Nothing has to be put in order. */
static void end(int signal)
{
	(void)signal;
	_exit(0);
}

static void set_signals(void)
{
	const struct sigaction action = {.sa_handler = end};

	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
}

static int fail(const char *what)
{
	log_event(LOG_ERR, "--serve-metrics: %s: %s", what, strerror(errno));
	return 1;
}

/* Too few descriptors or too little memory passes; the collector asks again. */
static bool is_for_the_moment(int error)
{
	return error != EBADF && error != EINVAL && error != ENOTSOCK && error != EOPNOTSUPP;
}

int scrape_run(const struct nri_options *options)
{
	static const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
	cleanup_fd listener = -1;

	log_as_daemon(NRI_NAME);
	set_signals();
	listener = listen_on(options->port);
	/* The confinement closes all but the standard three. */
	if (listener < 0 || dup2(listener, STDIN_FILENO) < 0)
		return fail("it cannot listen on the port");
	confine(&scrape_confinement, options->metrics[0] == '/' ? "/" : NULL);
	listener = -1;
	for (;;) {
		cleanup_fd client = accept4(STDIN_FILENO, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (client >= 0)
			answer(client, options->metrics);
		else if (!is_for_the_moment(errno))
			return fail("accept4");
		else
			(void)nanosleep(&pause, NULL);
	}
}
