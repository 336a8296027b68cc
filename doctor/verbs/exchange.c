/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/exchange.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"

#define BACKLOG 16
#define ERROR_WORD "error "

static uint64_t now_ms(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static int network(struct trouble *trouble, int errnum, const char *what, const char *peer)
{
	return trouble_set(trouble, TROUBLE_NETWORK, "%s %s: %s", what, peer, strerror(errnum));
}

struct exchange exchange_over(int fd, const char *peer)
{
	struct exchange exchange = {.fd = fd, .deadline = now_ms() + EXCHANGE_SESSION_MS};
	const int on = 1;

	/* Not for every socket, and not needed for what is right: small lines just come sooner. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)snprintf(exchange.peer, sizeof(exchange.peer), "%s", peer);
	return exchange;
}

void exchange_limit(struct exchange *exchange, uint64_t milliseconds)
{
	exchange->deadline = now_ms() + milliseconds;
}

void exchange_close(struct exchange *exchange)
{
	if (exchange->fd >= 0)
		(void)close(exchange->fd);
	exchange->fd = -1;
}

/* Waits until fd is ready. Returns 0 or an errno. */
static int wait_for(int fd, short events, uint64_t deadline)
{
	for (;;) {
		struct pollfd poll_fd = {.fd = fd, .events = events};
		uint64_t now = now_ms();
		int n = now >= deadline ? 0 : poll(&poll_fd, 1, (int)(deadline - now));

		if (n > 0)
			return 0;
		if (n == 0)
			return ETIMEDOUT;
		if (errno != EINTR)
			return errno;
	}
}

/* Returns a connected socket, or -errno. */
static int connect_one(const struct addrinfo *address)
{
	cleanup_fd fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t len = sizeof(int);
	int error = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, address->ai_addr, address->ai_addrlen) < 0) {
		if (errno != EINPROGRESS)
			return -errno;
		error = wait_for(fd, POLLOUT, now_ms() + EXCHANGE_CONNECT_MS);
		if (!error && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
			error = errno;
	}
	return error ? -error : take_fd(&fd);
}

int exchange_connect(const char *host, unsigned port, struct exchange *ret_exchange,
		     struct trouble *trouble)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *addresses = NULL;
	char service[16];
	int error;
	int fd = -EHOSTUNREACH;

	(void)snprintf(service, sizeof(service), "%u", port);
	error = getaddrinfo(host, service, &hints, &addresses);
	if (error)
		return trouble_set(trouble, TROUBLE_NETWORK, "%s: %s", host, gai_strerror(error));
	for (struct addrinfo *a = addresses; a && fd < 0; a = a->ai_next)
		fd = connect_one(a);
	freeaddrinfo(addresses);
	if (fd < 0)
		return trouble_set(trouble, TROUBLE_NETWORK, "TCP to %s port %u: %s", host, port,
				   strerror(-fd));
	*ret_exchange = exchange_over(fd, host);
	return 0;
}

/* Returns a listening socket, or -errno. */
static int listen_on(int family, const struct sockaddr *address, socklen_t len)
{
	cleanup_fd fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1;
	const int off = 0;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    (family == AF_INET6 &&
	     setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) < 0) ||
	    bind(fd, address, len) < 0 || listen(fd, BACKLOG) < 0)
		return -errno;
	return take_fd(&fd);
}

static int listen_on_all(unsigned port)
{
	const struct sockaddr_in6 any6 = {.sin6_family = AF_INET6,
					  .sin6_port = htons((uint16_t)port)};
	const struct sockaddr_in any4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = listen_on(AF_INET6, (const struct sockaddr *)&any6, sizeof(any6));

	/* Kernels are booted with ipv6.disable=1. */
	if (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL)
		fd = listen_on(AF_INET, (const struct sockaddr *)&any4, sizeof(any4));
	return fd;
}

int exchange_listen(const char *host, unsigned port, struct trouble *trouble)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				       .ai_flags = AI_NUMERICSERV | AI_PASSIVE};
	struct addrinfo *addresses = NULL;
	char service[16];
	int error = 0;
	int fd = -EADDRNOTAVAIL;

	(void)snprintf(service, sizeof(service), "%u", port);
	if (host)
		error = getaddrinfo(host, service, &hints, &addresses);
	if (error)
		return trouble_set(trouble, TROUBLE_NETWORK, "%s: %s", host, gai_strerror(error));
	if (!host)
		fd = listen_on_all(port);
	for (struct addrinfo *a = addresses; a && fd < 0; a = a->ai_next)
		fd = listen_on(a->ai_family, a->ai_addr, a->ai_addrlen);
	if (addresses)
		freeaddrinfo(addresses);
	if (fd < 0)
		return trouble_set(trouble, TROUBLE_NETWORK, "cannot listen on %s%sTCP port %u: %s",
				   host ? host : "", host ? ", " : "", port, strerror(-fd));
	return fd;
}

