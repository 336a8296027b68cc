/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between two doctors, and forged ones. The VM tests a whole transfer. */
#include "tests/unit/unit.h"

#include <endian.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "doctor/verbs/remote.h"

#define MAGIC "oci-rdma-doctor3"

struct ends {
	struct remote_peer peer; /* as one side sees the other */
	int other;
};

static struct ends make_ends(void)
{
	const struct timeval soon = {.tv_usec = 100000};
	struct ends ends = {.peer = {.name = "there"}};
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon)), 0);
	ends.peer.fd = pair[0];
	ends.other = pair[1];
	return ends;
}

static void close_ends(struct ends *ends)
{
	(void)close(ends->peer.fd);
	(void)close(ends->other);
}

#define WITH_ENDS                                                                                  \
	__attribute__((cleanup(close_ends))) struct ends ends = make_ends();                       \
	UNUSED struct message message;                                                             \
	struct trouble trouble = {0}

static void put(const struct ends *ends, const struct message *message)
{
	assert_int_equal(write(ends->other, message, sizeof(*message)), sizeof(*message));
}

/* A hello on the wire */
static struct message good(void)
{
	struct message hello = {
		.magic = MAGIC,
		.kind = htobe32(MESSAGE_HELLO),
		.left = htobe32(3),
		.from.qpn = htobe32(0xffffff),
		.from.psn = htobe32(4711),
		.from.rkey = htobe32(0x1ab),
		.from.lid = htobe16(17),
		.from.infiniband = 1,
		.from.mtu = IBV_MTU_4096,
		.from.buffer = htobe64(0x7f0000001000),
		.from.bytes = htobe64(1 << 20),
		.text = "mlx5_6",
	};

	memset(&hello.from.gid, 0xaa, sizeof(hello.from.gid));
	return hello;
}

UNIT_TEST("remote: a hello is taken whole, and what is sent is such a message")
{
	WITH_ENDS;
	struct message hello = good();

	put(&ends, &hello);
	assert_int_equal(remote_hear(&ends.peer, &trouble), 0);
	assert_string_equal(ends.peer.device, "mlx5_6");
	assert_int_equal(ends.peer.left, 3);
	assert_true(ends.peer.address.infiniband);
	assert_int_equal(ends.peer.address.qpn, 0xffffff);
	assert_int_equal(ends.peer.address.psn, 4711);
	assert_int_equal(ends.peer.address.rkey, 0x1ab);
	assert_int_equal(ends.peer.address.lid, 17);
	assert_int_equal(ends.peer.address.mtu, IBV_MTU_4096);
	assert_true(ends.peer.address.buffer == 0x7f0000001000);
	assert_int_equal(ends.peer.address.bytes, 1 << 20);
	assert_int_equal(ends.peer.address.gid.raw[15], 0xaa);

	message = (struct message){.kind = MESSAGE_RESULT,
				   .result = {.bytes_per_second = 48700000000, .p99_ns = 2010}};
	assert_int_equal(remote_send(&ends.peer, &message, &trouble), 0);
	assert_int_equal(read(ends.other, &message, sizeof(message)), sizeof(message));
	put(&ends, &message);
	assert_int_equal(remote_receive(&ends.peer, MESSAGE_RESULT, &message, &trouble), 0);
	assert_true(message.result.bytes_per_second == 48700000000 &&
		    message.result.p99_ns == 2010);
}

#define CHANGE(name) static void name(struct message *message)

CHANGE(no_magic)
{
	message->magic[0] = 'O';
}

CHANGE(next_version)
{
	message->magic[15] = '4';
}

CHANGE(out_of_turn)
{
	message->kind = htobe32(MESSAGE_RIGHT);
}

CHANGE(no_kind)
{
	message->kind = htobe32(4711);
}

CHANGE(large_qpn)
{
	message->from.qpn = htobe32(0x1000000);
}

CHANGE(large_psn)
{
	message->from.psn = htobe32(0x1000000);
}

CHANGE(odd_link)
{
	message->from.infiniband = 2;
}

CHANGE(no_mtu)
{
	message->from.mtu = 0;
}

CHANGE(large_mtu)
{
	message->from.mtu = 6;
}

CHANGE(no_bytes)
{
	message->from.bytes = htobe64(7);
}

CHANGE(many_bytes)
{
	message->from.bytes = htobe64((1UL << 30) + 1);
}

