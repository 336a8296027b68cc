/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doctor/verbs/device.h"
#include "doctor/verbs/trouble.h"

#define ENDPOINT_DEPTH 16

struct endpoint {
	const struct verbs *verbs;
	const struct verbs_device *device;
	const struct verbs_port *port;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	char *buffer;
	size_t bytes;
	uint32_t psn; /* of its first packet */
};

/* What the peer's writes need. No padding: part of a message (remote.h) */
struct endpoint_address {
	uint32_t qpn, psn, rkey;
	uint16_t lid;
	uint8_t infiniband, mtu; /* a bool and an enum ibv_mtu */
	uint64_t buffer, bytes;
	union ibv_gid gid;
};

/* device->port must be usable, and device outlive the endpoint. Fails with *trouble and nothing
 * open. */
int endpoint_open(const struct verbs *verbs, const struct verbs_device *device, size_t bytes,
		  struct endpoint *ret_endpoint, struct trouble *trouble);
void endpoint_close(struct endpoint *endpoint);

#define cleanup_endpoint __attribute__((cleanup(endpoint_close))) struct endpoint

struct endpoint_address endpoint_address(const struct endpoint *endpoint);

/* INIT, RTR, RTS */
int endpoint_connect(struct endpoint *endpoint, const struct endpoint_address *peer,
		     struct trouble *trouble);
