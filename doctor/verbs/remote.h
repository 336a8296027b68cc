/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transfer with another pod's doctor, one connection per device. TCP messages:
 *
 *   hello    endpoint, devices left; the connecting side first
 *   ready    my queue pair can receive
 *   result   my measurement; check what I wrote
 *   right    your data is right
 *   error    instead of any other
 *
 * The connecting side writes first. Peers are untrusted; REMOTE_PATIENCE_S limits each wait.
 */
#pragma once

#include <stdint.h>

#include "doctor/verbs/transfer.h"

#define REMOTE_PORT 18516         /* not assigned by IANA, next to ib_write_bw's */
#define REMOTE_PATIENCE_S 20      /* longer than any transfer step (transfer.h) */
#define REMOTE_HELLO_PATIENCE_S 5 /* how long a stranger can block the listener */

enum message_kind {
	MESSAGE_HELLO = 1,
	MESSAGE_READY,
	MESSAGE_RESULT,
	MESSAGE_RIGHT,
	MESSAGE_ERROR,
};

/* No padding; sent in network byte order */
struct message {
	char magic[16];
	uint32_t kind;
	uint32_t left;
	struct endpoint_address from;
	struct transfer_result result;
	char text[256]; /* hello: device name; error: why */
};

struct remote_peer {
	int fd;
	char name[64];   /* its address */
	char device[64]; /* from its hello; "" before */
	uint32_t left;
	struct endpoint_address address;
};

/* Functions that return -1 set *trouble. *message is converted in place, *ret_message validated. */
int remote_send(struct remote_peer *peer, struct message *message, struct trouble *trouble);
int remote_receive(struct remote_peer *peer, enum message_kind kind, struct message *ret_message,
		   struct trouble *trouble);

/* Sends the reason, so that the peer need not time out. */
void remote_refuse(struct remote_peer *peer, const char *why);

int remote_hear(struct remote_peer *peer, struct trouble *trouble);

/* Returns a connected or listening socket. host NULL: all addresses */
int remote_connect(const char *host, unsigned port, struct trouble *trouble);
int remote_listen(const char *host, unsigned port, struct trouble *trouble);

/* Waits for a peer; sets its fd and name. */
int remote_accept(int listener, struct remote_peer *ret_peer, struct trouble *trouble);

/* first: we connect. Failures go to the peer. *ret_out: our measurement, *ret_in: the peer's. */
int remote_transfer(struct remote_peer *peer, struct endpoint *endpoint, bool first, uint32_t left,
		    struct transfer_result *ret_out, struct transfer_result *ret_in,
		    struct trouble *trouble);
