/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL_IB_HCA and NCCL_SOCKET_IFNAME: "[^][=]name[:port],…" (NCCL's src/misc/utils.cc,
 * parseStringList and matchIfList; src/transport/net_ib/init.cc) */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define NCCL_LIST_MAX 32
#define NCCL_NAME_MAX 63

struct nccl_item {
	char name[NCCL_NAME_MAX + 1];
	int port; /* -1: any */
};

struct nccl_list {
	bool exclude; /* ^: all but these */
	bool exact;   /* =: whole names; else prefixes */
	struct nccl_item item[NCCL_LIST_MAX];
	size_t n;
};

/* Never fails, like NCCL: cuts long names, drops extra items. */
void nccl_list_parse(const char *value, struct nccl_list *ret_list);

/* True if the item matches; port -1: any */
bool nccl_item_matches(const struct nccl_list *list, const struct nccl_item *item, const char *name,
		       int port);

/* True if an item is exactly this name */
bool nccl_list_names(const struct nccl_list *list, const char *name);

/* True if NCCL selects it: an empty list selects all, "^" none. */
bool nccl_list_selects(const struct nccl_list *list, const char *name, int port);
