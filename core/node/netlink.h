/* SPDX-License-Identifier: Apache-2.0 */
/* What netlink says: the interfaces of this namespace, and who sees the RDMA devices. */
#ifndef OCI_RDMA_NETLINK_H
#define OCI_RDMA_NETLINK_H

#include <stddef.h>

#include "core/node/node.h"

/* A network interface of this process' namespace */
struct netlink_link {
	int index;
	const char *name;
	const char *parent; /* of its device: a PCI address, or an auxiliary device's name; NULL
			       without one. Linux 5.14 and later say it (IFLA_PARENT_DEV_NAME) */
	int bond;           /* index of the bond that it is a slave of; 0: none */
};

typedef void netlink_each(void *context, const struct netlink_link *link);

/* Names that are none are left out. Returns 0 or -errno. */
int netlink_each_link(netlink_each *each, void *context);

/* By RDMA_NLDEV_CMD_SYS_GET. */
enum rdma_mode netlink_rdma_mode(void);

/*
 * What both do with a datagram of the answer, which is aligned for struct nlmsghdr. Return 1 if
 * more are to come, 0 at the end, or -errno. *mode stays where nothing is said of it.
 */
int netlink_take_links(const char *datagram, size_t len, netlink_each *each, void *context);
int netlink_take_rdma_mode(const char *datagram, size_t len, enum rdma_mode *mode);

#endif
