/* SPDX-License-Identifier: Apache-2.0 */
#include "core/container/container.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/nccl_conf.h"
#include "core/node/network.h"
#include "core/plan/planning.h"
#include "core/process/memlock.h"

void container_free(struct container *container)
{
	cleanup_close_fd(&container->fd);
	cleanup_close_fd(&container->bundle);
	cleanup_close_fd(&container->root);
	node_close(&container->node);
	arena_free(&container->arena);
	*container = CONTAINER_NONE;
}

int container_parse_spec(struct container *container, const char *what, struct err *err)
{
	container->what = what;
	if (spec_parse(&container->arena, what, container->text.bytes, container->text.len,
		       &container->spec, err) < 0)
		return -1;
	container->spec_known = true;
	if (!container->id)
		container->id = container->spec.identity.id;
	return 0;
}

/* Follows links */
static void read_as_runtime(struct container *container, int bundle, const char *name)
{
	cleanup_fd fd = openat(bundle, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	struct err ignored;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		(void)fs_read_up_to(&container->arena, fd, SPEC_SIZE_MAX, name, &container->text,
				    &ignored);
}

int container_read_spec(struct container *container, int dir, const char *path, const char *name,
			struct err *err)
{
	const char *what = arena_printf(&container->arena, "%s/%s", path, name);

	if (!what)
		return err_memory(err);
	container->fd = fs_open(dir, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	if (container->fd < 0)
		err_sys(err, -container->fd, "%s", what);
	else if (fs_read_regular(&container->arena, container->fd, SPEC_SIZE_MAX, what,
				 &container->text, err) == 0)
		return container_parse_spec(container, what, err);
	read_as_runtime(container, dir, name);
	return -1;
}

int container_open_root(struct container *container, struct err *err)
{
	const char *path = container->spec.root;
	cleanup_fd root = -1;

	if (container->root >= 0)
		return container->root;
	if (!path || !path[0])
		return err_set(err, "config.json: root.path is empty");
	if (path[0] != '/' && container->bundle < 0)
		return err_set(err, "root.path %s is relative, and its bundle is not known", path);
	root = openat(container->bundle, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return err_sys(err, errno, "root.path %s", path);
	/* With root.path "/" a hook wrote the node's /etc/nccl.conf. */
	if (fs_is_own_root(root))
		return err_set(err, "root.path %s is the node's own root: refused", path);
	return container->root = steal_fd(&root);
}

void container_find_number(struct container *container, const struct spec_device *device)
{
	enum node_number found = NUMBER_OTHER;

	if (device->character)
		found = node_find_number(&container->node, &container->arena, device->major,
					 device->minor, &container->devices);
	if (found == NUMBER_VDPA ||
	    (found == NUMBER_OTHER && text_starts_with(device->path, VERBS_FILE)))
		container_warn_of_number(container, device, found);
}

static int find_given_devices(struct container *container, struct err *err)
{
	const struct spec *spec = &container->spec;

	if (spec->n_verbs_sources && container_mounts_count(spec))
		container_find_mounted(container);
	if (spec->every_device)
		container_find_named(container);
	/* Only linux.devices' numbers prove devices. */
	for (size_t i = 0; !spec->every_device && i < spec->n_devices; i++)
		container_find_number(container, &spec->devices[i]);
	container->devices_known = !container->arena.failed;
	return err_of_arena(&container->arena, err);
}

int container_load_config(struct container *container, const struct options *options,
			  struct err *err)
{
	cleanup_fd opened = -1;
	int sysroot = container->node.root;

	if (container->has_config)
		return 0;
	container->config.path = options->config ? options->config : "/" CONFIG_PATH;
	if (sysroot < 0)
		sysroot = opened = tree_open_root(options->sysroot, err);
	if (sysroot < 0 ||
	    config_load(&container->arena, sysroot, options->config, &container->config, err) < 0)
		return -1;
	container->has_config = true;
	return 0;
}

static void describe_devices(struct container *container)
{
	const struct node *node = &container->node;
	const struct config *config = &container->config;
	struct devices *devices = &container->devices;

	for (size_t i = 0; i < devices->n; i++) {
		node_read_ports(node, &container->arena, &devices->item[i]);
		if (text_is(config->nccl.gid_index, "legacy"))
			node_read_gids(node, &devices->item[i]);
	}
	if (text_is(config->nccl.socket_ifname, "rdma") || config->frameworks.gloo)
		container_find_netdevs(container);
	if (config->frameworks.deepep)
		container_find_gpus(container);
}

static int read_policy(struct container *container, const struct options *options, struct err *err)
{
	const char *what = container->what ? text_base_name(container->what) : "its annotations";

	if (container_load_config(container, options, err) < 0) {
		container->devices.n_vfio = 0; /* only the policy counts them */
		return -1;
	}
	if (!container->config.vfio && container->devices.n_vfio)
		container_drop_vfio(container);
	if (container->config.require_memory_limit)
		container->node_memory = node_memory(&container->node);
	/* The pod's author reads this: hide the node's directories. */
	if (request_read(&container->spec, what, &container->request, err) < 0)
		return -1;
	/* Only if it asks: opt_in "device" would give other pods' VFs to every privileged pod. */
	if (container->spec.every_device && !container->devices.n &&
	    container->config.privileged_scan && container->request.inject == INJECT_ASKED)
		node_find_all(&container->node, &container->arena, true, &container->devices);
	devices_sort(&container->devices);
	return err_of_arena(&container->arena, err);
}

/* The image's NCCL values stay. A missing or unreadable file counts as empty. */
static int read_image(struct container *container, struct err *err)
{
	int root = container_open_root(container, err);

	if (root < 0 || nccl_conf_read(&container->arena, root, &container->image_conf, err) < 0)
		return err->errnum == ENOMEM ? -1 : 0;
	nccl_conf_remove_block(&container->image_conf);
	return 0;
}

bool container_needs_decision(struct container *container)
{
	const struct spec *spec = &container->spec;
	const char *const *addresses;

	if (request_is_made(spec) || (spec->n_verbs_sources && container_mounts_count(spec)))
		return true;
	if (spec->every_device)
		return spec_addresses(&container->arena, spec, &addresses) ||
		       container->arena.failed;
	for (size_t i = 0; i < spec->n_devices; i++) {
		if (spec_device_may_count(&spec->devices[i]))
			return true;
	}
	return false;
}

int container_find(struct container *container, const struct options *options, struct err *err)
{
	struct spec *spec = &container->spec;

	spec->asked |= options->ask;
	if (!container->everything &&
	    (spec->identity.sandbox || !container_needs_decision(container)))
		return 0;
	if (node_open(options->sysroot, &container->node, err) < 0 ||
	    find_given_devices(container, err) < 0)
		return -1;
	/* Dismiss it before a broken config can affect it. */
	if (!devices_any(&container->devices) && !spec->every_device && !request_is_made(spec) &&
	    !container->everything)
		return 0;
	return read_policy(container, options, err) < 0 ? -1 : 1;
}

int container_plan(struct container *container, struct err *err)
{
	struct planning planning = {
		.arena = &container->arena,
		.spec = &container->spec,
		.config = &container->config,
		.request = &container->request,
		.devices = &container->devices,
		.gpus = &container->gpus,
		.image_conf = &container->image_conf,
		.node_memory = container->node_memory,
		.memlock_max = container->memlock_max,
		.lacking = container->lacking,
		.plan = &container->plan,
		.warnings = &container->warnings,
	};

	if (!planning.memlock_max)
		planning.memlock_max = rootless_memlock_max();
	/* Without a grant query no device: it may ask its firmware. */
	if (plan_decide(&planning, err) < 0)
		return -1;
	if (!plan_gives(planning.plan))
		return 0;
	describe_devices(container);
	return read_image(container, err) < 0 || plan_fill(&planning, err) < 0 ? -1 : 1;
}

bool container_names_request(const struct container *container)
{
	static const char annotation[] = "\"" SPEC_ANNOTATION_PREFIX "inject\"";
	const struct fs_text *text = &container->text;

	if (container->spec_known)
		return request_is_made(&container->spec);
	return text->bytes && memmem(text->bytes, text->len, annotation, strlen(annotation));
}

bool container_names_device(const struct container *container)
{
	static const char path[] = "\"" VERBS_FILE;
	const struct fs_text *text = &container->text;

	if (text->bytes)
		return memmem(text->bytes, text->len, path, strlen(path));
	for (size_t i = 0; i < container->spec.n_devices; i++) {
		if (text_starts_with(container->spec.devices[i].path, VERBS_FILE))
			return true;
	}
	return false;
}
