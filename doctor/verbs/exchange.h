/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines over TCP, IPv4 and IPv6. Each wait has an end, and so has a whole exchange: a peer that
 * says nothing, or one byte a second, does not hold a server.
 */
#ifndef OCI_RDMA_VERBS_EXCHANGE_H
#define OCI_RDMA_VERBS_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "doctor/verbs/message.h"
#include "doctor/verbs/trouble.h"

#define EXCHANGE_CONNECT_MS 5000
#define EXCHANGE_HELLO_MS 5000 /* from accepting to the end of its hello */
#define EXCHANGE_LINE_MS 20000 /* more than any step of a transfer takes (transfer.c) */
#define EXCHANGE_SESSION_MS 120000

struct exchange {
	int fd;
	char peer[64];     /* its address */
	uint64_t deadline; /* in milliseconds of CLOCK_MONOTONIC */
	uint64_t patience; /* milliseconds for one line; 0: as long as the deadline lets */
	char bytes[MESSAGE_MAX];
	size_t len; /* of what has come behind the last line */
};

/* An exchange over a connected socket, which it then owns; peer is cut to fit. */
struct exchange exchange_over(int fd, const char *peer);
void exchange_close(struct exchange *exchange);

/* From now on so many milliseconds for all that is still to be said */
void exchange_limit(struct exchange *exchange, uint64_t milliseconds);

#define cleanup_exchange __attribute__((cleanup(exchange_close))) struct exchange

/* host: a name or an address of either family; every address of a name is tried. */
int exchange_connect(const char *host, unsigned port, struct exchange *ret_exchange,
		     struct trouble *trouble);

/* Returns a listening socket, or -1. host: a name or an address; NULL: all addresses of this
 * network namespace. */
int exchange_listen(const char *host, unsigned port, struct trouble *trouble);

/* Waits for a peer, or until stop (a descriptor, or -1) is readable. Returns 1, 0 if stopped, -1.
 */
int exchange_accept(int listener, int stop, struct exchange *ret_exchange, struct trouble *trouble);

/* One line; it gets its end here. */
int exchange_send(struct exchange *exchange, struct trouble *trouble, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * One line, without its end. "error TEXT" from the peer is TROUBLE_PEER with that text; an end,
 * a line that is too long or has control characters, and silence are TROUBLE_NETWORK.
 */
int exchange_receive(struct exchange *exchange, char line[MESSAGE_MAX], struct trouble *trouble);

/* The same for a line that must be this one. */
int exchange_expect(struct exchange *exchange, const char *want, struct trouble *trouble);

#endif
