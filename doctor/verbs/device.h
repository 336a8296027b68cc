/* SPDX-License-Identifier: Apache-2.0 */
/* libibverbs, and the devices that it lists, each with the port that is used. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "doctor/doctor.h"

/*
 * libibverbs, loaded at run time: the doctor must start where it is not installed.
 *
 * What <infiniband/verbs.h> does inline goes through a context's own functions (ibv_post_send,
 * ibv_post_recv, ibv_poll_cq) and is called as usual. All else is called through this table: a
 * plain call would link the library.
 */

/* What every release has. query_port fills in what _compat_ibv_port_attr has. */
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

/* Fills in the table. -1: the library cannot be loaded here, or lacks what every release of this
 * name has. It stays loaded until the process ends, as its device drivers do. */
int verbs_load(struct verbs *ret_verbs, struct err *err);

/* How many leading bits two GIDs share: ports of one rail are in one subnet. */
unsigned gid_common_bits(const union ibv_gid *a, const union ibv_gid *b);

struct verbs_port {
	uint8_t number;
	bool infiniband; /* its link layer; else Ethernet */
	enum ibv_mtu mtu;
	uint16_t lid;
	uint8_t gid_index;
	union ibv_gid gid; /* all zero: it has none */
};

struct verbs_device {
	char name[64];
	int open_errno;              /* 0: it is open */
	struct ibv_context *context; /* NULL if not */
	struct ibv_device_attr attr;
	bool usable;            /* one of its ports is ACTIVE and has a GID or LID: */
	struct verbs_port port; /* the first of them */
};

struct verbs_devices {
	const struct verbs *verbs;
	struct verbs_device *item;
	size_t n;
};

/* Opens what libibverbs lists, or what --device names of it, in its order. -1: out of memory, or
 * (*ret_errno != 0) the list cannot be had at all. */
int verbs_devices_open(const struct verbs *verbs, const struct doctor *doctor, struct arena *arena,
		       struct verbs_devices *ret_devices, int *ret_errno);
void verbs_devices_close(struct verbs_devices *devices);

/* only: "mlx5_6" or "mlx5_6:1", or NULL for all of them. Returns the port that it names, 0 for any,
 * or -1 if name is another device. */
int verbs_device_match(const char *only, const char *name);

#define cleanup_verbs_devices __attribute__((cleanup(verbs_devices_close))) struct verbs_devices
