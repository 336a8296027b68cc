/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of the kernel. The first byte picks the question. */
#include "core/node/netlink.h"
#include "fuzz.h"

static void on_link(void *context, const struct netlink_link *link)
{
	(void)context;
	promise(text_is_netdev_name(link->name));
	promise(!link->parent || strlen(link->parent) < 65536);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum rdma_mode mode = RDMA_MODE_UNKNOWN;
	char *datagram;
	int status;

	if (!size)
		return 0;
	/* Of its exact size, and aligned as recvfrom's buffer is */
	datagram = malloc(size > 1 ? size - 1 : 1);
	promise(datagram);
	memcpy(datagram, data + 1, size - 1);
	if (data[0] & 1)
		status = netlink_take_links(datagram, size - 1, on_link, NULL);
	else
		status = netlink_take_rdma_mode(datagram, size - 1, &mode);
	promise(status <= 1);
	free(datagram);
	return 0;
}
