/* SPDX-License-Identifier: Apache-2.0 */
/* The lines between two doctors, and what anybody else may send in their place. */
#include "tests/unit/unit.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "core/base/clock.h"
#include "doctor/verbs/exchange.h"

#define GID "00000000000000000000ffff0a006707"
#define GOOD                                                                                       \
	"endpoint device=mlx5_6 link=Ethernet qpn=17 psn=4711 lid=0 mtu=5 gid=" GID                \
	" buffer=7f0000001000 rkey=1ab bytes=1048576"

UNIT_TEST("message: an endpoint, there and back")
{
	struct message_endpoint got;
	char line[MESSAGE_MAX];

	assert_int_equal(message_read_endpoint(GOOD, &got), 0);
	assert_string_equal(got.device, "mlx5_6");
	assert_false(got.address.infiniband);
	assert_int_equal(got.address.qpn, 17);
	assert_int_equal(got.address.psn, 4711);
	assert_int_equal(got.address.mtu, IBV_MTU_4096);
	assert_int_equal(got.address.gid.raw[15], 7);
	assert_int_equal(got.address.gid.raw[11], 0xff);
	assert_true(got.address.buffer == 0x7f0000001000);
	assert_int_equal(got.address.rkey, 0x1ab);
	assert_int_equal(got.address.bytes, 1048576);
	message_write_endpoint(&got, line);
	assert_string_equal(line, GOOD);
}

UNIT_TEST("message: the longest endpoint fits")
{
	struct message_endpoint longest = {.address = {.lid = UINT16_MAX, .infiniband = true}};
	struct endpoint_address *address = &longest.address;
	struct message_endpoint got;
	char line[MESSAGE_MAX];

	address->qpn = address->psn = 0xffffff;
	address->mtu = IBV_MTU_4096;
	address->buffer = UINT64_MAX;
	address->rkey = UINT32_MAX;
	address->bytes = 1UL << 30;
	memset(longest.device, 'a', sizeof(longest.device) - 1);
	memset(longest.address.gid.raw, 0xff, sizeof(longest.address.gid.raw));
	message_write_endpoint(&longest, line);
	assert_int_equal(message_read_endpoint(line, &got), 0);
	assert_memory_equal(&got.address.gid, &longest.address.gid, sizeof(got.address.gid));
	assert_true(got.address.buffer == UINT64_MAX && got.address.bytes == 1UL << 30);
	assert_true(got.address.infiniband);
}

/* A line that is GOOD, but for one member */
static const struct bad_case {
	const char *name, *from, *to;
} bad_cases[] = {
	{"message: another word first", "endpoint", "endpoints"},
	{"message: nothing", GOOD, ""},
	{"message: a comma between members", "lid=0 ", "lid=0,"},
	{"message: a member missing", " qpn=17", ""},
	{"message: members in another order", "qpn=17 psn=4711", "psn=4711 qpn=17"},
	{"message: a member too many", "bytes=1048576", "bytes=1048576 more=1"},
	{"message: two spaces", "qpn=17 ", "qpn=17  "},
	{"message: no number", "qpn=17", "qpn="},
	{"message: a 0x", "rkey=1ab", "rkey=0x1ab"},
	{"message: qpn beyond 24 bits", "qpn=17", "qpn=16777216"},
	{"message: psn beyond 24 bits", "psn=4711", "psn=16777216"},
	{"message: lid beyond 16 bits", "lid=0", "lid=65536"},
	{"message: mtu of 0", "mtu=5", "mtu=0"},
	{"message: mtu of 6", "mtu=5", "mtu=6"},
	{"message: buffer beyond 64 bits", "buffer=7f0000001000", "buffer=17f000000100000000"},
	{"message: rkey beyond 32 bits", "rkey=1ab", "rkey=100000000"},
	{"message: no bytes", "bytes=1048576", "bytes=0"},
	{"message: more than 1 GiB", "bytes=1048576", "bytes=1073741825"},
	{"message: a GID too short", GID, "00000000000000000000ffff0a00670"},
	{"message: a GID too long", GID, GID "0"},
	{"message: a GID that is no hex", GID, "0000000000000000000gffff0a006707"},
	{"message: a link layer of no kind", "link=Ethernet", "link=Token"},
	{"message: a device name with a slash", "device=mlx5_6", "device=../../x"},
	{"message: a device name too long", "device=mlx5_6",
	 "device=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
};

UNIT_ROWS(bad_cases)
{
	const char *at = strstr(GOOD, row->from);
	struct message_endpoint got = {.device = "before"};
	char line[2 * MESSAGE_MAX];

	assert_non_null(at);
	(void)snprintf(line, sizeof(line), "%.*s%s%s", (int)(at - GOOD), GOOD, row->to,
		       at + strlen(row->from));
	assert_int_equal(message_read_endpoint(line, &got), -1);
	assert_string_equal(got.device, "before");
}

UNIT_TEST("message: a result, there and back")
{
	const struct transfer_result result = {1048576, 48.7e9, 1620, 2010, 5000};
	struct transfer_result got;
	char line[MESSAGE_MAX];

	message_write_result(&result, line);
	assert_int_equal(message_read_result(line, &got), 0);
	assert_true(got.bytes_per_second == 48.7e9 && got.median_ns == 1620 && got.p99_ns == 2010);
	assert_int_equal(message_read_result("result", &got), -1);
	assert_int_equal(
		message_read_result("result bytes=1 rate=nan median=1 p99=1 writes=1", &got), -1);
}

/* ---- what comes over the socket ---- */

struct pair {
	struct exchange exchange;
	int peer;
};

static struct pair make_pair(void)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	return (struct pair){.exchange = exchange_over(ends[0], "peer"), .peer = ends[1]};
}

