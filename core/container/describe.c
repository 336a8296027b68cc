/* SPDX-License-Identifier: Apache-2.0 */
#include "core/container/describe.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/vfs.h>

#include "core/base/cleanup.h"
#include "core/node/netdev.h"
#include "core/node/podnet.h"
#include "core/node/port.h"

/*
 * Only a namespace is opened: the dry run reads a config.json of anybody's by root, and a device,
 * or a FIFO, does something when it is opened. setns(2) refuses what is no network namespace.
 */
static int open_namespace(const char *path)
{
	cleanup_fd held = open(path, O_PATH | O_CLOEXEC);
	char again[32];
	struct statfs fs;

	if (held < 0 || fstatfs(held, &fs) < 0 || fs.f_type != NSFS_MAGIC)
		return -1;
	(void)snprintf(again, sizeof(again), "/proc/self/fd/%d", held);
	return open(again, O_RDONLY | O_CLOEXEC);
}

/*
 * The container's network namespace: the spec's path, or in a hook that of the first process.
 * Returns a descriptor, or -1 where there is none yet, or only that of a recorded node.
 */
static int open_network(const struct container *container, const struct node *node)
{
	char path[64];

	if (node->recorded || !container->spec.network_namespace)
		return -1;
	/* Also "/proc/PID/ns/net", which is no path below any root; the engine wrote it. */
	if (container->spec.network_path)
		return open_namespace(container->spec.network_path);
	if (container->pid <= 1)
		return -1;
	(void)snprintf(path, sizeof(path), "/proc/%lld/ns/net", (long long)container->pid);
	return open_namespace(path);
}

/* What can be read on the node itself. Returns 1 if something is wanted that only the pod's network
 * shows. */
static int describe_from_node(struct container *container, const struct node *node,
			      const struct wanted *wanted, struct err *err)
{
	bool pod = container->spec.network_namespace;
	int more = 0;

	for (size_t i = 0; i < container->devices.n; i++) {
		struct device *device = &container->devices.item[i];

		if (node_read_ports(node, &container->arena, device, wanted->topology, err) < 0)
			return -1;
		device->on_host = device->n_ports > 0;
		if (wanted->gids)
			node_read_gids(node, device);
		if (wanted->netdevs && !pod && node_read_host_netdev(node, device) < 0)
			return err_memory(err);
		if (wanted->topology)
			pci_read_place(node, &device->place);
		if (pod && (wanted->netdevs || (wanted->gids && !device->n_ports)))
			more = 1;
	}
	return more;
}

static bool lacks_netdev(const struct devices *devices)
{
	for (size_t i = 0; i < devices->n; i++) {
		if (!devices->item[i].netdev[0])
			return true;
	}
	return false;
}

int container_describe(struct container *container, const struct node *node,
		       const struct wanted *wanted, struct err *err)
{
	cleanup_fd network = -1;
	int more = describe_from_node(container, node, wanted, err);

	if (more < 0)
		return -1;
	/* Before ports come in that the node itself does not show */
	node_wait_for_gids(node, &container->devices, wanted->patience);
	if (more)
		network = open_network(container, node);
	if (network >= 0 &&
	    podnet_read(&container->arena, network, &container->devices, wanted->patience, err) < 0)
		return -1;
	/* The kernel knows better than what multus has written down; most nodes never need that. */
	if (wanted->netdevs && container->spec.network_namespace &&
	    lacks_netdev(&container->devices) &&
	    node_read_pod_netdevs(node, &container->devices, container->spec.identity.sandbox_id) <
		    0)
		return err_memory(err);
	return 0;
}
