/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transfer with a doctor in another pod. One side listens, the other connects: once for each of
 * its devices, until it has none left. Both say the same over TCP, in messages of one size:
 *
 *   hello    the endpoint, and how many devices are left; the connecting side first
 *   ready    my queue pair can receive
 *   result   what I measured, and: look at what I have written
 *   right    it is what you sent
 *   error    in the place of any other
 *
 * The connecting side writes first, then the other. Any pod may be at the other end: a message is
 * taken whole and in range, or not at all, and none is waited for longer than REMOTE_PATIENCE_S.
 */
#pragma once

#include <stdint.h>

#include "doctor/verbs/transfer.h"

#define REMOTE_PORT 18516         /* TCP; nobody's by IANA, next to what ib_write_bw takes */
#define REMOTE_PATIENCE_S 20      /* more than any step of a transfer takes (transfer.h) */
#define REMOTE_HELLO_PATIENCE_S 5 /* strangers hold the listening side no longer */

enum message_kind {
	MESSAGE_HELLO = 1,
	MESSAGE_READY,
	MESSAGE_RESULT,
	MESSAGE_RIGHT,
	MESSAGE_ERROR,
};

/* Without padding, numbers in network byte order on the way */
struct message {
	char magic[16];
	uint32_t kind;
	uint32_t left;
	struct endpoint_address from;
	struct transfer_result result;
	char text[256]; /* hello: the device's name; error: why */
};

struct remote_peer {
	int fd;
	char name[64];   /* its address */
	char device[64]; /* by its hello; "" before */
	uint32_t left;
	struct endpoint_address address;
};

/* -1: *trouble says why. *message is turned to network byte order; *ret_message is checked. */
int remote_send(struct remote_peer *peer, struct message *message, struct trouble *trouble);
int remote_receive(struct remote_peer *peer, enum message_kind kind, struct message *ret_message,
		   struct trouble *trouble);

/* Tells it why there is no transfer, so that it need not wait for the end of its patience. */
void remote_refuse(struct remote_peer *peer, const char *why);

/* Takes peer's hello. */
int remote_hear(struct remote_peer *peer, struct trouble *trouble);

/* Returns a connected or listening socket, or -1. host NULL: all addresses of this network
 * namespace, to listen on. */
int remote_connect(const char *host, unsigned port, struct trouble *trouble);
int remote_listen(const char *host, unsigned port, struct trouble *trouble);

/* Waits for a peer. Returns 0 with peer->fd and peer->name, or -1. */
int remote_accept(int listener, struct remote_peer *ret_peer, struct trouble *trouble);

/* The whole transfer; first: this side connects. On failure the peer is told. *ret_out is what this
 * side measured, *ret_in what the other did. */
int remote_transfer(struct remote_peer *peer, struct endpoint *endpoint, bool first, uint32_t left,
		    struct transfer_result *ret_out, struct transfer_result *ret_in,
		    struct trouble *trouble);
