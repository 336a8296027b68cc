/* SPDX-License-Identifier: Apache-2.0 */
/* The network interface that belongs to an RDMA device. */
#ifndef OCI_RDMA_NETDEV_H
#define OCI_RDMA_NETDEV_H

#include "core/node/device.h"

/* The network interface as the host knows it: right for a container in the host's namespace only.
 * Negative: no memory, here and below
 */
int node_read_host_netdev(const struct node *node, struct device *device);

/*
 * The network interfaces as a pod knows them, by the device-info files that multus leaves: a hint,
 * since they are not the kernel's, for the devices that have none yet. sandbox_id: of the pod; NULL
 * if it is not known.
 */
int node_read_pod_netdevs(const struct node *node, struct devices *devices, const char *sandbox_id);

#endif
