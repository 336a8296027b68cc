/* SPDX-License-Identifier: Apache-2.0 */
/* A port's GID table, and what NCCL takes of it. */
#ifndef OCI_RDMA_VERBS_GID_H
#define OCI_RDMA_VERBS_GID_H

#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

/* What an empty slot has in the place of an enum ibv_gid_type */
#define GID_TYPE_NONE (-1)

struct gid_entry {
	union ibv_gid gid;
	int type; /* enum ibv_gid_type, or GID_TYPE_NONE */
};

/* Room for "::ffff:255.255.255.255" and any other */
#define GID_TEXT_SIZE INET6_ADDRSTRLEN

/* As an IPv6 address, an IPv4 one behind "::ffff:" */
const char *gid_text(const union ibv_gid *gid, char text[GID_TEXT_SIZE]);

/* "RoCE v2", "RoCE v1", "InfiniBand" */
const char *gid_type_name(int type);

bool gid_is_ipv4(const union ibv_gid *gid);

/*
 * The index that NCCL >= 2.21.5 takes by itself on an Ethernet port: ncclIbGetGidIndex in its
 * src/transport/net_ib/connect.cc, with its defaults (IPv4, any address, RoCE v2). It starts at 0
 * and may stay there, whatever is in that slot.
 */
size_t gid_nccl_index(const struct gid_entry *entries, size_t n);

/*
 * The slot to use: NCCL's, or if that is empty the first that is not; n if there is none.
 * infiniband: by the link layer; NCCL takes index 0 there.
 */
size_t gid_usable_index(const struct gid_entry *entries, size_t n, bool infiniband);

/* How many leading bits two GIDs share: ports of one rail are in one subnet. */
unsigned gid_common_bits(const union ibv_gid *a, const union ibv_gid *b);

#endif
