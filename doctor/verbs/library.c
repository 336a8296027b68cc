/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY "libibverbs.so.1"

/*
 * The version is part of the name: under IBVERBS_1.0 the same names are functions of another ABI,
 * and without a version it is the dynamic linker's choice.
 */
static const struct symbol {
	const char *name;
	const char *version;
	size_t offset;
	bool optional;
} symbols[] = {
	{"ibv_get_device_list", "IBVERBS_1.1", offsetof(struct verbs, get_device_list), false},
	{"ibv_free_device_list", "IBVERBS_1.1", offsetof(struct verbs, free_device_list), false},
	{"ibv_get_device_name", "IBVERBS_1.1", offsetof(struct verbs, get_device_name), false},
	{"ibv_open_device", "IBVERBS_1.1", offsetof(struct verbs, open_device), false},
	{"ibv_close_device", "IBVERBS_1.1", offsetof(struct verbs, close_device), false},
	{"ibv_query_device", "IBVERBS_1.1", offsetof(struct verbs, query_device), false},
	{"ibv_query_port", "IBVERBS_1.1", offsetof(struct verbs, query_port), false},
	{"ibv_query_gid", "IBVERBS_1.1", offsetof(struct verbs, query_gid), false},
	{"ibv_alloc_pd", "IBVERBS_1.1", offsetof(struct verbs, alloc_pd), false},
	{"ibv_dealloc_pd", "IBVERBS_1.1", offsetof(struct verbs, dealloc_pd), false},
	{"ibv_reg_mr", "IBVERBS_1.1", offsetof(struct verbs, reg_mr), false},
	{"ibv_dereg_mr", "IBVERBS_1.1", offsetof(struct verbs, dereg_mr), false},
	{"ibv_create_cq", "IBVERBS_1.1", offsetof(struct verbs, create_cq), false},
	{"ibv_destroy_cq", "IBVERBS_1.1", offsetof(struct verbs, destroy_cq), false},
	{"ibv_create_qp", "IBVERBS_1.1", offsetof(struct verbs, create_qp), false},
	{"ibv_modify_qp", "IBVERBS_1.1", offsetof(struct verbs, modify_qp), false},
	{"ibv_destroy_qp", "IBVERBS_1.1", offsetof(struct verbs, destroy_qp), false},
	{"_ibv_query_gid_ex", "IBVERBS_1.11", offsetof(struct verbs, query_gid_ex), true},
	{"ibv_reg_dmabuf_mr", "IBVERBS_1.12", offsetof(struct verbs, reg_dmabuf_mr), true},
};

int verbs_load(struct verbs *ret_verbs, struct err *err)
{
	/* NODELETE: a driver that it loaded may have left a thread or a handler behind. */
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!handle)
		return err_set(err, "%s", dlerror());
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		const struct symbol *symbol = &symbols[i];
		void *address = dlvsym(handle, symbol->name, symbol->version);

		if (!address && !symbol->optional)
			return err_set(err, "%s: it has no %s of version %s", LIBRARY, symbol->name,
				       symbol->version);
		memcpy((char *)ret_verbs + symbol->offset, &address, sizeof(address));
	}
	return 0;
}
