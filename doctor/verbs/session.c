/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/version.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/base/text.h"
#include "doctor/verbs/exchange.h"

/* ---- HMAC ---- */

_Static_assert(HMAC_SIZE == SHA256_DIGEST_SIZE, "nettle writes a whole digest");

void hmac(const void *key, size_t key_len, const void *bytes, size_t len,
	  uint8_t ret_digest[HMAC_SIZE])
{
	struct hmac_sha256_ctx context;

	hmac_sha256_set_key(&context, key_len, key);
	hmac_sha256_update(&context, len, bytes);
#if NETTLE_VERSION_MAJOR >= 4 /* has no length there */
	hmac_sha256_digest(&context, ret_digest);
#else
	hmac_sha256_digest(&context, HMAC_SIZE, ret_digest);
#endif
}

/* ---- the token ---- */

#define NUMBER_SIZE 16
#define CHALLENGE "challenge "
#define PROOF "proof "

#define NUMBER_HEX (2 * NUMBER_SIZE + 1)
#define PROOF_HEX (2 * HMAC_SIZE + 1)

static void to_hex(const uint8_t *bytes, size_t len, char *ret)
{
	for (size_t i = 0; i < len; i++)
		(void)snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
}

static int make_number(char ret[NUMBER_HEX], struct trouble *trouble)
{
	uint8_t bytes[NUMBER_SIZE];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return trouble_call(trouble, errno, "getrandom");
	to_hex(bytes, sizeof(bytes), ret);
	return 0;
}

static bool is_number(const char *text)
{
	return strlen(text) == NUMBER_HEX - 1 && strspn(text, "0123456789abcdef") == NUMBER_HEX - 1;
}

/* who: 'C' or 'S', or one side could answer with what the other has said; client, server: numbers
 * (is_number) */
static void prove(const char *token, char who, const char *client, const char *server,
		  char ret[PROOF_HEX])
{
	char text[2 * NUMBER_HEX + 2];
	uint8_t digest[HMAC_SIZE];
	int len = snprintf(text, sizeof(text), "%c%s%s", who, client, server);

	hmac(token, strlen(token), text, (size_t)len, digest);
	to_hex(digest, sizeof(digest), ret);
}

/* In a time that does not tell how much of it is right */
static bool is_same(const char *got, const char want[PROOF_HEX])
{
	return strlen(got) == PROOF_HEX - 1 && memeql_sec(got, want, PROOF_HEX - 1);
}

static int stranger(struct exchange *exchange, const char *why, struct trouble *trouble)
{
	struct trouble ignored;

	(void)exchange_send(exchange, &ignored, "error %s", why);
	return trouble_set(trouble, TROUBLE_NETWORK, "%s: %s", exchange->peer, why);
}

int token_ask(struct exchange *exchange, const char *token, struct trouble *trouble)
{
	char own[NUMBER_HEX];
	char want[PROOF_HEX];
	char line[MESSAGE_MAX];
	char *proof;

	if (!token)
		return 0;
	if (make_number(own, trouble) < 0 ||
	    exchange_send(exchange, trouble, CHALLENGE "%s", own) < 0 ||
	    exchange_receive(exchange, line, trouble) < 0)
		return -1;
	proof = text_starts_with(line, PROOF) ? strchr(line + strlen(PROOF), ' ') : NULL;
	if (!proof)
		return stranger(exchange, "it has no token", trouble);
	*proof++ = '\0';
	if (!is_number(line + strlen(PROOF)))
		return stranger(exchange, "its token is another", trouble);
	prove(token, 'S', own, line + strlen(PROOF), want);
	if (!is_same(proof, want))
		return stranger(exchange, "its token is another", trouble);
	prove(token, 'C', own, line + strlen(PROOF), want);
	return exchange_send(exchange, trouble, PROOF "%s", want);
}

/* line: its challenge */
static int check_proof(struct exchange *exchange, const char *token, char line[MESSAGE_MAX],
		       struct trouble *trouble)
{
	char client[NUMBER_HEX];
	char own[NUMBER_HEX];
	char proof[PROOF_HEX];

	(void)snprintf(client, sizeof(client), "%s", line + strlen(CHALLENGE));
	if (make_number(own, trouble) < 0)
		return -1;
	prove(token, 'S', client, own, proof);
	if (exchange_send(exchange, trouble, PROOF "%s %s", own, proof) < 0 ||
	    exchange_receive(exchange, line, trouble) < 0)
		return -1;
	prove(token, 'C', client, own, proof);
	if (!text_starts_with(line, PROOF) || !is_same(line + strlen(PROOF), proof))
		return stranger(exchange, "its token is another", trouble);
	return exchange_receive(exchange, line, trouble);
}

/*
 * The listening side. Takes the next line, which a peer without a token begins with: then it is
 * left in ret_line. -1 if the peer has not the token that we have, or has one where we have none.
 */
static int token_check(struct exchange *exchange, const char *token, char ret_line[MESSAGE_MAX],
		       struct trouble *trouble)
{
	bool asked;

	if (exchange_receive(exchange, ret_line, trouble) < 0)
		return -1;
	asked = text_starts_with(ret_line, CHALLENGE) && is_number(ret_line + strlen(CHALLENGE));
	if (token && !asked)
		return stranger(exchange, "a token is needed: --token-file", trouble);
	if (!token)
		return asked ? stranger(exchange, "it has a token, and the listening side has none",
					trouble)
			     : 0;
	return check_proof(exchange, token, ret_line, trouble);
}

/* ---- the session ---- */

#define EXPECT "expect "

