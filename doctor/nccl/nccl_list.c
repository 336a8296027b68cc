/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/nccl/nccl_list.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void nccl_list_parse(const char *value, struct nccl_list *ret_list)
{
	struct nccl_list list = {0};

	list.exclude = value[0] == '^';
	value += list.exclude;
	list.exact = value[0] == '=';
	value += list.exact;
	while (*value && list.n < NCCL_LIST_MAX) {
		size_t len = strcspn(value, ",");
		size_t name = strcspn(value, ",:");
		struct nccl_item *item = &list.item[list.n];

		item->port = name < len ? atoi(value + name + 1) : -1; // NOLINT: as NCCL reads it
		if (name > NCCL_NAME_MAX)
			name = NCCL_NAME_MAX;
		memcpy(item->name, value, name);
		item->name[name] = '\0';
		list.n += name > 0;
		value += len;
		value += *value == ',';
	}
	*ret_list = list;
}

bool nccl_item_matches(const struct nccl_list *list, const struct nccl_item *item, const char *name,
		       int port)
{
	bool same = list->exact ? strcmp(name, item->name) == 0
				: strncmp(name, item->name, strlen(item->name)) == 0;

	return same && (item->port == -1 || port == -1 || item->port == port);
}

bool nccl_list_names(const struct nccl_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++) {
		if (strcmp(list->item[i].name, name) == 0)
			return true;
	}
	return false;
}

bool nccl_list_selects(const struct nccl_list *list, const char *name, int port)
{
	if (!list->n)
		return !list->exclude;
	for (size_t i = 0; i < list->n; i++) {
		if (nccl_item_matches(list, &list->item[i], name, port))
			return !list->exclude;
	}
	return list->exclude;
}
