/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines that two doctors say to each other over TCP. Any pod may be at the other end: a line is
 * taken whole and in range, or not at all.
 *
 *   oci-rdma-doctor 1
 *   endpoint device=mlx5_6 link=Ethernet qpn=17 psn=4711 lid=0 mtu=5 gid=<32 hex> buffer=<hex>
 *            rkey=<hex> bytes=1048576
 *   result bytes=1048576 rate=12300000000 median=1620 p99=2010 writes=5000
 */
#ifndef OCI_RDMA_VERBS_MESSAGE_H
#define OCI_RDMA_VERBS_MESSAGE_H

#include "doctor/verbs/endpoint.h"
#include "doctor/verbs/transfer.h"

#define MESSAGE_MAX 512 /* bytes of a line, with its end */
#define MESSAGE_HELLO "oci-rdma-doctor 1"

struct message_endpoint {
	char device[64];
	struct endpoint_address address;
};

void message_write_endpoint(const struct message_endpoint *endpoint, char line[MESSAGE_MAX]);
void message_write_result(const struct transfer_result *result, char line[MESSAGE_MAX]);

/* -1: it is no such line */
int message_read_endpoint(const char *line, struct message_endpoint *ret_endpoint);
int message_read_result(const char *line, struct transfer_result *ret_result);

#endif
