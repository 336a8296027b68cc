/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/exchange.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

#define MESSAGE_BYTES_MIN 8
#define MESSAGE_BYTES_MAX (1UL << 30)
#define QPN_MAX 0xffffffUL

void message_write_endpoint(const struct message_endpoint *endpoint, char line[MESSAGE_MAX])
{
	const struct endpoint_address *address = &endpoint->address;
	char gid[2 * sizeof(address->gid.raw) + 1];

	for (size_t i = 0; i < sizeof(address->gid.raw); i++)
		(void)snprintf(gid + 2 * i, 3, "%02x", address->gid.raw[i]);
	(void)snprintf(line, MESSAGE_MAX,
		       "endpoint device=%s link=%s qpn=%u psn=%u lid=%u mtu=%d gid=%s buffer=%llx "
		       "rkey=%x bytes=%zu",
		       endpoint->device, address->infiniband ? "InfiniBand" : "Ethernet",
		       address->qpn, address->psn, address->lid, (int)address->mtu, gid,
		       (unsigned long long)address->buffer, address->rkey, address->bytes);
}

void message_write_result(const struct transfer_result *result, char line[MESSAGE_MAX])
{
	(void)snprintf(line, MESSAGE_MAX,
		       "result bytes=%zu rate=%.0f median=%llu p99=%llu writes=%zu", result->bytes,
		       result->bytes_per_second, (unsigned long long)result->median_ns,
		       (unsigned long long)result->p99_ns, result->writes);
}

/* Goes past " name=", or makes *at NULL; then at *at there is a value. */
static void expect(const char **at, const char *name)
{
	size_t len = strlen(name);

	if (!*at || **at != ' ' || strncmp(*at + 1, name, len) != 0 || (*at)[len + 1] != '=')
		*at = NULL;
	else
		*at += len + 2;
}

/* " name=NUMBER" */
static uint64_t number(const char **at, const char *name, int base, uint64_t max)
{
	unsigned long long value;
	char *end;

	expect(at, name);
	/* strtoull also takes a sign, space and "0x". */
	if (!*at || !strchr("0123456789abcdef", **at) || !**at || (*at)[1] == 'x') {
		*at = NULL;
		return 0;
	}
	errno = 0;
	value = strtoull(*at, &end, base);
	*at = errno || end == *at || value > max ? NULL : end;
	return value;
}

/* " name=WORD" */
static void word(const char **at, const char *name, char *ret, size_t size)
{
	size_t len;

	expect(at, name);
	len = *at ? strcspn(*at, " ") : 0;
	if (len == 0 || len >= size) {
		*at = NULL;
		return;
	}
	memcpy(ret, *at, len);
	ret[len] = '\0';
	*at += len;
}

static void read_gid(const char **at, union ibv_gid *ret_gid)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * sizeof(ret_gid->raw) + 1] = "";

	word(at, "gid", text, sizeof(text));
	for (size_t i = 0; *at && i < sizeof(text) - 1; i++) {
		const char *digit = text[i] ? strchr(digits, text[i]) : NULL;

		if (!digit)
			*at = NULL;
		else
			ret_gid->raw[i / 2] =
				(uint8_t)(ret_gid->raw[i / 2] << 4 | (digit - digits));
	}
}

/* What follows the line's first word, or NULL */
static const char *after(const char *line, const char *first)
{
	return text_starts_with(line, first) ? line + strlen(first) : NULL;
}

int message_read_endpoint(const char *line, struct message_endpoint *ret_endpoint)
{
	const char *at = after(line, "endpoint");
	struct message_endpoint got = {0};
	struct endpoint_address *address = &got.address;
	char link[16] = "";

	word(&at, "device", got.device, sizeof(got.device));
	word(&at, "link", link, sizeof(link));
	address->infiniband = strcmp(link, "InfiniBand") == 0;
	address->qpn = (uint32_t)number(&at, "qpn", 10, QPN_MAX);
	address->psn = (uint32_t)number(&at, "psn", 10, QPN_MAX);
	address->lid = (uint16_t)number(&at, "lid", 10, UINT16_MAX);
	address->mtu = (enum ibv_mtu)number(&at, "mtu", 10, IBV_MTU_4096);
	read_gid(&at, &address->gid);
	address->buffer = number(&at, "buffer", 16, UINT64_MAX);
	address->rkey = (uint32_t)number(&at, "rkey", 16, UINT32_MAX);
	address->bytes = number(&at, "bytes", 10, MESSAGE_BYTES_MAX);
	if (!at || *at || address->bytes < MESSAGE_BYTES_MIN || address->mtu < IBV_MTU_256 ||
	    !text_is_device_name(got.device) ||
	    (!address->infiniband && strcmp(link, "Ethernet") != 0))
		return -1;
	*ret_endpoint = got;
	return 0;
}

int message_read_result(const char *line, struct transfer_result *ret_result)
{
	const char *at = after(line, "result");
	struct transfer_result got = {0};

	got.bytes = number(&at, "bytes", 10, MESSAGE_BYTES_MAX);
	got.bytes_per_second = (double)number(&at, "rate", 10, UINT64_MAX);
	got.median_ns = number(&at, "median", 10, UINT64_MAX);
	got.p99_ns = number(&at, "p99", 10, UINT64_MAX);
	got.writes = number(&at, "writes", 10, SIZE_MAX);
	if (!at || *at)
		return -1;
	*ret_result = got;
	return 0;
}
