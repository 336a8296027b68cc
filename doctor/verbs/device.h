/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "doctor/doctor.h"

/* Loaded at run time: the doctor must start without libibverbs. Direct calls that
 * <infiniband/verbs.h> does not inline would link it. */

/* In every release. query_port fills only _compat_ibv_port_attr. */
#define VERBS_CALLS(call)                                                                          \
	call(get_device_list) call(free_device_list) call(get_device_name) call(open_device)       \
		call(close_device) call(query_device) call(query_port) call(query_gid)             \
			call(alloc_pd) call(dealloc_pd) call(reg_mr) call(dereg_mr)                \
				call(create_cq) call(destroy_cq) call(create_qp) call(modify_qp)   \
					call(destroy_qp) call(wc_status_str)

struct verbs {
#define MEMBER(name) __typeof__(ibv_##name) *(name);
	VERBS_CALLS(MEMBER)
#undef MEMBER
	__typeof__(ibv_reg_dmabuf_mr) *reg_dmabuf_mr; /* since rdma-core 34; NULL */
};

/* Fails without the library or a required call. It stays loaded, as its drivers do. */
int verbs_load(struct verbs *ret_verbs, struct err *err);

/* Leading bits that two GIDs share: ports of one rail are in one subnet. */
unsigned gid_common_bits(const union ibv_gid *a, const union ibv_gid *b);

struct verbs_port {
	uint8_t number;
	bool infiniband; /* link layer; else Ethernet */
	enum ibv_mtu mtu;
	uint16_t lid;
	uint8_t gid_index;
	union ibv_gid gid; /* all zero: none */
};

struct verbs_device {
	char name[64];
	int open_errno;              /* 0: open */
	struct ibv_context *context; /* or NULL */
	struct ibv_device_attr attr;
	bool usable;            /* a port is ACTIVE and has a GID or LID: */
	struct verbs_port port; /* the first such */
};

struct verbs_devices {
	const struct verbs *verbs;
	struct verbs_device *item;
	size_t n;
};

/* In libibverbs's order. Returns -1 without memory, or (*ret_errno != 0) without a list. */
int verbs_devices_open(const struct verbs *verbs, const struct doctor *doctor, struct arena *arena,
		       struct verbs_devices *ret_devices, int *ret_errno);
void verbs_devices_close(struct verbs_devices *devices);

/* only: "mlx5_6:1", or NULL for all. Returns the port, 0 for any, or -1 for another device. */
int verbs_device_match(const char *only, const char *name);

#define cleanup_verbs_devices __attribute__((cleanup(verbs_devices_close))) struct verbs_devices
