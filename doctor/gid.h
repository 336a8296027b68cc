/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of a port's GID table */
#ifndef OCI_RDMA_DOCTOR_GID_H
#define OCI_RDMA_DOCTOR_GID_H

#include <netinet/in.h>
#include <stdbool.h>

#include "node/node.h"

struct gid {
	bool empty;
	char text[48];   /* "::ffff:10.0.0.7" */
	bool ipv4;       /* it maps an IPv4 address */
	bool link_local; /* fe80::/10 */
	bool v2;         /* RoCE v2 */
	char netdev[16]; /* "" unknown */
};

/* Returns 0, or -1 if the table has no such entry. */
int gid_read(const struct node *node, const struct device *device, unsigned port, int index,
	     struct gid *ret_gid);

#endif
