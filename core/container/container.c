/* SPDX-License-Identifier: Apache-2.0 */
#include "core/container/container.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/nccl_conf.h"
#include "core/node/gid.h"

void container_free(struct container *container)
{
	cleanup_close_fd(&container->fd);
	cleanup_close_fd(&container->root);
	node_close(&container->node);
	container->node = NODE_NONE;
	container->fd = -1;
	container->root = -1;
	arena_free(&container->arena);
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

static int read_config_json(struct container *container, int bundle, const char *what,
			    const char *name, struct err *err)
{
	container->fd = fs_open(bundle, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	if (container->fd < 0)
		return err_sys(err, -container->fd, "%s", what);
	if (fs_read_regular(&container->arena, container->fd, SPEC_SIZE_MAX, what, &container->text,
			    err) < 0)
		return -1;
	return container_parse_spec(container, what, err);
}

/* As the runtime will open it, which follows links and knows no openat2. */
static void read_as_the_runtime(struct container *container, int bundle, const char *name)
{
	cleanup_fd fd = openat(bundle, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	struct err ignored;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		(void)fs_read_up_to(&container->arena, fd, SPEC_SIZE_MAX, name, &container->text,
				    &ignored);
}

int container_read_spec(struct container *container, int bundle, const char *path, const char *name,
			struct err *err)
{
	const char *what = arena_printf(&container->arena, "%s/%s", path, name);

	if (!what)
		return err_memory(err);
	if (container->bundle < 0)
		container->bundle = bundle;
	if (read_config_json(container, bundle, what, name, err) == 0)
		return 0;
	if (!container->text.bytes)
		read_as_the_runtime(container, bundle, name);
	return -1;
}

bool container_names_request(const struct container *container)
{
	static const char annotation[] = "\"" SPEC_ANNOTATION_PREFIX "inject\"";
	const struct fs_text *text = &container->text;

	if (container->spec_known)
		return request_is_made(&container->spec);
	return text->bytes && memmem(text->bytes, text->len, annotation, strlen(annotation));
}

int container_open_root(struct container *container, struct err *err)
{
	const char *path = container->spec.root;
	cleanup_fd root = -1;

	if (container->root >= 0)
		return container->root;
	if (!path || !path[0])
		return err_set(err, "config.json: root.path is empty");
	root = openat(container->bundle, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return err_sys(err, errno, "root.path %s", path);
	/* Measured: a hook that believed a root of "/" wrote the node's own /etc/nccl.conf. */
	if (fs_is_own_root(root))
		return err_set(err, "root.path %s is the node's own root: refused", path);
	return container->root = take_fd(&root);
}

#define VERBS_FILE "/dev/infiniband/uverbs"

static bool is_verbs_path(const char *path)
{
	return text_starts_with(path, VERBS_FILE);
}

bool container_names_device(const struct container *container)
{
	const struct fs_text *text = &container->text;

	if (text->bytes)
		return memmem(text->bytes, text->len, "\"" VERBS_FILE, strlen("\"" VERBS_FILE));
	for (size_t i = 0; i < container->spec.n_devices; i++) {
		if (is_verbs_path(container->spec.devices[i].path))
			return true;
	}
	return false;
}

/* Looks the number up, and warns of a device that looks like verbs, and is none. */
static void find_number(struct container *container, const struct spec_device *device)
{
	struct arena *arena = &container->arena;
	enum node_number found = NUMBER_OTHER;

	if (device->character)
		found = node_find_number(&container->node, arena, device->major, device->minor,
					 &container->devices);
	if (found == NUMBER_VDPA)
		(void)warnings_add(arena, &container->warnings, "vdpa_device",
				   "%.128s is a vDPA device, which verbs cannot use: remove the "
				   "vDPA device from its PCI function",
				   device->path);
	if (found == NUMBER_OTHER && is_verbs_path(device->path))
		(void)warnings_add(
			arena, &container->warnings, "unproven_device",
			"%.128s has the device number %lld:%lld, which belongs to no verbs device "
			"on this node; if it once did, the numbers have changed since then: delete "
			"the pod, so that its devices are allocated again",
			device->path, (long long)device->major, (long long)device->minor);
}

/* The policy does not count vfio: forgets these functions, with a warning each. */
static void drop_vfio(struct container *container)
{
	struct devices *devices = &container->devices;

	for (size_t i = 0; i < devices->n_vfio; i++)
		(void)warnings_add(&container->arena, &container->warnings, "vfio_device",
				   "/dev/%.128s is a PCI function bound to vfio-pci, which verbs "
				   "cannot use: bind the functions of its pool to the kernel's "
				   "driver (SR-IOV: deviceType: netdevice), or, for the memlock "
				   "limit alone, set \"devices\": [\"verbs\", \"vfio\"] in "
				   "config.json",
				   devices->vfio[i]);
	devices->n_vfio = 0;
}

static bool lists_number(const struct spec *spec, int64_t major, int64_t minor)
{
	for (size_t i = 0; i < spec->n_devices; i++) {
		const struct spec_device *device = &spec->devices[i];

		if (device->character && device->major == major && device->minor == minor)
			return true;
	}
	return false;
}

void container_find_gpus(struct container *container)
{
	struct gpus *gpus = &container->gpus;
	size_t kept = 0;

	(void)gpu_list_driver(&container->node, &container->arena, gpus);
	for (size_t i = 0; i < gpus->n; i++) {
		if (gpus->item[i].minor >= 0 &&
		    lists_number(&container->spec, GPU_MAJOR, gpus->item[i].minor))
			gpus->item[kept++] = gpus->item[i];
	}
	gpus->n = kept;
	for (size_t i = 0; i < container->devices.n; i++)
		pci_read_place(&container->node, &container->devices.item[i].place);
}

/*
 * A rootless engine cannot create device files: podman mounts the node's instead, and linux.devices
 * is empty. The mount is then the wish of the engine's own user, who may use the device. In
 * Kubernetes, also in a rootless one, allocated devices are in linux.devices, and a mount
 * (hostPath) is only a wish of the pod's author.
 */
static bool mounts_count(const struct spec *spec)
{
	return spec->n_verbs_sources && !spec->identity.kubernetes && rootless();
}

static void find_mounted(struct container *container)
{
	const struct spec *spec = &container->spec;
	struct stat st;

	for (size_t i = 0; i < spec->n_verbs_sources; i++) {
		struct spec_device device = {.path = spec->verbs_sources[i], .character = true};

		if (stat(device.path, &st) < 0 || !S_ISCHR(st.st_mode))
			continue;
		device.major = major(st.st_rdev);
		device.minor = minor(st.st_rdev);
		if (!lists_number(spec, device.major, device.minor))
			find_number(container, &device);
	}
}

static size_t read_addresses(struct container *container)
{
	if (!container->addresses)
		container->n_addresses =
			spec_addresses(&container->arena, &container->spec, &container->addresses);
	return container->n_addresses;
}

/* In the order of linux.devices; warns of each that is neither verbs nor vfio. */
static int find_given_devices(struct container *container, struct err *err)
{
	const struct spec *spec = &container->spec;

	if (mounts_count(spec))
		find_mounted(container);
	/* What linux.devices proves, by number: paths and names prove nothing. */
	for (size_t i = 0; !spec->every_device && i < spec->n_devices; i++)
		find_number(container, &spec->devices[i]);
	/* A container with every device of the host: the environment's, as far as they exist */
	if (spec->every_device)
		read_addresses(container);
	for (size_t i = 0; i < container->n_addresses; i++)
		node_find_address(&container->node, &container->arena, container->addresses[i],
				  &container->devices);
	if (err_of_arena(&container->arena, err) < 0)
		return -1;
	container->devices_known = true;
	return 0;
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

/* ---- its plan ---- */

void container_find_netdevs(struct container *container)
{
	const struct spec *spec = &container->spec;
	struct devices *devices = &container->devices;

	/* A pod's names for its interfaces are known only in its network namespace and in Multus'
	 * files. We do not enter the namespace, because that takes CAP_SYS_ADMIN. */
	if (spec->network_namespace)
		node_read_pod_netdevs(&container->node, &container->arena, devices,
				      spec->identity.sandbox_id);
	for (size_t i = 0; !spec->network_namespace && i < devices->n; i++) {
		if (!devices->item[i].netdev[0])
			node_read_host_netdev(&container->node, &container->arena,
					      &devices->item[i]);
	}
}

/* What the plan needs to know of the devices: most containers need no more than their ports. */
static void describe_devices(struct container *container)
{
	const struct node *node = &container->node;
	const struct config *config = &container->config;
	struct arena *arena = &container->arena;
	struct devices *devices = &container->devices;
	bool netdevs = text_is(config->nccl.socket_ifname, "rdma") || config->frameworks.gloo;

	for (size_t i = 0; i < devices->n; i++) {
		node_read_ports(node, arena, &devices->item[i]);
		if (text_is(config->nccl.gid_index, "legacy"))
			node_read_gids(node, &devices->item[i]);
	}
	if (netdevs)
		container_find_netdevs(container);
	if (config->frameworks.deepep)
		container_find_gpus(container);
}

/* The administrator's config and the pod author's annotations. */
static int read_policy(struct container *container, const struct options *options, struct err *err)
{
	const struct node *node = &container->node;

	if (container_load_config(container, options, err) < 0) {
		container->devices.n_vfio = 0; /* only a policy makes them count */
		return -1;
	}
	if (!container->config.vfio)
		drop_vfio(container);
	if (container->config.require_memory_limit)
		container->node_memory = node_memory(node);
	if (request_read(&container->spec, container->what, &container->request, err) < 0)
		return -1;
	/*
	 * Other VFs of the node belong to other pods. So this is only for a container that asks, if
	 * the administrator says so: with opt_in "device" every privileged pod of the node would
	 * get them.
	 */
	if (container->spec.every_device && !container->devices.n &&
	    container->config.privileged_scan && container->request.inject == INJECT_ASKED)
		node_find_all(node, &container->arena, true, &container->devices);
	return err_of_arena(&container->arena, err);
}

/*
 * The image's own NCCL values stay, whichever entry point sets ours. A root file system that does
 * not exist yet or any more, or a file that NCCL could not read, has none.
 */
static int read_image(struct container *container, struct err *err)
{
	int root = container_open_root(container, err);

	if (root < 0 || nccl_conf_read(&container->arena, root, &container->image_conf, err) < 0)
		return err->memory ? -1 : 0;
	nccl_conf_strip(&container->image_conf);
	return 0;
}

bool container_may_matter(struct container *container)
{
	const struct spec *spec = &container->spec;

	if (request_is_made(spec))
		return true;
	for (size_t i = 0; !spec->every_device && i < spec->n_devices; i++) {
		if (spec_device_may_count(&spec->devices[i]))
			return true;
	}
	if (mounts_count(spec))
		return true;
	return spec->every_device && (read_addresses(container) || container->arena.failed);
}

int container_find(struct container *container, const struct options *options, struct err *err)
{
	struct spec *spec = &container->spec;

	spec->asked |= options->ask;
	if (!container->everything && (spec->identity.sandbox || !container_may_matter(container)))
		return 0;
	if (node_open(options->sysroot, &container->node, err) < 0 ||
	    find_given_devices(container, err) < 0)
		return -1;
	/* A device counts only by its number, so this container can get nothing: dismiss it here,
	 * before a broken config can affect it. */
	if (!devices_any(&container->devices) && !spec->every_device && !request_is_made(spec) &&
	    !container->everything)
		return 0;
	return read_policy(container, options, err) < 0 ? -1 : 1;
}

int container_plan(struct container *container, struct err *err)
{
	struct rlimit64 limit;
	/* What a rootless engine can raise the limit to; 0: to any */
	uint64_t memlock_max = container->memlock_max ? container->memlock_max
			       : rootless() && getrlimit64(RLIMIT_MEMLOCK, &limit) == 0
				       ? limit.rlim_max
				       : 0;
	const struct planning planning = {
		.arena = &container->arena,
		.spec = &container->spec,
		.config = &container->config,
		.request = &container->request,
		.devices = &container->devices,
		.gpus = &container->gpus,
		.image_conf = &container->image_conf,
		.node_memory = container->node_memory,
		.memlock_max = memlock_max,
		.lacking = container->lacking,
		.plan = &container->plan,
		.warnings = &container->warnings,
	};

	/* A container that gets nothing costs no query of a device, which may ask its firmware. */
	if (plan_decide(&planning, err) < 0)
		return -1;
	if (!plan_gives(planning.plan))
		return 0;
	devices_sort(&container->devices);
	describe_devices(container);
	return read_image(container, err) < 0 || plan_fill(&planning, err) < 0 ? -1 : 1;
}
