/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs devices of this process, opened, each with the port that is used and its GID. */
#ifndef OCI_RDMA_VERBS_DEVICE_H
#define OCI_RDMA_VERBS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "doctor/verbs/gid.h"
#include "doctor/verbs/library.h"

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
