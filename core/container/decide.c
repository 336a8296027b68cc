/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/container/container.h"
#include "core/nccl_conf.h"
#include "core/node/node.h"
#include "core/plan/plan.h"

/* What is to be known of the devices, beyond names and ports */
struct wanted {
	bool gids;
	int patience; /* for GIDs that are not there yet, in milliseconds */
	bool netdevs;
	bool topology;
};

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

/* Fills what is wanted into container->devices. Returns 0 or -1. */
static int container_describe(struct container *container, const struct node *node,
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

/* How long a container waits for GIDs, where a value of its plan needs them */
#define GID_PATIENCE_MS 200

/* The least that the plan needs: most containers need none of it. */
static struct wanted wanted_by(const struct config *config)
{
	const char *ifname = config->nccl.socket_ifname;
	bool legacy = config->nccl.gid_index == GID_INDEX_LEGACY;

	return (struct wanted){
		.gids = legacy,
		.patience = legacy ? GID_PATIENCE_MS : 0,
		.netdevs = (ifname && strcmp(ifname, "rdma") == 0) || config->frameworks.gloo,
	};
}

/* The administrator's config and the pod author's annotations. */
static int read_policy(struct container *container, const char *path, struct err *err)
{
	const struct node *node = &container->node;

	if (container_load_config_at(container, node->root, path, err) < 0)
		return -1;
	if (container->config.require_memory_limit)
		container->node_memory = node_memory(node);
	if (request_read(&container->spec, container->what, &container->request, err) < 0)
		return -1;
	/*
	 * The other VFs of the node belong to other pods: only where the administrator says so, and
	 * for those that ask, since with opt_in "device" every privileged pod of the node would do.
	 */
	if (container->spec.every_device && !container->devices.n &&
	    container->config.privileged_scan && container->request.inject == INJECT_ASKED &&
	    node_find_vfs(node, &container->arena, &container->devices, err) < 0)
		return -1;
	return 0;
}

/* A function that was warned about by its number needs no second word by its address. */
static void drop_unusable_claims(struct container *container)
{
	struct claims *claims = &container->claims;
	size_t kept = 0;

	for (size_t i = 0; i < claims->n; i++) {
		bool unusable = false;

		for (size_t k = 0; claims->item[i].file && k < container->n_unusable; k++)
			unusable |= strcmp(container->unusable[k], claims->item[i].file) == 0;
		if (!unusable)
			claims->item[kept++] = claims->item[i];
	}
	claims->n = kept;
}

/* What a limit can be raised to; 0: to any */
static uint64_t find_memlock_max(void)
{
	struct rlimit64 limit;

	if (!rootless() || getrlimit64(RLIMIT_MEMLOCK, &limit) < 0 ||
	    limit.rlim_max == RLIM64_INFINITY)
		return 0;
	return limit.rlim_max;
}

/*
 * The image's own NCCL values stay, whichever way ours come in. A root file system that is not
 * there yet, or not any more, or a file that NCCL could not read, says nothing.
 */
static int read_image(struct container *container, struct err *err)
{
	struct arena *arena = &container->arena;
	int root = container_open_root(container, err);

	if (root < 0 || nccl_conf_read(arena, root, &container->image_conf, err) < 0)
		return err->memory ? -1 : 0;
	nccl_conf_strip(&container->image_conf);
	return 0;
}

static int make_plan(struct container *container, const struct wanted *wanted, struct err *err)
{
	const struct facts facts = {
		.spec = &container->spec,
		.config = &container->config,
		.request = &container->request,
		.devices = &container->devices,
		.gpus = &container->gpus,
		.rdma_mode = container->rdma_mode,
		.image_conf = &container->image_conf,
		.node_memory = container->node_memory,
		.memlock_max = container->devices.n ? find_memlock_max() : 0,
	};
	const struct planning planning = {&container->arena, &facts, &container->plan,
					  &container->warnings};

	/* Only now, since the author of a pod decides how long the environment is. */
	if (!container->spec.every_device && container_read_claims(container, err) < 0)
		return -1;
	/* A container that gets nothing costs no query of a device, which may ask its firmware. */
	if (plan_decide(&planning, err) < 0)
		return -1;
	if (!wanted->topology && !plan_gives(planning.plan))
		return 0;
	drop_unusable_claims(container);
	if (order_devices(&container->arena, &container->claims, &container->devices,
			  &container->warnings, err) < 0 ||
	    container_describe(container, &container->node, wanted, err) < 0 ||
	    read_image(container, err) < 0)
		return -1;
	return plan_fill(&planning, err);
}

static int open_node(struct container *container, const struct options *options, struct err *err)
{
	container->spec.asked |= options->ask;
	return node_open(options->sysroot, &container->node, err);
}

int container_explain(struct container *container, const struct options *options, struct err *err)
{
	if (open_node(container, options, err) < 0 || container_find_devices(container, err) < 0 ||
	    container_find_gpus(container, err) < 0 ||
	    read_policy(container, options->config, err) < 0)
		return -1;
	container->rdma_mode = node_rdma_mode(&container->node);
	return make_plan(container,
			 &(struct wanted){.gids = true, .netdevs = true, .topology = true}, err);
}

bool container_may_matter(struct container *container)
{
	const struct spec *spec = &container->spec;
	struct err err;

	if (request_is_made(spec))
		return true;
	for (size_t i = 0; !spec->every_device && i < spec->n_devices; i++) {
		if (spec_device_may_be_verbs(&spec->devices[i]))
			return true;
	}
	if (container_mounts_count(spec))
		return true;
	return spec->every_device &&
	       (container_read_claims(container, &err) < 0 || container->claims.n > 0);
}

int container_find(struct container *container, const struct options *options, struct err *err)
{
	const struct spec *spec = &container->spec;

	if (spec->identity.sandbox)
		return 0;
	if (open_node(container, options, err) < 0 || container_find_devices(container, err) < 0)
		return -1;
	/* Only these can still get anything, or want to hear why not; no other container hears of
	 * a broken config. */
	if (!container->devices.n && !spec->every_device && !request_is_made(spec))
		return 0;
	return read_policy(container, options->config, err) < 0 ? -1 : 1;
}

int container_plan(struct container *container, struct err *err)
{
	struct wanted wanted = wanted_by(&container->config);

	return make_plan(container, &wanted, err);
}
