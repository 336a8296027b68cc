/* SPDX-License-Identifier: Apache-2.0 */
#include "run/container.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "apply/process.h"
#include "base/cleanup.h"
#include "base/fs.h"
#include "base/text.h"
#include "plan/order.h"
#include "report/log.h"

void container_free(struct container *container)
{
	cleanup_close_fd(&container->fd);
	container->fd = -1;
	arena_free(&container->arena);
}

int container_parse_spec(struct container *container, const char *what, struct err *err)
{
	container->what = what;
	if (spec_parse(&container->arena, what, container->text.bytes, container->text.len,
		       &container->spec, err) < 0)
		return -1;
	if (!container->id)
		container->id = container->spec.id;
	return 0;
}

int container_read_spec(struct container *container, int bundle, const char *path, const char *name,
			struct err *err)
{
	const char *what = arena_printf(&container->arena, "%s/%s", path, name);

	if (!what)
		return err_memory(err);
	container->fd = fs_open(bundle, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	if (container->fd < 0)
		return err_sys(err, -container->fd, "%s", what);
	if (fs_read_regular(&container->arena, container->fd, SPEC_SIZE_MAX, what, &container->text,
			    err) < 0)
		return -1;
	return container_parse_spec(container, what, err);
}

static bool is_verbs_path(const char *path)
{
	return text_starts_with(path, "/dev/infiniband/uverbs");
}

/* What linux.devices proves, by number: paths and names prove nothing. */
static int find_proven(struct container *container, const struct node *node, struct err *err)
{
	for (size_t i = 0; i < container->spec.n_devices; i++) {
		const struct spec_device *device = &container->spec.devices[i];
		int found = 0;

		if (device->character)
			found = node_find_number(node, &container->arena, device->major,
						 device->minor, &container->devices, err);
		if (found < 0)
			return -1;
		if (found || !is_verbs_path(device->path))
			continue;
		if (warnings_add(&container->arena, &container->warnings, "unproven_device",
				 "%.128s has number %lld:%lld, which is no verbs device on this "
				 "node",
				 device->path, (long long)device->major,
				 (long long)device->minor) < 0)
			return err_memory(err);
	}
	return 0;
}

/* A container with every device of the host: the environment's devices, as far as they exist. */
static int find_named(struct container *container, const struct node *node, struct err *err)
{
	for (size_t i = 0; i < container->claims.n; i++) {
		if (node_find_address(node, &container->arena, container->claims.item[i].address,
				      &container->devices, err) < 0)
			return -1;
	}
	return 0;
}

static int find_devices(struct container *container, const struct node *node, struct err *err)
{
	if (!container->spec.every_device)
		return find_proven(container, node, err);
	if (claims_read(&container->arena, &container->spec, &container->claims,
			&container->warnings, err) < 0)
		return -1;
	return find_named(container, node, err);
}

static int load_config(struct container *container, int sysroot, const char *path, struct err *err)
{
	if (container->has_config)
		return 0;
	if (config_load(&container->arena, sysroot, path, &container->config, err) < 0)
		return -1;
	container->has_config = true;
	return 0;
}

int container_load_config(struct container *container, const struct options *options,
			  struct err *err)
{
	cleanup_fd sysroot = open(options->sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (sysroot < 0)
		return err_sys(err, errno, "sysroot %s", options->sysroot);
	return load_config(container, sysroot, options->config, err);
}

/* The administrator's config and the pod author's annotations. */
static int read_policy(struct container *container, const struct node *node, const char *path,
		       struct err *err)
{
	if (load_config(container, node->root, path, err) < 0)
		return -1;
	/* The other VFs of the node belong to other pods: only where the administrator says so. */
	if (container->spec.every_device && !container->devices.n &&
	    container->config.privileged_scan &&
	    node_find_vfs(node, &container->arena, &container->devices, err) < 0)
		return -1;
	return request_read(&container->spec, container->what, &container->request, err);
}

/* all: what a person wants to see, not only what the plan needs */
static int describe(struct container *container, const struct node *node, bool all, struct err *err)
{
	const struct config *config = &container->config;
	bool netdev = config->nccl.socket_ifname && strcmp(config->nccl.socket_ifname, "rdma") == 0;

	for (size_t i = 0; i < container->devices.n; i++) {
		struct device *device = &container->devices.item[i];

		if (node_read_ports(node, &container->arena, device, err) < 0)
			return -1;
		if (all || config->nccl.gid_index == GID_INDEX_LEGACY)
			node_read_gids(node, device);
		if ((all || netdev) && container->spec.network_namespace)
			node_read_pod_netdev(node, device, container->spec.sandbox_id);
		else if (all || netdev)
			node_read_host_netdev(node, device);
		if (all)
			node_read_topology(node, device);
	}
	return 0;
}

static int make_plan(struct container *container, const struct node *node, bool all,
		     struct err *err)
{
	struct facts facts = {
		.spec = &container->spec,
		.config = &container->config,
		.request = &container->request,
		.devices = &container->devices,
	};

	/* Only now, since a pod's author can make the environment as long as he likes. */
	if (!container->spec.every_device &&
	    claims_read(&container->arena, &container->spec, &container->claims,
			&container->warnings, err) < 0)
		return -1;
	if (order_devices(&container->arena, &container->claims, &container->devices,
			  &container->warnings, err) < 0 ||
	    describe(container, node, all, err) < 0)
		return -1;
	return plan_make(&container->arena, &facts, &container->plan, &container->warnings, err);
}

int container_explain(struct container *container, const struct options *options, struct err *err)
{
	cleanup_node node = NODE_NONE;

	if (node_open(options->sysroot, &node, err) < 0 ||
	    find_devices(container, &node, err) < 0 ||
	    read_policy(container, &node, options->config, err) < 0)
		return -1;
	return make_plan(container, &node, true, err);
}

int container_decide(struct container *container, const struct options *options, bool *ret_proven,
		     struct err *err)
{
	const struct spec *spec = &container->spec;
	cleanup_node node = NODE_NONE;
	int status;

	*ret_proven = false;
	if (spec->sandbox)
		return 0;
	if (node_open(options->sysroot, &node, err) < 0 || find_devices(container, &node, err) < 0)
		return -1;
	*ret_proven = container->devices.n > 0;
	/* Only these can still get anything; no other container hears of a broken config. */
	if (!*ret_proven && !spec->every_device && !request_asks(spec))
		return 0;
	status = read_policy(container, &node, options->config, err);
	*ret_proven = container->devices.n > 0;
	return status < 0 ? -1 : make_plan(container, &node, false, err);
}

int container_limit_grant(struct container *container, struct grant *grant, const char *way_in,
			  struct err *err)
{
	struct plan *plan = &container->plan;

	if (!grant->memlock || !plan->adds_rlimit ||
	    process_may_have_memlock(grant->memlock, err) == 0)
		return 0;
	if (container->config.fail_on_error)
		return -1;
	log_failure_silently(container, err, way_in);
	grant->memlock = 0;
	plan->sets_memlock = false;
	return 0;
}
