/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "doctor/verbs/exchange.h"

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
