/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/scrape.h"

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

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/report/log.h"
#include "core/report/outcome.h"
#include "nri/nri_confinement.h"
#include "nri/nri_options.h"

#define WAITING 128
/* A whole answer: send(2) does not block */
#define SEND_BUFFER (2 * SCRAPE_FILE_MAX)
#define HEAD                                                                                       \
	"HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"                \
	"Content-Length: %zu\r\nConnection: close\r\n\r\n"

/* A silent client blocks no other; the oldest is dropped */
#define CLIENTS_MAX 64

struct client {
	int64_t deadline;
	size_t len; /* of the incomplete request */
	char request[SCRAPE_REQUEST_MAX + 1];
};

static struct client clients[CLIENTS_MAX];
static struct pollfd polled[CLIENTS_MAX + 1];

static void answer(int fd, const char *status, const char *bytes, size_t len)
{
	char head[sizeof(HEAD) + 64];
	int n = snprintf(head, sizeof(head), HEAD, status, len);

	(void)!send(fd, head, (size_t)n, MSG_NOSIGNAL | MSG_MORE);
	(void)!send(fd, bytes, len, MSG_NOSIGNAL);
}

/* Opened per request: replaced by rename */
static void answer_metrics(int fd, const char *path)
{
	static const char none[] = "# No plugin of this pod has served the node.\n";
	cleanup_fd file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	/* Another installation or our predecessor may serve it */
	bool absent = file < 0 && errno == ENOENT;
	struct fs_text text = {(char *)none, sizeof(none) - 1};
	cleanup_arena arena = {0};
	char why[ERR_TEXT_MAX + 4];
	struct err err;

	if (file < 0 && !absent)
		err_sys(&err, errno, "%s", path);
	else if (absent || fs_read_regular(&arena, file, SCRAPE_FILE_MAX, path, &text, &err) == 0) {
		answer(fd, "200 OK", text.bytes, text.len);
		return;
	}
	snprintf(why, sizeof(why), "# %s\n", err.text);
	answer(fd, "500 Internal Server Error", why, strlen(why));
}

/* Refuses methods with a body */
static bool hear(struct client *client, int fd, const char *path)
{
	char *request = client->request;
	ssize_t n = recv(fd, request + client->len, SCRAPE_REQUEST_MAX - client->len, 0);

	if (n <= 0)
		return false; /* or no room */
	client->len += (size_t)n;
	request[client->len] = '\0';
	if (!strstr(request, "\r\n\r\n"))
		return true;
	if (!text_starts_with(request, "GET "))
		answer(fd, "405 Method Not Allowed", "", 0);
	else if (text_starts_with(request, "GET /metrics ") ||
		 text_starts_with(request, "GET /metrics?"))
		answer_metrics(fd, path);
	else
		answer(fd, "404 Not Found", "", 0);
	return false;
}

static void drop(size_t i)
{
	(void)close(polled[i].fd);
	polled[i].fd = -1;
}

static void begin(int fd)
{
	size_t found = 0;

	for (size_t i = 0; i < CLIENTS_MAX && polled[found].fd >= 0; i++) {
		if (polled[i].fd < 0 || clients[i].deadline < clients[found].deadline)
			found = i;
	}
	drop(found);
	polled[found] = (struct pollfd){.fd = fd, .events = POLLIN};
	clients[found].deadline = clock_ms() + SCRAPE_PATIENCE_MS;
	clients[found].len = 0;
}

static int listen_at(const struct sockaddr *address, socklen_t size)
{
	cleanup_fd fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1;
	const int off = 0;
	const int room = SEND_BUFFER;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)) < 0)
		return -1;
	/* Keep IPv4 even with net.ipv6.bindv6only */
	if (address->sa_family == AF_INET6 &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) < 0)
		return -1;
	if (bind(fd, address, size) < 0 || listen(fd, WAITING) < 0)
		return -1;
	return steal_fd(&fd);
}

/* Dual-stack, or IPv4 without IPv6 */
static int listen_on(uint16_t port)
{
	const struct sockaddr_in6 both = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	const struct sockaddr_in one = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = listen_at((const struct sockaddr *)&both, sizeof(both));

	if (fd < 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL))
		fd = listen_at((const struct sockaddr *)&one, sizeof(one));
	return fd;
}

/* Pid 1 ignores default actions. */
static void end(int signal)
{
	(void)signal;
	_exit(0);
}

static int fail(const char *what)
{
	log_event(LOG_ERR, "--serve-metrics: %s: %s", what, strerror(errno));
	return 1;
}

/* Out of descriptors or memory: collectors retry */
static void accept_one(void)
{
	static const struct timespec moment = {.tv_nsec = 100 * 1000 * 1000};
	int fd = accept4(STDIN_FILENO, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0)
		begin(fd);
	else if (errno != EAGAIN)
		(void)nanosleep(&moment, NULL);
}

static int serve(const char *path)
{
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		polled[i].fd = -1;
	polled[CLIENTS_MAX] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
	for (;;) {
		/* EINVAL: RLIMIT_NOFILE is too low */
		if (poll(polled, CLIENTS_MAX + 1, 1000) < 0) {
			if (errno != EINTR)
				return fail("poll");
			continue;
		}
		for (size_t i = 0; i < CLIENTS_MAX; i++) {
			if (polled[i].fd >= 0 &&
			    ((polled[i].revents && !hear(&clients[i], polled[i].fd, path)) ||
			     clock_ms() >= clients[i].deadline))
				drop(i);
		}
		if (polled[CLIENTS_MAX].revents)
			accept_one();
	}
}

int scrape_run(const struct nri_options *options)
{
	const struct sigaction action = {.sa_handler = end};
	cleanup_fd listener = -1;
	struct err err;

	log_as_daemon(NRI_NAME);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
	listener = listen_on(options->port);
	/* confine() closes descriptors above 2 */
	if (listener < 0 || dup2(listener, STDIN_FILENO) < 0)
		return fail("it cannot listen on the port");
	if (confine(&scrape_confinement, options->metrics[0] == '/' ? "/" : NULL, &err) < 0)
		log_event(LOG_WARNING, "not confined: %s", err.text);
	listener = -1;
	return serve(options->metrics);
}
