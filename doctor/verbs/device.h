/* SPDX-License-Identifier: Apache-2.0 */
/* libibverbs, and the devices that it lists: their ports, and the GIDs of those. */
#ifndef OCI_RDMA_VERBS_DEVICE_H
#define OCI_RDMA_VERBS_DEVICE_H

#include <infiniband/verbs.h>
#include <netinet/in.h>
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
	/* NULL in an older library */
	__typeof__(_ibv_query_gid_ex) *query_gid_ex;  /* rdma-core 32 */
	__typeof__(ibv_reg_dmabuf_mr) *reg_dmabuf_mr; /* rdma-core 34 */
};

/*
 * Fills in the table. -1: the library cannot be loaded here, or lacks what every release of
 * this name has. It stays loaded until the process ends, as its device drivers do.
 */
int verbs_load(struct verbs *ret_verbs, struct err *err);

/* ---- a port's GID table, and what NCCL takes of it ---- */

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

/* ---- a device ---- */

/* The verbs devices of this process, opened, each with the port that is used and its GID. */

struct verbs_port {
	uint8_t number;
	int query_errno; /* 0: what follows is known */
	enum ibv_port_state state;
	bool infiniband; /* its link layer; else Ethernet */
	enum ibv_mtu mtu;
	uint16_t lid;
	double rate_gbps;  /* 0: unknown */
	size_t n_gids;     /* slots of the table that were read */
	size_t nccl_index; /* what NCCL takes */
	struct gid_entry nccl_gid;
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
void verbs_devices_close(struct verbs_devices *devices);

#define cleanup_verbs_devices __attribute__((cleanup(verbs_devices_close))) struct verbs_devices

/* 256 for IBV_MTU_256 and so on */
unsigned verbs_mtu_bytes(enum ibv_mtu mtu);

/* "ACTIVE", "DOWN", … */
const char *verbs_port_state_name(enum ibv_port_state state);

#endif
