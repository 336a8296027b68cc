/* SPDX-License-Identifier: Apache-2.0 */
/* A line from the doctor at the other end, which any pod may send: what is taken is in range, and
 * means the same when we say it. */
#include "doctor/verbs/exchange.h"

#include "fuzz.h"

static void check_endpoint(const char *line)
{
	struct message_endpoint got;
	struct message_endpoint again;
	char said[MESSAGE_MAX];

	if (message_read_endpoint(line, &got) < 0)
		return;
	promise(text_is_device_name(got.device));
	promise(got.address.bytes >= 8 && got.address.bytes <= 1UL << 30);
	promise(got.address.qpn <= 0xffffff && got.address.psn <= 0xffffff);
	promise(got.address.mtu >= IBV_MTU_256 && got.address.mtu <= IBV_MTU_4096);
	message_write_endpoint(&got, said);
	must(message_read_endpoint(said, &again));
	promise(strcmp(again.device, got.device) == 0 && again.address.qpn == got.address.qpn &&
		again.address.psn == got.address.psn && again.address.lid == got.address.lid &&
		again.address.mtu == got.address.mtu &&
		again.address.infiniband == got.address.infiniband &&
		memcmp(&again.address.gid, &got.address.gid, sizeof(got.address.gid)) == 0 &&
		again.address.buffer == got.address.buffer &&
		again.address.rkey == got.address.rkey && again.address.bytes == got.address.bytes);
}

static void check_result(const char *line)
{
	struct transfer_result got;
	struct transfer_result again;
	char said[MESSAGE_MAX];

	if (message_read_result(line, &got) < 0)
		return;
	promise(got.bytes <= 1UL << 30 && got.bytes_per_second >= 0);
	/* Above, a double is not exact. */
	if (got.bytes_per_second > 9e15)
		return;
	message_write_result(&got, said);
	must(message_read_result(said, &again));
	promise(again.bytes == got.bytes && again.median_ns == got.median_ns &&
		again.p99_ns == got.p99_ns && again.writes == got.writes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	const char *line = fuzz_line(&arena, &data, &size);

	check_endpoint(line);
	check_result(line);
	return 0;
}
