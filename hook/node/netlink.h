/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OCI_RDMA_NETLINK_H
#define OCI_RDMA_NETLINK_H

#include <stdbool.h>

/*
 * Calls each for every network interface of this process' namespace that has a parent device: its
 * name, and the parent's (a PCI address, or an auxiliary device's name). Linux 5.14 and later say
 * the parent (IFLA_PARENT_DEV_NAME). Returns 0 or -errno.
 */
int netlink_each_link(void (*each)(void *context, const char *name, const char *parent),
		      void *context);

enum netlink_rdma_mode {
	RDMA_MODE_UNKNOWN,
	RDMA_MODE_SHARED,    /* every namespace sees every RDMA device */
	RDMA_MODE_EXCLUSIVE, /* only the one that it was moved to */
};

/* By RDMA_NLDEV_CMD_SYS_GET: the module's parameter only tells how it was loaded. */
enum netlink_rdma_mode netlink_rdma_mode(void);

#endif
