/* SPDX-License-Identifier: Apache-2.0 */
/* Who comes to a listening doctor: who has the token, who says nothing, and who is served. */
#include "tests/unit/unit.h"

#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include "doctor/verbs/exchange.h"

#define ENDPOINT                                                                                   \
	"endpoint device=mlx5_6 link=Ethernet qpn=17 psn=4711 lid=0 mtu=5 "                        \
	"gid=00000000000000000000ffff0a006707 buffer=7f0000001000 rkey=1ab bytes=1048576"

static void to_hex(const uint8_t digest[HMAC_SIZE], char ret[2 * HMAC_SIZE + 1])
{
	for (size_t i = 0; i < HMAC_SIZE; i++)
		(void)snprintf(ret + 2 * i, 3, "%02x", digest[i]);
}

/* RFC 4231, 4.3; and by Python's hmac */
UNIT_TEST("HMAC-SHA-256: of a key and a text, and of none")
{
	uint8_t digest[HMAC_SIZE];
	char got[2 * HMAC_SIZE + 1];

	hmac("Jefe", 4, "what do ya want for nothing?", 28, digest);
	to_hex(digest, got);
	assert_string_equal(got,
			    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	hmac("", 0, "", 0, digest);
	to_hex(digest, got);
	assert_string_equal(got,
			    "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

/* ---- a server, and who comes ---- */

struct seen {
	struct server server;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int listener;
	int stop[2];
	unsigned port;
	int status;
	unsigned together; /* served at once, before one of them ends */
	unsigned served;
	unsigned beside;
	unsigned active;
	unsigned refused;
	char why[320]; /* of the last one that was refused */
};

/* Waits until so many are served at once, says so, and waits for an answer. */
static void serve(void *context, struct exchange *exchange, const struct message_endpoint *peer,
		  bool beside)
{
	struct seen *seen = context;
	struct trouble trouble;

	(void)pthread_mutex_lock(&seen->lock);
	seen->beside += beside;
	seen->active++;
	(void)pthread_cond_broadcast(&seen->changed);
	while (seen->active < seen->together)
		(void)pthread_cond_wait(&seen->changed, &seen->lock);
	(void)pthread_mutex_unlock(&seen->lock);
	if (exchange_send(exchange, &trouble, "served %s", peer->device) == 0 &&
	    exchange_expect(exchange, "bye", &trouble) == 0) {
		(void)pthread_mutex_lock(&seen->lock);
		seen->served++;
		(void)pthread_mutex_unlock(&seen->lock);
	}
}

static void refused(void *context, const char *peer, const char *why)
{
	struct seen *seen = context;

	(void)peer;
	(void)pthread_mutex_lock(&seen->lock);
	seen->refused++;
	(void)snprintf(seen->why, sizeof(seen->why), "%s", why);
	(void)pthread_cond_broadcast(&seen->changed);
	(void)pthread_mutex_unlock(&seen->lock);
}

static void *run(void *context)
{
	struct seen *seen = context;
	struct trouble trouble;

	seen->status = server_run(&seen->server, seen->listener, seen->stop[0], &trouble);
	return NULL;
}

/* However busy the machine is, nobody is late, unless the server shall have its own limit. */
#define OWN_LIMIT 1
static void begin(struct seen *seen, struct server server)
{
	struct sockaddr_in address;
	socklen_t len = sizeof(address);
	struct trouble trouble;

	server.serve = serve;
	server.refused = refused;
	server.context = seen;
	server.hello_ms = server.hello_ms == OWN_LIMIT ? 0 : UNIT_PATIENCE * 1000U;
	*seen = (struct seen){.lock = PTHREAD_MUTEX_INITIALIZER,
			      .changed = PTHREAD_COND_INITIALIZER,
			      .together = 1,
			      .server = server};
	(void)alarm(UNIT_PATIENCE);
	/* Port 0: any that is free */
	seen->listener = exchange_listen("127.0.0.1", 0, &trouble);
	assert_true(seen->listener >= 0);
	assert_int_equal(getsockname(seen->listener, (struct sockaddr *)&address, &len), 0);
	assert_int_equal(address.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	seen->port = ntohs(address.sin_port);
	assert_int_equal(pipe(seen->stop), 0);
	assert_int_equal(pthread_create(&seen->thread, NULL, run, seen), 0);
}

static void end(struct seen *seen, bool stopped, unsigned served, unsigned n_refused)
{
	if (stopped)
		assert_int_equal(write(seen->stop[1], "x", 1), 1);
	assert_int_equal(pthread_join(seen->thread, NULL), 0);
	(void)alarm(0);
	(void)close(seen->listener);
	(void)close(seen->stop[0]);
	(void)close(seen->stop[1]);
	assert_int_equal(seen->status, 0);
	assert_int_equal(seen->served, served);
	assert_int_equal(seen->refused, n_refused);
}

static struct exchange come(const struct seen *seen)
{
	struct exchange exchange = {.fd = -1};
	struct trouble trouble;

	assert_int_equal(exchange_connect("127.0.0.1", seen->port, &exchange, &trouble), 0);
	return exchange;
}

/* As session_ask does, which wants an endpoint of a device */
static int say_hello(struct exchange *exchange, const char *token, struct trouble *trouble)
{
	if (exchange_send(exchange, trouble, MESSAGE_HELLO) < 0 ||
	    token_ask(exchange, token, trouble) < 0)
		return -1;
	return exchange_send(exchange, trouble, ENDPOINT);
}

static int be_served(struct exchange *exchange, struct trouble *trouble)
{
	if (exchange_expect(exchange, "served mlx5_6", trouble) < 0)
		return -1;
	return exchange_send(exchange, trouble, "bye");
}

static int come_and_go(const struct seen *seen, const char *token, struct trouble *trouble)
{
	struct exchange exchange = come(seen);
	int status = say_hello(&exchange, token, trouble) < 0 ? -1 : be_served(&exchange, trouble);

	exchange_close(&exchange);
	return status;
}

static void say(struct exchange *exchange, const char *line, const char *value)
{
	struct trouble trouble;

	assert_int_equal(exchange_send(exchange, &trouble, "%s%s", line, value), 0);
}

#define WITH_SEEN                                                                                  \
	struct seen seen;                                                                          \
	UNUSED struct exchange exchange;                                                           \
	UNUSED struct trouble trouble

static const struct token_case {
	const char *name, *server, *client;
	const char *why; /* of the client; NULL: it is served */
} token_cases[] = {
	{"token: none on both sides", NULL, NULL, NULL},
	{"token: the same on both sides", "a secret", "a secret", NULL},
	{"token: another one", "a secret", "a Secret", "its token is another"},
	{"token: none where one is needed", "a secret", NULL, "a token is needed"},
	{"token: one where none is", NULL, "a secret", "the listening side has none"},
};

UNIT_ROWS(token_cases)
{
	WITH_SEEN;
	int status;

	begin(&seen, (struct server){.token = row->server, .at_once = 4});
	status = come_and_go(&seen, row->client, &trouble);
	end(&seen, true, !row->why, row->why != NULL);
	assert_int_equal(status, row->why ? -1 : 0);
	if (row->why)
		assert_has(trouble.text, row->why);
}

/* What a listening side answers that is no doctor; AddressSanitizer sees what is read behind it. */
static const struct answer_case {
	const char *name;
	int digits;
} answer_cases[] = {
	{"token: the server's number is one digit short", 31},
	{"token: the server's number is right, its proof is not", 32},
	{"token: the server's number is one digit too long", 33},
	{"token: the server's number fills the line", 420},
};

UNIT_ROWS(answer_cases)
{
	char zeros[MESSAGE_MAX];
	int ends[2];
	struct exchange exchange;
	struct trouble trouble;

	memset(zeros, '0', sizeof(zeros));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	exchange = exchange_over(ends[0], "peer");
	assert_true(dprintf(ends[1], "proof %.*s %064d\n", row->digits, zeros, 0) > 0);
	assert_int_equal(token_ask(&exchange, "a secret", &trouble), -1);
	assert_has(trouble.text, "its token is another");
	exchange_close(&exchange);
	(void)close(ends[1]);
}

/* The proof as exchange.h describes it, made here a second time */
static void make_proof(char who, const char *client, const char *server,
		       char ret[2 * HMAC_SIZE + 1])
{
	char text[80];
	uint8_t digest[HMAC_SIZE];
	int len = snprintf(text, sizeof(text), "%c%s%s", who, client, server);

	assert_int_equal(len, 65);
	hmac("a secret", strlen("a secret"), text, (size_t)len, digest);
	to_hex(digest, ret);
}

#define CHALLENGE "00112233445566778899aabbccddeeff"

/* What the server says to it: "proof NUMBER PROOF" */
static struct exchange challenge(struct seen *seen, char line[MESSAGE_MAX])
{
	struct exchange exchange;
	struct trouble trouble;

	begin(seen, (struct server){.token = "a secret", .at_once = 4});
	exchange = come(seen);
	say(&exchange, MESSAGE_HELLO, "");
	say(&exchange, "challenge ", CHALLENGE);
	assert_int_equal(exchange_receive(&exchange, line, &trouble), 0);
	return exchange;
}

/* Doctors of two versions talk to each other, so both sides must not change together. */
UNIT_TEST("token: both proofs are what the protocol says")
{
	WITH_SEEN;
	char line[MESSAGE_MAX];
	char proof[2 * HMAC_SIZE + 1];
	char *space;

	exchange = challenge(&seen, line);
	space = strrchr(line, ' ');
	*space = '\0';
	make_proof('S', CHALLENGE, line + strlen("proof "), proof);
	assert_string_equal(space + 1, proof);
	make_proof('C', CHALLENGE, line + strlen("proof "), proof);
	say(&exchange, "proof ", proof);
	say(&exchange, ENDPOINT, "");
	assert_int_equal(be_served(&exchange, &trouble), 0);
	exchange_close(&exchange);
	end(&seen, true, 1, 0);
}

/* What somebody says who has no token, but has seen what one with a token said */
UNIT_TEST("token: the server's proof is none of a client")
{
	WITH_SEEN;
	char line[MESSAGE_MAX];

	exchange = challenge(&seen, line);
	say(&exchange, "proof ", strrchr(line, ' ') + 1);
	assert_int_equal(exchange_receive(&exchange, line, &trouble), -1);
	assert_has(trouble.text, "its token is another");
	exchange_close(&exchange);
	end(&seen, true, 0, 1);
}

#define SILENT 40

UNIT_TEST("server: who says nothing, or something else, holds nobody up")
{
	WITH_SEEN;
	struct exchange silent[SILENT], scanner;

	begin(&seen, (struct server){.at_once = 1});
	for (size_t i = 0; i < SILENT; i++)
		silent[i] = come(&seen);
	scanner = come(&seen);
	say(&scanner, "GET / HTTP/1.0", "");
	assert_int_equal(come_and_go(&seen, NULL, &trouble), 0);
	assert_int_equal(come_and_go(&seen, NULL, &trouble), 0);
	for (size_t i = 0; i < SILENT; i++)
		exchange_close(&silent[i]);
	exchange_close(&scanner);
	end(&seen, true, 2, SILENT + 1);
}

/* Of a client that says nothing more, however long it stays */
UNIT_TEST("server: a hello has an end")
{
	WITH_SEEN;

	begin(&seen, (struct server){.at_once = 1, .hello_ms = OWN_LIMIT});
	exchange = come(&seen);
	say(&exchange, MESSAGE_HELLO, "");
	(void)pthread_mutex_lock(&seen.lock);
	while (!seen.refused)
		(void)pthread_cond_wait(&seen.changed, &seen.lock);
	(void)pthread_mutex_unlock(&seen.lock);
	assert_has(seen.why, "timed out");
	exchange_close(&exchange);
	end(&seen, true, 0, 1);
}

UNIT_TEST("server: two are served side by side")
{
	WITH_SEEN;
	struct exchange a, b;

	begin(&seen, (struct server){.at_once = 2});
	seen.together = 2;
	a = come(&seen);
	b = come(&seen);
	assert_int_equal(say_hello(&a, NULL, &trouble), 0);
	assert_int_equal(say_hello(&b, NULL, &trouble), 0);
	/* b's first: each is served while the other is. */
	assert_int_equal(be_served(&b, &trouble), 0);
	assert_int_equal(be_served(&a, &trouble), 0);
	exchange_close(&a);
	exchange_close(&b);
	end(&seen, true, 2, 0);
	assert_int_equal(seen.beside, 1);
}

UNIT_TEST("server: ends after so many, strangers not counted")
{
	WITH_SEEN;

	begin(&seen, (struct server){.clients = 2, .at_once = 4});
	exchange = come(&seen);
	exchange_close(&exchange);
	assert_int_equal(come_and_go(&seen, NULL, &trouble), 0);
	assert_int_equal(come_and_go(&seen, NULL, &trouble), 0);
	end(&seen, false, 2, 1);
}

UNIT_TEST("server: too many at once are refused")
{
	WITH_SEEN;
	struct exchange some[SERVER_CONNECTIONS_MAX + 1];
	char line[MESSAGE_MAX];

	begin(&seen, (struct server){.at_once = 1});
	for (size_t i = 0; i < LENGTH(some); i++)
		some[i] = come(&seen);
	assert_int_equal(exchange_receive(&some[LENGTH(some) - 1], line, &trouble), -1);
	assert_has(trouble.text, "too many others");
	for (size_t i = 0; i < LENGTH(some); i++)
		exchange_close(&some[i]);
	end(&seen, true, 0, LENGTH(some));
}

int main(void)
{
	return unit_main("server");
}
