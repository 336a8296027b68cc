/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/remote.h"

#include <endian.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"

#define MAGIC "oci-rdma-doctor3" /* with the version */
#define BYTES_MIN 8
#define BYTES_MAX (1UL << 30)
#define QPN_MAX 0xffffffU

_Static_assert(sizeof(struct endpoint_address) == 48 && sizeof(struct message) == 368,
	       "a message has no padding");

static void turn(struct message *message)
{
	struct endpoint_address *from = &message->from;
	struct transfer_result *result = &message->result;
	uint32_t *const words[] = {&message->kind, &message->left, &from->qpn, &from->psn,
				   &from->rkey};
	uint64_t *const longs[] = {
		&from->buffer,      &from->bytes,    &result->bytes, &result->bytes_per_second,
		&result->median_ns, &result->p99_ns, &result->writes};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		*words[i] = htobe32(*words[i]);
	for (size_t i = 0; i < sizeof(longs) / sizeof(longs[0]); i++)
		*longs[i] = htobe64(*longs[i]);
	from->lid = htobe16(from->lid);
}

static void limit_waiting(int fd, time_t seconds)
{
	const struct timeval time = {.tv_sec = seconds};

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
}

static int network(struct trouble *trouble, int errnum, const char *what, const char *peer)
{
	if (errnum == EAGAIN || errnum == EINPROGRESS) /* socket(7): timeout */
		errnum = ETIMEDOUT;
	return trouble_set(trouble, TROUBLE_NETWORK, "%s %s: %s", what, peer, strerror(errnum));
}

int remote_send(struct remote_peer *peer, struct message *message, struct trouble *trouble)
{
	ssize_t sent;

	memcpy(message->magic, MAGIC, sizeof(message->magic));
	turn(message);
	sent = send(peer->fd, message, sizeof(*message), MSG_NOSIGNAL);
	if (sent != sizeof(*message))
		return network(trouble, sent < 0 ? errno : EAGAIN, "sending to", peer->name);
	return 0;
}

static bool is_hello(const struct message *message)
{
	const struct endpoint_address *from = &message->from;

	return from->qpn <= QPN_MAX && from->psn <= QPN_MAX && from->infiniband <= 1 &&
	       from->mtu >= IBV_MTU_256 && from->mtu <= IBV_MTU_4096 && from->bytes >= BYTES_MIN &&
	       from->bytes <= BYTES_MAX && text_is_device_name(message->text);
}

int remote_receive(struct remote_peer *peer, enum message_kind kind, struct message *ret_message,
		   struct trouble *trouble)
{
	struct message message;
	/* One timeout, even if bytes come one by one */
	ssize_t got = recv(peer->fd, &message, sizeof(message), MSG_WAITALL);

	if (got == 0)
		return trouble_set(trouble, TROUBLE_NETWORK, "%s closed the connection",
				   peer->name);
	if (got != sizeof(message))
		return network(trouble, got < 0 ? errno : EAGAIN, "reading from", peer->name);
	turn(&message);
	message.text[sizeof(message.text) - 1] = '\0';
	text_make_printable(message.text);
	if (memcmp(message.magic, MAGIC, sizeof(message.magic)) != 0)
		return trouble_set(trouble, TROUBLE_NETWORK,
				   "%s is no oci-rdma-doctor of this version", peer->name);
	if (message.kind == MESSAGE_ERROR)
		return trouble_set(trouble, TROUBLE_PEER, "%s: %s", peer->name, message.text);
	if (message.kind != kind || (kind == MESSAGE_HELLO && !is_hello(&message)))
		return trouble_set(trouble, TROUBLE_NETWORK,
				   "%s sent a message that makes no sense here", peer->name);
	*ret_message = message;
	return 0;
}

static int open_socket(const struct addrinfo *address, bool listens)
{
	cleanup_fd fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int on = 1;
	const int off = 0;
	int status;

	if (fd < 0)
		return -errno;
	if (!listens) {
		limit_waiting(fd, REMOTE_HELLO_PATIENCE_S); /* also limits connect(2) */
		status = connect(fd, address->ai_addr, address->ai_addrlen);
	} else {
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (address->ai_family == AF_INET6)
			(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
		status = bind(fd, address->ai_addr, address->ai_addrlen);
		if (status == 0)
			status = listen(fd, 1);
	}
	return status < 0 ? -errno : steal_fd(&fd);
}

static int open_host(const char *host, unsigned port, bool listens, struct trouble *trouble)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *addresses = NULL;
	char service[16];
	char what[300];
	int error;
	int fd = -EADDRNOTAVAIL;

	snprintf(service, sizeof(service), "%u", port);
	error = getaddrinfo(host, service, &hints, &addresses);
	if (error)
		return trouble_set(trouble, TROUBLE_NETWORK, "%s: %s", host, gai_strerror(error));
	for (struct addrinfo *a = addresses; a && fd < 0; a = a->ai_next)
		fd = open_socket(a, listens);
	freeaddrinfo(addresses);
	if (fd >= 0)
		return fd;
	snprintf(what, sizeof(what), "%s %.256s port", listens ? "cannot listen on" : "TCP to",
		 host);
	return network(trouble, -fd, what, service);
}

int remote_connect(const char *host, unsigned port, struct trouble *trouble)
{
	return open_host(host, port, false, trouble);
}