CHANGE(a_path)
{
	snprintf(message->text, sizeof(message->text), "../../x");
}

CHANGE(no_end)
{
	memset(message->text, 'a', sizeof(message->text));
}

CHANGE(an_error)
{
	message->kind = htobe32(MESSAGE_ERROR);
	snprintf(message->text, sizeof(message->text), "no \x1b[31mred");
}

static const struct bad_case {
	const char *name;
	void (*change)(struct message *message);
	enum trouble_kind kind;
	const char *said;
} bad_cases[] = {
	{"remote: another program", no_magic, TROUBLE_NETWORK, "no oci-rdma-doctor of this"},
	{"remote: another version", next_version, TROUBLE_NETWORK, "no oci-rdma-doctor of this"},
	{"remote: out of turn", out_of_turn, TROUBLE_NETWORK, "makes no sense"},
	{"remote: no kind", no_kind, TROUBLE_NETWORK, "makes no sense"},
	{"remote: qpn beyond 24 bits", large_qpn, TROUBLE_NETWORK, "makes no sense"},
	{"remote: psn beyond 24 bits", large_psn, TROUBLE_NETWORK, "makes no sense"},
	{"remote: a link layer of no kind", odd_link, TROUBLE_NETWORK, "makes no sense"},
	{"remote: mtu of 0", no_mtu, TROUBLE_NETWORK, "makes no sense"},
	{"remote: mtu of 6", large_mtu, TROUBLE_NETWORK, "makes no sense"},
	{"remote: fewer bytes than a write of latency has", no_bytes, TROUBLE_NETWORK, "no sense"},
	{"remote: more than 1 GiB", many_bytes, TROUBLE_NETWORK, "makes no sense"},
	{"remote: a device name with a slash", a_path, TROUBLE_NETWORK, "makes no sense"},
	{"remote: a device name without an end", no_end, TROUBLE_NETWORK, "makes no sense"},
	{"remote: an error is told, without its escapes", an_error, TROUBLE_PEER,
	 "there: no ?[31mred"},
};

UNIT_ROWS(bad_cases)
{
	WITH_ENDS;
	struct message hello = good();

	row->change(&hello);
	put(&ends, &hello);
	assert_int_equal(remote_hear(&ends.peer, &trouble), -1);
	assert_int_equal(trouble.kind, row->kind);
	assert_has(trouble.text, row->said);
	assert_string_equal(ends.peer.device, "");
}

UNIT_TEST("remote: one that says less than a message is not waited for, nor one that closes")
{
	WITH_ENDS;

	assert_int_equal(write(ends.other, "GET / HTTP/1.0\r\n", 16), 16);
	assert_int_equal(remote_hear(&ends.peer, &trouble), -1);
	assert_has(trouble.text, "reading from there: Connection timed out");
	(void)shutdown(ends.other, SHUT_WR);
	assert_int_equal(remote_hear(&ends.peer, &trouble), -1);
	assert_has(trouble.text, "closed the connection");
}

UNIT_TEST("remote: over TCP, and nobody there")
{
	struct remote_peer peer = {.fd = -1};
	struct trouble trouble = {0};
	struct sockaddr_in address;
	socklen_t len = sizeof(address);
	int listener = remote_listen("127.0.0.1", 0, &trouble);
	unsigned port;
	int fd;

	assert_true(listener >= 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	port = ntohs(address.sin_port);
	fd = remote_connect("localhost", port, &trouble);
	assert_true(fd >= 0);
	assert_int_equal(remote_accept(listener, &peer, &trouble), 0);
	assert_string_equal(peer.name, "127.0.0.1");
	(void)close(fd);
	(void)close(peer.fd);
	assert_int_equal(remote_listen("127.0.0.1", port, &trouble), -1);
	assert_has(trouble.text, "cannot listen on 127.0.0.1 port");
	(void)close(listener);
	assert_int_equal(remote_connect("127.0.0.1", port, &trouble), -1);
	assert_has(trouble.text, "Connection refused");
	assert_has(trouble_remedy(&trouble), "--listen");
	assert_int_equal(remote_connect("nowhere.invalid", port, &trouble), -1);
	assert_int_equal(trouble.kind, TROUBLE_NETWORK);
	fd = remote_listen(NULL, 0, &trouble); /* all addresses; IPv6 may be missing */
	assert_true(fd >= 0);
	(void)close(fd);
}

int main(void)
{
	return unit_main("remote");
}
