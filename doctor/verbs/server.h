/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clients of a listening doctor. Anybody may come: one that says nothing, or something else, or
 * does not know the token, is refused and counts for nothing, and holds nobody up.
 */
#ifndef OCI_RDMA_VERBS_SERVER_H
#define OCI_RDMA_VERBS_SERVER_H

#include <stdbool.h>

#include "doctor/verbs/exchange.h"

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

#endif
