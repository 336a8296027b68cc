/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers with a doctor in another pod: what both say, over which connection, and who may. */
#ifndef OCI_RDMA_VERBS_EXCHANGE_H
#define OCI_RDMA_VERBS_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doctor/verbs/transfer.h"

/* ---- messages (message.c) ---- */

/*
 * The lines that two doctors say to each other over TCP. Any pod may be at the other end: a line is
 * taken whole and in range, or not at all.
 *
 *   oci-rdma-doctor 1
 *   endpoint device=mlx5_6 link=Ethernet qpn=17 psn=4711 lid=0 mtu=5 gid=<32 hex> buffer=<hex>
 *            rkey=<hex> bytes=1048576
 *   result bytes=1048576 rate=12300000000 median=1620 p99=2010 writes=5000
 */

#define MESSAGE_MAX 512 /* bytes of a line, with its end */
#define MESSAGE_HELLO "oci-rdma-doctor 1"

struct message_endpoint {
	char device[64];
	struct endpoint_address address;
};

void message_write_endpoint(const struct message_endpoint *endpoint, char line[MESSAGE_MAX]);
void message_write_result(const struct transfer_result *result, char line[MESSAGE_MAX]);

/* -1: it is no such line */
int message_read_endpoint(const char *line, struct message_endpoint *ret_endpoint);
int message_read_result(const char *line, struct transfer_result *ret_result);

/* ---- the exchange (exchange.c) ---- */

/*
 * Lines over TCP, IPv4 and IPv6. Each wait has an end, and so has a whole exchange: a peer that
 * says nothing, or one byte a second, does not hold a server.
 */

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

/* ---- the token (session.c) ---- */

/*
 * HMAC-SHA-256 (RFC 2104, FIPS 180-4), by nettle: every distribution has it, it is small (38 KiB in
 * the doctor), and it is linked like the doctor's other libraries. The kernel's own (AF_ALG) is
 * refused in containers.
 */

#define HMAC_SIZE 32

void hmac(const void *key, size_t key_len, const void *bytes, size_t len,
	  uint8_t ret_digest[HMAC_SIZE]);

/*
 * A word that both doctors know, and strangers do not. It never goes over the network: each side
 * proves that it has it by an HMAC over two numbers that are used once, one of either side.
 *
 *   C challenge <hex of C's number>
 *   S proof <hex of S's number> <hex of HMAC(token, "S", C's, S's)>
 *   C proof <hex of HMAC(token, "C", C's, S's)>
 *
 * It keeps strangers out. It is no encryption of what follows.
 */

#define TOKEN_MAX 4096 /* bytes of a token */

/* The connecting side, behind its hello. token NULL: nothing is said. */
int token_ask(struct exchange *exchange, const char *token, struct trouble *trouble);

/* ---- a session (session.c) ---- */

/*
 * A transfer between two doctors: one side writes, the other checks what came, then the other way
 * round. What each says, W the writing side, after both have sent their MESSAGE_HELLO and endpoint:
 *
 *   ready            both, when its queue pair can receive
 *   W expect SEED    the other empties its buffer and posts a receive:  go
 *   W sent           the other waits for that, and compares:            right
 *   W result …       after the measurement and one more expect and sent
 *
 * In the place of any line: error TEXT.
 */

struct session {
	struct exchange *exchange;
	struct endpoint *endpoint; /* not connected yet */
	struct message_endpoint peer;
	size_t bytes; /* of a message: what both buffers hold */
};

/* The lines with which the connecting side begins, and those that it waits for. token: that both
 * have to know (see below), or NULL. */
int session_ask(struct session *session, const char *token, struct trouble *trouble);

/* The same of the listening side, which first hears who comes: only then it has an endpoint. */
int session_hear(struct exchange *exchange, const char *token, struct message_endpoint *ret_peer,
		 struct trouble *trouble);
int session_answer(struct session *session, struct trouble *trouble);

/*
 * Connects the queue pairs and runs both directions; first: this side writes first. *ret_out is
 * what this side measured, *ret_in what the other did. On failure the other side is told.
 */
int session_run(struct session *session, bool first, struct transfer_result *ret_out,
		struct transfer_result *ret_in, struct trouble *trouble);

/* ---- the server (server.c) ---- */

/*
 * The clients of a listening doctor. Anybody may come: one that says nothing, or something else, or
 * does not know the token, is refused and counts for nothing, and holds nobody up.
 */

#define SERVER_CONNECTIONS_MAX 64 /* that are open at once; more are refused */

struct server {
	const char *token; /* that they have to know; NULL: none */
	unsigned hello_ms; /* that a hello may take; 0: EXCHANGE_HELLO_MS */
	unsigned clients;  /* ends after so many; 0: when stopped */
	unsigned at_once;  /* are served side by side; the others wait. At least 1 */

	/* All are called from threads, also at the same time. beside: others are served meanwhile.
	 */
	void (*serve)(void *context, struct exchange *exchange, const struct message_endpoint *peer,
		      bool beside);
	void (*refused)(void *context, const char *peer, const char *why);
	void *context;
};

/* Takes what exchange_listen returned, until stop is readable; whom it serves then is served to the
 * end. Returns 0, or -1 if nobody can be accepted any more. */
int server_run(const struct server *server, int listener, int stop, struct trouble *trouble);

/* ---- the other node (remote.c) ---- */

/* Findings of transfers with another pod: this side asks (connect), or serves the one that asks
 * (listen). */

/* Both return -1 without memory only. */
int remote_connect(struct verbs_setup *setup);
int remote_listen(struct verbs_setup *setup);

#endif