/* Its address, an IPv4 one without its mapping */
static void name_peer(const struct sockaddr_storage *address, socklen_t len, char *name,
		      size_t size)
{
	static const char mapped[] = "::ffff:";

	if (getnameinfo((const struct sockaddr *)address, len, name, (socklen_t)size, NULL, 0,
			NI_NUMERICHOST) != 0)
		(void)snprintf(name, size, "?");
	else if (text_starts_with(name, mapped))
		memmove(name, name + strlen(mapped), strlen(name + strlen(mapped)) + 1);
}

int exchange_accept(int listener, int stop, struct exchange *ret_exchange, struct trouble *trouble)
{
	struct pollfd fds[] = {{.fd = listener, .events = POLLIN}, {.fd = stop, .events = POLLIN}};

	for (;;) {
		struct sockaddr_storage address;
		socklen_t len = sizeof(address);
		char name[64];
		int fd;

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return network(trouble, errno, "waiting for", "peers");
		if (fds[1].revents)
			return 0;
		fd = accept4(listener, (struct sockaddr *)&address, &len,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0) {
			name_peer(&address, len, name, sizeof(name));
			*ret_exchange = exchange_over(fd, name);
			return 1;
		}
		/* What a peer broke off meanwhile is its own affair (accept(2)). */
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS ||
		    errno == EBADF)
			return network(trouble, errno, "accepting", "a peer");
	}
}

int exchange_send(struct exchange *exchange, struct trouble *trouble, const char *format, ...)
{
	char line[MESSAGE_MAX];
	size_t done = 0;
	size_t len;
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	len = strlen(line);
	line[len++] = '\n';
	while (done < len) {
		ssize_t n = send(exchange->fd, line + done, len - done, MSG_NOSIGNAL);
		int error = n < 0 ? errno : 0;

		if (error == EAGAIN)
			error = wait_for(exchange->fd, POLLOUT, exchange->deadline);
		if (error && error != EINTR)
			return network(trouble, error, "sending to", exchange->peer);
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Takes the first line off what has come. Returns false if it is not whole yet. */
static bool take_line(struct exchange *exchange, char line[MESSAGE_MAX])
{
	char *end = memchr(exchange->bytes, '\n', exchange->len);
	size_t len;

	if (!end)
		return false;
	len = (size_t)(end - exchange->bytes);
	memcpy(line, exchange->bytes, len);
	line[len] = '\0';
	exchange->len -= len + 1;
	memmove(exchange->bytes, end + 1, exchange->len);
	/* A NUL would hide what follows: it is refused as any control character is. */
	for (size_t i = 0; i < len; i++) {
		if (!line[i])
			line[i] = '\x7f';
	}
	return true;
}

static int check_line(const struct exchange *exchange, const char *line, struct trouble *trouble)
{
	if (text_has_control(line))
		return trouble_set(trouble, TROUBLE_NETWORK,
				   "%s is no oci-rdma-doctor: it sent control characters",
				   exchange->peer);
	if (text_starts_with(line, ERROR_WORD))
		return trouble_set(trouble, TROUBLE_PEER, "%s: %s", exchange->peer,
				   line + strlen(ERROR_WORD));
	return 0;
}

static uint64_t end_of_line(const struct exchange *exchange)
{
	uint64_t end = now_ms() + exchange->patience;

	return exchange->patience && end < exchange->deadline ? end : exchange->deadline;
}

int exchange_receive(struct exchange *exchange, char line[MESSAGE_MAX], struct trouble *trouble)
{
	const uint64_t end = end_of_line(exchange);

	while (!take_line(exchange, line)) {
		size_t room = sizeof(exchange->bytes) - exchange->len;
		int error = room ? wait_for(exchange->fd, POLLIN, end) : EMSGSIZE;
		ssize_t n =
			error ? -1 : recv(exchange->fd, exchange->bytes + exchange->len, room, 0);

		if (n == 0)
			return trouble_set(trouble, TROUBLE_NETWORK, "%s closed the connection",
					   exchange->peer);
		if (n < 0 && !error)
			error = errno;
		if (error && error != EAGAIN && error != EINTR)
			return network(trouble, error, "reading from", exchange->peer);
		exchange->len += n > 0 ? (size_t)n : 0;
	}
	return check_line(exchange, line, trouble);
}

int exchange_expect(struct exchange *exchange, const char *want, struct trouble *trouble)
{
	char line[MESSAGE_MAX];

	if (exchange_receive(exchange, line, trouble) < 0)
		return -1;
	if (strcmp(line, want) != 0)
		return trouble_set(trouble, TROUBLE_NETWORK, "%s sent \"%.80s\" instead of \"%s\"",
				   exchange->peer, line, want);
	return 0;
}