int remote_listen(const char *host, unsigned port, struct trouble *trouble)
{
	int fd = open_host(host ? host : "::", port, true, trouble);

	/* Kernels may boot with ipv6.disable=1. */
	return fd < 0 && !host ? open_host("0.0.0.0", port, true, trouble) : fd;
}

int remote_accept(int listener, struct remote_peer *ret_peer, struct trouble *trouble)
{
	static const char mapped[] = "::ffff:";
	struct sockaddr_storage address;
	socklen_t len;
	char *name = ret_peer->name;

	do { /* ignore connections that the peer aborted (accept(2)) */
		len = sizeof(address);
		ret_peer->fd = accept4(listener, (struct sockaddr *)&address, &len, SOCK_CLOEXEC);
	} while (ret_peer->fd < 0 && (errno == ECONNABORTED || errno == EINTR || errno == EPROTO));
	if (ret_peer->fd < 0)
		return network(trouble, errno, "accepting", "a peer");
	if (getnameinfo((struct sockaddr *)&address, len, name, sizeof(ret_peer->name), NULL, 0,
			NI_NUMERICHOST))
		snprintf(name, sizeof(ret_peer->name), "?");
	if (text_starts_with(name, mapped))
		memmove(name, name + strlen(mapped), strlen(name + strlen(mapped)) + 1);
	limit_waiting(ret_peer->fd, REMOTE_HELLO_PATIENCE_S);
	return 0;
}

int remote_hear(struct remote_peer *peer, struct trouble *trouble)
{
	struct message hello;

	if (remote_receive(peer, MESSAGE_HELLO, &hello, trouble) < 0)
		return -1;
	peer->left = hello.left;
	peer->address = hello.from;
	memcpy(peer->device, hello.text, sizeof(peer->device));
	limit_waiting(peer->fd, REMOTE_PATIENCE_S);
	return 0;
}

static int write_side(struct remote_peer *peer, struct endpoint *endpoint, size_t bytes,
		      uint64_t seed, struct transfer_result *ret_result, struct trouble *trouble)
{
	struct message message = {.kind = MESSAGE_RESULT};

	if (transfer_measure(endpoint, &peer->address, bytes, ret_result, trouble) < 0 ||
	    transfer_send(endpoint, &peer->address, bytes, seed, trouble) < 0)
		return -1;
	message.result = *ret_result;
	if (remote_send(peer, &message, trouble) < 0)
		return -1;
	return remote_receive(peer, MESSAGE_RIGHT, &message, trouble);
}

static int check_side(struct remote_peer *peer, struct endpoint *endpoint, size_t bytes,
		      uint64_t seed, struct transfer_result *ret_result, struct trouble *trouble)
{
	struct message message;

	if (remote_receive(peer, MESSAGE_RESULT, &message, trouble) < 0 ||
	    transfer_receive(endpoint, bytes, seed, trouble) < 0)
		return -1;
	*ret_result = message.result;
	ret_result->bytes = bytes; /* ignore the peer's own value */
	message = (struct message){.kind = MESSAGE_RIGHT};
	return remote_send(peer, &message, trouble);
}

static int transfer(struct remote_peer *peer, struct endpoint *endpoint, bool first, uint32_t left,
		    struct transfer_result *ret_out, struct transfer_result *ret_in,
		    struct trouble *trouble)
{
	struct message message = {.kind = MESSAGE_READY};
	struct message hello = {
		.kind = MESSAGE_HELLO, .left = left, .from = endpoint_address(endpoint)};
	size_t bytes;

	snprintf(hello.text, sizeof(hello.text), "%s", endpoint->device->name);
	if (remote_send(peer, &hello, trouble) < 0 || (first && remote_hear(peer, trouble) < 0))
		return -1;
	bytes = endpoint->bytes < peer->address.bytes ? endpoint->bytes : peer->address.bytes;
	if (endpoint_connect(endpoint, &peer->address, trouble) < 0 ||
	    transfer_expect(endpoint, trouble) < 0 || remote_send(peer, &message, trouble) < 0 ||
	    remote_receive(peer, MESSAGE_READY, &message, trouble) < 0)
		return -1;
	if (first)
		return write_side(peer, endpoint, bytes, 1, ret_out, trouble) < 0
			       ? -1
			       : check_side(peer, endpoint, bytes, 2, ret_in, trouble);
	return check_side(peer, endpoint, bytes, 1, ret_in, trouble) < 0
		       ? -1
		       : write_side(peer, endpoint, bytes, 2, ret_out, trouble);
}

int remote_transfer(struct remote_peer *peer, struct endpoint *endpoint, bool first, uint32_t left,
		    struct transfer_result *ret_out, struct transfer_result *ret_in,
		    struct trouble *trouble)
{
	if (transfer(peer, endpoint, first, left, ret_out, ret_in, trouble) == 0)
		return 0;
	if (trouble->kind != TROUBLE_PEER)
		remote_refuse(peer, trouble->text);
	return -1;
}

void remote_refuse(struct remote_peer *peer, const char *why)
{
	struct message message = {.kind = MESSAGE_ERROR};
	struct trouble ignored;

	snprintf(message.text, sizeof(message.text), "%s", why);
	(void)remote_send(peer, &message, &ignored);
}
