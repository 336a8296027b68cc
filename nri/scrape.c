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

#define WAITING 128
/* Of an answer: more than any has */
#define HEAD_SIZE 256
#define TEXT "text/plain; version=0.0.4; charset=utf-8"

/* At once: one that says nothing keeps no other one waiting. Where more come, the oldest one goes.
 */
#define CLIENTS_MAX 64

struct client {
	int64_t deadline;
	char request[SCRAPE_REQUEST_MAX + 1];
	size_t len;         /* of the request */
	struct arena arena; /* has the answer */
	const char *answer; /* what is not sent yet; NULL: the request is not whole */
	size_t left;
};

static struct client clients[CLIENTS_MAX];
/* Of each client, fd -1: none; behind them the listener */
static struct pollfd polled[CLIENTS_MAX + 1];

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

static int prepare(struct client *client, const char *path)
{
	struct reply reply = reply_to(client->request, path, &client->arena);
	char *whole = arena_alloc(&client->arena, HEAD_SIZE + reply.len);
	int head = whole ? snprintf(whole, HEAD_SIZE,
				    "HTTP/1.1 %s\r\nContent-Type: " TEXT
				    "\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
				    reply.status, reply.len)
			 : -1;

	if (head < 0)
		return -1;
	memcpy(whole + head, reply.bytes, reply.len);
	client->answer = whole;
	client->left = (size_t)head + reply.len;
	return 0;
}

/* ---- a client: both return 0, or -1 when there is nothing more to do for it ---- */

static int of_socket(ssize_t n)
{
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

/* All up to the empty line; a request with a body is refused by its method. */
static int hear(struct client *client, int fd, const char *path)
{
	ssize_t n = recv(fd, client->request + client->len, SCRAPE_REQUEST_MAX - client->len, 0);

	if (n <= 0)
		return of_socket(n);
	client->len += (size_t)n;
	client->request[client->len] = '\0';
	if (strstr(client->request, "\r\n\r\n"))
		return prepare(client, path);
	return client->len < SCRAPE_REQUEST_MAX ? 0 : -1;
}

static int say(struct client *client, int fd)
{
	ssize_t n = send(fd, client->answer, client->left, MSG_NOSIGNAL);

	if (n < 0)
		return of_socket(n);
	client->answer += n;
	client->left -= (size_t)n;
	return client->left ? 0 : -1;
}

static void drop(size_t i)
{
	(void)close(polled[i].fd);
	polled[i].fd = -1;
	arena_free(&clients[i].arena);
}

static void tend(size_t i, const char *path)
{
	struct client *client = &clients[i];
	int fd = polled[i].fd;
	int status = client->answer ? 0 : hear(client, fd, path);

	if (status == 0 && client->answer)
		status = say(client, fd);
	polled[i].events = client->answer ? POLLOUT : POLLIN;
	if (status < 0)
		drop(i);
}

/* Where there is none that is free, the oldest one's */
static size_t find_place(void)
{
	size_t found = 0;

	for (size_t i = 0; i < CLIENTS_MAX; i++) {
		if (polled[i].fd < 0)
			return i;
		if (clients[i].deadline < clients[found].deadline)
			found = i;
	}
	drop(found);
	return found;
}

static void begin(int fd)
{
	size_t i = find_place();

	polled[i] = (struct pollfd){.fd = fd, .events = POLLIN};
	clients[i].deadline = clock_ms() + SCRAPE_PATIENCE_MS;
	clients[i].len = 0;
	clients[i].answer = NULL;
}

/* ---- the socket ---- */

static int listen_at(const struct sockaddr *address, socklen_t size)
{
	cleanup_fd fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
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

static void pause_a_moment(void)
{
	static const struct timespec moment = {.tv_nsec = 100 * 1000 * 1000};

	(void)nanosleep(&moment, NULL);
}

/* Returns 0, or -1 where no client will ever come. */
static int take_one(void)
{
	int fd = accept4(STDIN_FILENO, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0)
		begin(fd);
	else if (!is_for_the_moment(errno))
		return -1;
	else if (errno != EAGAIN)
		pause_a_moment();
	return 0;
}

/* Gives up those whose time is over. Returns how long the next one has, or -1: there is none. */
static int wait_ms(void)
{
	int64_t now = clock_ms();
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < CLIENTS_MAX; i++) {
		if (polled[i].fd >= 0 && clients[i].deadline <= now)
			drop(i);
		if (polled[i].fd >= 0 && clients[i].deadline < least)
			least = clients[i].deadline;
	}
	return least == INT64_MAX ? -1 : (int)(least - now);
}

static int serve(const char *path)
{
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		polled[i].fd = -1;
	polled[CLIENTS_MAX] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
	for (;;) {
		if (poll(polled, CLIENTS_MAX + 1, wait_ms()) < 0) {
			if (errno != EINTR && errno != ENOMEM)
				return fail("poll"); /* EINVAL: RLIMIT_NOFILE is below what it is
							given */
			pause_a_moment();
			continue;
		}
		for (size_t i = 0; i < CLIENTS_MAX; i++) {
			if (polled[i].fd >= 0 && polled[i].revents)
				tend(i, path);
		}
		if (polled[CLIENTS_MAX].revents && take_one() < 0)
			return fail("accept4");
	}
}

int scrape_run(const struct nri_options *options)
{
	cleanup_fd listener = -1;
	struct err err;

	log_as_daemon(NRI_NAME);
	set_signals();
	listener = listen_on(options->port);
	/* The confinement closes all but the standard three. */
	if (listener < 0 || dup2(listener, STDIN_FILENO) < 0)
		return fail("it cannot listen on the port");
	if (confine(&scrape_confinement, options->metrics[0] == '/' ? "/" : NULL, &err) < 0)
		log_event(LOG_WARNING, "not confined: %s", err.text);
	listener = -1;
	return serve(options->metrics);
}
