/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/gid.h"

#include <arpa/inet.h>
#include <string.h>

const char *gid_text(const union ibv_gid *gid, char text[GID_TEXT_SIZE])
{
	return inet_ntop(AF_INET6, gid->raw, text, GID_TEXT_SIZE) ? text : "?";
}

const char *gid_type_name(int type)
{
	switch (type) {
	case IBV_GID_TYPE_IB:
		return "InfiniBand";
	case IBV_GID_TYPE_ROCE_V1:
		return "RoCE v1";
	case IBV_GID_TYPE_ROCE_V2:
		return "RoCE v2";
	default:
		return "empty";
	}
}

static bool starts_with(const union ibv_gid *gid, const unsigned char *bytes, size_t n)
{
	return memcmp(gid->raw, bytes, n) == 0;
}

/* NCCL counts a mapped multicast address (ff0e::ffff:0:0/96) as IPv4 as well. */
bool gid_is_ipv4(const union ibv_gid *gid)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	static const unsigned char multicast[12] = {0xff, 0x0e, [10] = 0xff, [11] = 0xff};

	return starts_with(gid, mapped, sizeof(mapped)) ||
	       starts_with(gid, multicast, sizeof(multicast));
}

/* Neither unset nor link-local: what NCCL calls valid */
static bool is_routable(const union ibv_gid *gid)
{
	static const unsigned char zero[16];
	static const unsigned char link_local[8] = {0xfe, 0x80};

	return !starts_with(gid, zero, sizeof(zero)) &&
	       !starts_with(gid, link_local, sizeof(link_local));
}

size_t gid_nccl_index(const struct gid_entry *entries, size_t n)
{
	size_t chosen = 0;

	for (size_t i = 1; i < n; i++) {
		const struct gid_entry *old = &entries[chosen];
		const struct gid_entry *new = &entries[i];

		if (!gid_is_ipv4(&new->gid))
			continue;
		if (!gid_is_ipv4(&old->gid) ||
		    (is_routable(&new->gid) && new->type == IBV_GID_TYPE_ROCE_V2 &&
		     (old->type != IBV_GID_TYPE_ROCE_V2 || !is_routable(&old->gid))))
			chosen = i;
	}
	return chosen;
}

size_t gid_usable_index(const struct gid_entry *entries, size_t n, bool infiniband)
{
	size_t chosen = infiniband ? 0 : gid_nccl_index(entries, n);

	if (chosen < n && entries[chosen].type != GID_TYPE_NONE)
		return chosen;
	for (chosen = 0; chosen < n && entries[chosen].type == GID_TYPE_NONE;)
		chosen++;
	return chosen;
}

unsigned gid_common_bits(const union ibv_gid *a, const union ibv_gid *b)
{
	for (unsigned i = 0; i < 8 * sizeof(a->raw); i++) {
		unsigned mask = 0x80U >> i % 8;

		if ((a->raw[i / 8] ^ b->raw[i / 8]) & mask)
			return i;
	}
	return 8 * sizeof(a->raw);
}
