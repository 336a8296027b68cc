/* SPDX-License-Identifier: Apache-2.0 */
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
#ifndef OCI_RDMA_VERBS_SESSION_H
#define OCI_RDMA_VERBS_SESSION_H

#include "doctor/verbs/endpoint.h"
#include "doctor/verbs/exchange.h"
#include "doctor/verbs/transfer.h"

struct session {
	struct exchange *exchange;
	struct endpoint *endpoint; /* not connected yet */
	struct message_endpoint peer;
	size_t bytes; /* of a message: what both buffers hold */
};

/* The lines with which the connecting side begins, and those that it waits for. token: that both
 * have to know (token.h), or NULL. */
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

#endif