static void end_pair(struct pair *pair)
{
	exchange_close(&pair->exchange);
	(void)close(pair->peer);
}

#define WITH_PAIR                                                                                  \
	__attribute__((cleanup(end_pair))) struct pair pair = make_pair();                         \
	UNUSED char line[MESSAGE_MAX];                                                             \
	struct trouble trouble

static void send_all(int fd, const char *bytes, size_t len)
{
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
}

static const struct stream_case {
	const char *name, *bytes;
	size_t len;
	enum trouble_kind kind; /* of the second line's trouble */
	const char *text;
} stream_cases[] = {
#define STREAM(bytes) bytes, sizeof(bytes) - 1
	{"exchange: a peer that ends", STREAM("one\n"), TROUBLE_NETWORK, "closed the connection"},
	{"exchange: an end in the middle of a line", STREAM("one\ntwo"), TROUBLE_NETWORK,
	 "closed the connection"},
	{"exchange: an escape", STREAM("one\n\033[2Jtwo\n"), TROUBLE_NETWORK, "control characters"},
	{"exchange: a NUL", STREAM("one\ntwo\0three\n"), TROUBLE_NETWORK, "control characters"},
	{"exchange: the peer's error", STREAM("one\nerror no memory\n"), TROUBLE_PEER,
	 "peer: no memory"},
	{"exchange: another line than is due", STREAM("one\nthree\n"), TROUBLE_NETWORK,
	 "sent \"three\" instead of \"two\""},
#undef STREAM
};

UNIT_ROWS(stream_cases)
{
	WITH_PAIR;

	send_all(pair.peer, row->bytes, row->len);
	(void)shutdown(pair.peer, SHUT_WR);
	assert_int_equal(exchange_expect(&pair.exchange, "one", &trouble), 0);
	assert_int_equal(exchange_expect(&pair.exchange, "two", &trouble), -1);
	assert_int_equal(trouble.kind, row->kind);
	assert_has(trouble.text, row->text);
	assert_true(trouble_remedy(&trouble)[0]);
}

UNIT_TEST("exchange: a line too long")
{
	WITH_PAIR;
	char many[4 * MESSAGE_MAX];

	memset(many, 'a', sizeof(many));
	send_all(pair.peer, many, MESSAGE_MAX - 1);
	send_all(pair.peer, "\n", 1);
	assert_int_equal(exchange_receive(&pair.exchange, line, &trouble), 0);
	assert_int_equal(strlen(line), MESSAGE_MAX - 1);
	send_all(pair.peer, many, sizeof(many));
	assert_int_equal(exchange_receive(&pair.exchange, line, &trouble), -1);
	assert_has(trouble.text, "too long");
}

/* By a deadline, which may be noticed late, and not before its time */
UNIT_TEST("exchange: silence has an end")
{
	WITH_PAIR;
	int64_t begin = clock_ms();

	pair.exchange.deadline = (uint64_t)begin + 200;
	send_all(pair.peer, "no end", 6);
	assert_int_equal(exchange_receive(&pair.exchange, line, &trouble), -1);
	assert_has(trouble.text, "timed out");
	assert_true(clock_ms() - begin >= 199);
	pair.exchange.deadline = 1; /* long over: no wait at all, whatever still comes */
	(void)alarm(UNIT_PATIENCE);
	assert_int_equal(exchange_receive(&pair.exchange, line, &trouble), -1);
	(void)alarm(0);
	assert_has(trouble.text, "timed out");
}

