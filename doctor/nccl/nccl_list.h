/* SPDX-License-Identifier: Apache-2.0 */
/* The lists that NCCL_IB_HCA and NCCL_SOCKET_IFNAME hold: "[^][=]name[:port],…" (NCCL's
 * src/misc/utils.cc, parseStringList and matchIfList; src/transport/net_ib/init.cc). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define NCCL_LIST_MAX 32 /* NCCL reads no more */
#define NCCL_NAME_MAX 63

struct nccl_item {
	char name[NCCL_NAME_MAX + 1];
	int port; /* -1: any */
};

struct nccl_list {
	bool exclude; /* ^: all but these */
	bool exact;   /* =: whole names; else what begins like this */
	struct nccl_item item[NCCL_LIST_MAX];
	size_t n;
};

/* As NCCL reads it, which refuses nothing: what is too long is cut, what is too much left out. */
void nccl_list_parse(const char *value, struct nccl_list *ret_list);

/* True if this item means it; port -1: whatever port. */
bool nccl_item_matches(const struct nccl_list *list, const struct nccl_item *item, const char *name,
		       int port);

/* True if one of the items is just this name. */
bool nccl_list_names(const struct nccl_list *list, const char *name);

/* True if NCCL would take it. An empty list takes all, and "^" none. */
bool nccl_list_selects(const struct nccl_list *list, const char *name, int port);