static int say_endpoint(struct session *session, struct trouble *trouble)
{
	struct message_endpoint own = {.address = endpoint_address(session->endpoint)};
	char line[MESSAGE_MAX];

	memcpy(own.device, session->endpoint->device->name, sizeof(own.device));
	message_write_endpoint(&own, line);
	return exchange_send(session->exchange, trouble, "%s", line);
}

static int read_endpoint(const struct exchange *exchange, const char *line,
			 struct message_endpoint *ret_peer, struct trouble *trouble)
{
	if (message_read_endpoint(line, ret_peer) < 0)
		return trouble_set(trouble, TROUBLE_NETWORK, "%s sent no endpoint: \"%.100s\"",
				   exchange->peer, line);
	return 0;
}

int session_ask(struct session *session, const char *token, struct trouble *trouble)
{
	struct exchange *exchange = session->exchange;
	char line[MESSAGE_MAX];

	if (exchange_send(exchange, trouble, MESSAGE_HELLO) < 0 ||
	    token_ask(exchange, token, trouble) < 0 || say_endpoint(session, trouble) < 0 ||
	    exchange_expect(exchange, MESSAGE_HELLO, trouble) < 0 ||
	    exchange_receive(exchange, line, trouble) < 0)
		return -1;
	return read_endpoint(exchange, line, &session->peer, trouble);
}

int session_hear(struct exchange *exchange, const char *token, struct message_endpoint *ret_peer,
		 struct trouble *trouble)
{
	char line[MESSAGE_MAX];

	if (exchange_expect(exchange, MESSAGE_HELLO, trouble) < 0 ||
	    token_check(exchange, token, line, trouble) < 0)
		return -1;
	return read_endpoint(exchange, line, ret_peer, trouble);
}

int session_answer(struct session *session, struct trouble *trouble)
{
	if (exchange_send(session->exchange, trouble, MESSAGE_HELLO) < 0)
		return -1;
	return say_endpoint(session, trouble);
}

static int write_verified(struct session *session, unsigned seed, struct trouble *trouble)
{
	struct exchange *exchange = session->exchange;

	if (exchange_send(exchange, trouble, EXPECT "%u", seed) < 0 ||
	    exchange_expect(exchange, "go", trouble) < 0 ||
	    transfer_send(session->endpoint, &session->peer.address, session->bytes, seed,
			  trouble) < 0 ||
	    exchange_send(exchange, trouble, "sent") < 0)
		return -1;
	return exchange_expect(exchange, "right", trouble);
}

static int write_side(struct session *session, struct transfer_result *ret_result,
		      struct trouble *trouble)
{
	char line[MESSAGE_MAX];

	if (write_verified(session, 1, trouble) < 0 ||
	    transfer_measure(session->endpoint, &session->peer.address, session->bytes, ret_result,
			     trouble) < 0 ||
	    write_verified(session, 2, trouble) < 0)
		return -1;
	message_write_result(ret_result, line);
	return exchange_send(session->exchange, trouble, "%s", line);
}

/* "expect SEED" -> SEED. Returns false for any other line. */
static bool read_expect(const char *line, unsigned long *ret_seed)
{
	char *end;

	if (!text_starts_with(line, EXPECT))
		return false;
	line += strlen(EXPECT);
	errno = 0;
	*ret_seed = strtoul(line, &end, 10);
	return *line >= '0' && *line <= '9' && !*end && !errno;
}

static int check_verified(struct session *session, unsigned long seed, struct trouble *trouble)
{
	struct exchange *exchange = session->exchange;

	if (transfer_expect(session->endpoint, trouble) < 0 ||
	    exchange_send(exchange, trouble, "go") < 0 ||
	    exchange_expect(exchange, "sent", trouble) < 0 ||
	    transfer_receive(session->endpoint, session->bytes, seed, trouble) < 0)
		return -1;
	return exchange_send(exchange, trouble, "right");
}

static int check_side(struct session *session, struct transfer_result *ret_result,
		      struct trouble *trouble)
{
	struct exchange *exchange = session->exchange;
	unsigned verified = 0;

	for (;;) {
		char line[MESSAGE_MAX];
		unsigned long seed;

		if (exchange_receive(exchange, line, trouble) < 0)
			return -1;
		if (read_expect(line, &seed)) {
			if (check_verified(session, seed, trouble) < 0)
				return -1;
			verified++;
		} else if (verified && message_read_result(line, ret_result) == 0) {
			return 0;
		} else {
			return trouble_set(trouble, TROUBLE_NETWORK,
					   "%s says \"%.80s\" out of turn", exchange->peer, line);
		}
	}
}

static int run(struct session *session, bool first, struct transfer_result *ret_out,
	       struct transfer_result *ret_in, struct trouble *trouble)
{
	if (endpoint_connect(session->endpoint, &session->peer.address, trouble) < 0 ||
	    exchange_send(session->exchange, trouble, "ready") < 0 ||
	    exchange_expect(session->exchange, "ready", trouble) < 0)
		return -1;
	if (first)
		return write_side(session, ret_out, trouble) < 0
			       ? -1
			       : check_side(session, ret_in, trouble);
	return check_side(session, ret_in, trouble) < 0 ? -1
							: write_side(session, ret_out, trouble);
}

int session_run(struct session *session, bool first, struct transfer_result *ret_out,
		struct transfer_result *ret_in, struct trouble *trouble)
{
	struct trouble ignored;
	size_t own = session->endpoint->bytes;
	size_t other = session->peer.address.bytes;

	session->bytes = own < other ? own : other;
	if (run(session, first, ret_out, ret_in, trouble) == 0)
		return 0;
	/* So that the other side need not wait for the end of its patience, and can say why */
	if (trouble->kind != TROUBLE_PEER)
		(void)exchange_send(session->exchange, &ignored, "error %s", trouble->text);
	return -1;
}