UNIT_TEST("exchange: lines are sent whole, a long one is cut")
{
	WITH_PAIR;
	char got[2 * MESSAGE_MAX];
	char many[2 * MESSAGE_MAX];

	memset(many, 'a', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	assert_int_equal(exchange_send(&pair.exchange, &trouble, "expect %u", 7U), 0);
	assert_int_equal(exchange_send(&pair.exchange, &trouble, "error %s", many), 0);
	assert_int_equal(read(pair.peer, got, sizeof(got)), 9 + MESSAGE_MAX - 1);
	assert_memory_equal(got, "expect 7\nerror aaa", 18);
	assert_int_equal(got[9 + MESSAGE_MAX - 2], '\n');
	(void)close(pair.peer);
	pair.peer = -1;
	assert_int_equal(exchange_send(&pair.exchange, &trouble, "go"), -1); /* and no SIGPIPE */
	assert_int_equal(trouble.kind, TROUBLE_NETWORK);
}

/* On a port that the kernel chooses: whatever else the machine does, nobody has it. */
static int listen_somewhere(unsigned *ret_port)
{
	struct trouble trouble = {.text = ""};
	struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
	socklen_t length = sizeof(address);
	int listener = exchange_listen(NULL, 0, &trouble);

	assert_true(listener >= 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
	*ret_port =
		ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
						    : ((struct sockaddr_in *)&address)->sin_port);
	return listener;
}

/* Whether a machine may lack the host: by IPv6, or the name where no file has it, as in a chroot.
 */
static bool may_lack(const char *host)
{
	return strcmp(host, "::1") == 0         ? access("/proc/net/if_inet6", F_OK) != 0
	       : strcmp(host, "localhost") == 0 ? access("/etc/hosts", F_OK) != 0
						: false;
}

UNIT_TEST("exchange: TCP, IPv4 and IPv6")
{
	static const char *const hosts[] = {"127.0.0.1", "localhost", "::1"};
	struct trouble trouble = {.text = ""};
	unsigned port;
	int listener = listen_somewhere(&port);

	for (size_t i = 0; i < LENGTH(hosts); i++) {
		struct exchange client = {.fd = -1};
		struct exchange server = {.fd = -1};

		if (exchange_connect(hosts[i], port, &client, &trouble) < 0) {
			assert_true(may_lack(hosts[i]));
			continue;
		}
		assert_int_equal(exchange_accept(listener, -1, &server, &trouble), 1);
		assert_true(strcmp(server.peer, "127.0.0.1") == 0 ||
			    strcmp(server.peer, "::1") == 0);
		assert_int_equal(exchange_send(&client, &trouble, MESSAGE_HELLO), 0);
		assert_int_equal(exchange_expect(&server, MESSAGE_HELLO, &trouble), 0);
		exchange_close(&client);
		exchange_close(&server);
	}
	assert_int_equal(exchange_listen(NULL, port, &trouble), -1);
	assert_has(trouble.text, "cannot listen on TCP port");
	(void)close(listener);
}

UNIT_TEST("exchange: nobody listens")
{
	struct exchange exchange = {.fd = -1};
	struct trouble trouble;

	assert_int_equal(exchange_connect("127.0.0.1", 1, &exchange, &trouble), -1);
	assert_has(trouble.text, "TCP to 127.0.0.1 port 1: Connection refused");
	assert_has(trouble_remedy(&trouble), "--listen");
	assert_int_equal(exchange_connect("no host", 1, &exchange, &trouble), -1);
	assert_int_equal(trouble.kind, TROUBLE_NETWORK);
	assert_int_equal(exchange.fd, -1);
}

UNIT_TEST("exchange: accepting can be stopped")
{
	struct trouble trouble;
	struct exchange exchange = {.fd = -1};
	unsigned port;
	int listener = listen_somewhere(&port);
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	send_all(ends[1], "x", 1);
	assert_int_equal(exchange_accept(listener, ends[0], &exchange, &trouble), 0);
	(void)close(ends[0]);
	(void)close(ends[1]);
	(void)close(listener);
}

int main(void)
{
	return unit_main("exchange");
}
