/* SPDX-License-Identifier: Apache-2.0 */
#include "core/node/rdma_mode.h"

#include "core/base/fs.h"
#include "core/node/netlink.h"

enum rdma_mode node_rdma_mode(const struct node *node)
{
	char line[8];

	if (!node->recorded)
		return netlink_rdma_mode();
	if (fs_read_line(node->root, "sys/module/ib_core/parameters/netns_mode", line,
			 sizeof(line)) < 0)
		return RDMA_MODE_UNKNOWN;
	return line[0] == 'Y' ? RDMA_MODE_SHARED : RDMA_MODE_EXCLUSIVE;
}
