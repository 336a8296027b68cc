/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only a pod's network namespace shows: the names of its interfaces, and, where RDMA devices
 * are exclusive to a namespace (ib_core.netns_mode=0), their ports and GIDs.
 *
 * A child enters that namespace and no other, with a sysfs of its own where it needs one, and is
 * gone when the answer is there; a node that does not answer costs at most PODNET_PATIENCE_MS.
 */
#ifndef OCI_RDMA_PODNET_H
#define OCI_RDMA_PODNET_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/node/device.h"

#define PODNET_PATIENCE_MS 1000

/*
 * netns: descriptor of the namespace. patience: for GIDs, as in node_wait_for_gids. Fills in
 * .netdev of every device that has an interface there, and the ports of those that have none yet.
 * What is not there stays as it was. Needs CAP_SYS_ADMIN.
 */
int podnet_read(struct arena *arena, int netns, struct devices *devices, int patience,
		struct err *err);

#endif
