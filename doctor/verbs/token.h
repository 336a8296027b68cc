/* SPDX-License-Identifier: Apache-2.0 */
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
#ifndef OCI_RDMA_VERBS_TOKEN_H
#define OCI_RDMA_VERBS_TOKEN_H

#include "doctor/verbs/exchange.h"

#define TOKEN_MAX 4096 /* bytes of a token */

/* The connecting side, behind its hello. token NULL: nothing is said. */
int token_ask(struct exchange *exchange, const char *token, struct trouble *trouble);

/*
 * The listening side. Takes the next line, which a peer without a token begins with: then it is
 * left in ret_line. -1 if the peer has not the token that we have, or has one where we have none.
 */
int token_check(struct exchange *exchange, const char *token, char ret_line[MESSAGE_MAX],
		struct trouble *trouble);

#endif
