/* SPDX-License-Identifier: Apache-2.0 */
/* A hello of the doctor at the other end, which any pod may send: what is taken is in range. */
#include "doctor/verbs/remote.h"

#include <sys/socket.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct message message = {0};
	struct message got;
	struct trouble trouble;
	int ends[2];
	struct remote_peer from = {.name = "peer"};
	struct remote_peer to = {.name = "peer"};

	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
	from.fd = ends[0];
	to.fd = ends[1];
	memcpy(&message, data, size < sizeof(message) ? size : sizeof(message));
	message.kind = MESSAGE_HELLO;
	must(remote_send(&from, &message, &trouble));
	if (remote_receive(&to, MESSAGE_HELLO, &got, &trouble) == 0) {
		promise(text_is_device_name(got.text));
		promise(got.from.bytes >= 8 && got.from.bytes <= 1UL << 30);
		promise(got.from.qpn <= 0xffffff && got.from.psn <= 0xffffff);
		promise(got.from.mtu >= IBV_MTU_256 && got.from.mtu <= IBV_MTU_4096);
	}
	(void)close(ends[0]);
	(void)close(ends[1]);
	return 0;
}
