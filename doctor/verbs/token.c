/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/version.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
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

int token_check(struct exchange *exchange, const char *token, char ret_line[MESSAGE_MAX],
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
