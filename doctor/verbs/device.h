/* SPDX-License-Identifier: Apache-2.0 */
/* libibverbs, and the devices that it lists: their ports, and the GIDs of those. */
#ifndef OCI_RDMA_VERBS_DEVICE_H
#define OCI_RDMA_VERBS_DEVICE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

/*
 * libibverbs, loaded at run time: the doctor must start where it is not installed.
 *
 * What <infiniband/verbs.h> does inline goes through a context's own functions (ibv_post_send,
 * ibv_post_recv, ibv_poll_cq) and is called as usual. All else is called through this table: a
 * plain call would link the library.
 */

struct verbs {
	__typeof__(ibv_get_device_list) *get_device_list;
	__typeof__(ibv_free_device_list) *free_device_list;
	__typeof__(ibv_get_device_name) *get_device_name;
	__typeof__(ibv_open_device) *open_device;
	__typeof__(ibv_close_device) *close_device;
	__typeof__(ibv_query_device) *query_device;
	__typeof__(ibv_query_port) *query_port; /* fills in what _compat_ibv_port_attr has */
	__typeof__(ibv_query_gid) *query_gid;
	__typeof__(ibv_alloc_pd) *alloc_pd;
	__typeof__(ibv_dealloc_pd) *dealloc_pd;
	__typeof__(ibv_reg_mr) *reg_mr;
	__typeof__(ibv_dereg_mr) *dereg_mr;
	__typeof__(ibv_create_cq) *create_cq;
	__typeof__(ibv_destroy_cq) *destroy_cq;
	__typeof__(ibv_create_qp) *create_qp;
	__typeof__(ibv_modify_qp) *modify_qp;
	__typeof__(ibv_destroy_qp) *destroy_qp;
	__typeof__(ibv_reg_dmabuf_mr) *reg_dmabuf_mr; /* since rdma-core 34; NULL */
};

/*
 * Fills in the table. -1: the library cannot be loaded here, or lacks what every release of
 * this name has. It stays loaded until the process ends, as its device drivers do.
 */
int verbs_load(struct verbs *ret_verbs, struct err *err);

/* ---- a port's GID table ---- */

struct gid_entry {
	union ibv_gid gid;
	int type; /* enum ibv_gid_type; negative: an empty slot */
};

/*
 * The slot to use: as NCCL, the first RoCE v2 one of an IPv4 address, else the first that is not
 * empty; n if there is none.
 */
size_t gid_usable_index(const struct gid_entry *entries, size_t n);

/* How many leading bits two GIDs share: ports of one rail are in one subnet. */
unsigned gid_common_bits(const union ibv_gid *a, const union ibv_gid *b);

/* ---- a device ---- */

/* The verbs devices of this process, opened, each with the port that is used and its GID. */

struct verbs_port {
	uint8_t number;
	int query_errno; /* 0: what follows is known */
	enum ibv_port_state state;
	bool infiniband; /* its link layer; else Ethernet */
	enum ibv_mtu mtu;
	uint16_t lid;
	bool has_gid; /* there is one to use: */
	size_t gid_index;
	struct gid_entry gid;
};

struct verbs_device {
	char name[64];
	int open_errno;              /* 0: it is open */
	char node[96];               /* if not: /dev/infiniband/uverbsN, and */
	int node_errno;              /* what open(2) of that says; 0: it opens */
	struct ibv_context *context; /* NULL if not */
	struct ibv_device_attr attr;
	struct verbs_port *port; /* all of them */
	size_t n_ports;
	const struct verbs_port *used; /* the first that is ACTIVE and has a GID or LID, or NULL */
};

struct verbs_devices {
	const struct verbs *verbs;
	struct verbs_device *item;
	size_t n;
};

/*
 * Opens what libibverbs lists, in its order. only: "mlx5_6" or "mlx5_6:1", or NULL for all of
 * them. -1: out of memory, or (*ret_errno != 0) the list cannot be had at all.
 */
int verbs_devices_open(const struct verbs *verbs, struct arena *arena, const char *only,
		       struct verbs_devices *ret_devices, int *ret_errno);
/* only: the same. Returns the port that it names, 0 for any, or -1 if name is another device. */
int verbs_device_match(const char *only, const char *name);

void verbs_devices_close(struct verbs_devices *devices);

#define cleanup_verbs_devices __attribute__((cleanup(verbs_devices_close))) struct verbs_devices

#endif
