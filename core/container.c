/* SPDX-License-Identifier: Apache-2.0 */
#include "core/container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/rootless.h"
#include "core/base/text.h"
#include "core/base/tree.h"
#include "core/deadline.h"
#include "core/node/memory.h"
#include "core/node/netdev.h"
#include "core/node/podnet.h"
#include "core/node/port.h"
#include "core/node/rdma_mode.h"
#include "core/plan/order.h"
#include "core/spec/image.h"

/* How long a container waits for GIDs, where a value of its plan needs them */
#define GID_PATIENCE_MS 200

/* What is to be known of the devices, beyond names and ports */
struct wanted {
	bool gids;
	int patience; /* for GIDs that are not there yet, in milliseconds */
	bool netdevs;
	bool topology;
};

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

void container_free(struct container *container)
{
	cleanup_close_fd(&container->fd);
	cleanup_close_fd(&container->root);
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
	if (!container->id)
		container->id = container->spec.identity.id;
	return 0;
}

int container_read_spec(struct container *container, int bundle, const char *path, const char *name,
			struct err *err)
{
	const char *what = arena_printf(&container->arena, "%s/%s", path, name);

	if (!what)
		return err_memory(err);
	if (container->bundle < 0)
		container->bundle = bundle;
	container->fd = fs_open(bundle, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	if (container->fd < 0)
		return err_sys(err, -container->fd, "%s", what);
	if (fs_read_regular(&container->arena, container->fd, SPEC_SIZE_MAX, what, &container->text,
			    err) < 0)
		return -1;
	return container_parse_spec(container, what, err);
}

int container_open_root(struct container *container, struct err *err)
{
	if (container->root < 0)
		container->root = rootfs_open(container->bundle, container->spec.root, err);
	return container->root;
}

#define VERBS_FILE "/dev/infiniband/uverbs"

static bool is_verbs_path(const char *path)
{
	return text_starts_with(path, VERBS_FILE);
}

bool container_names_device(const struct fs_text *text)
{
	return memmem(text->bytes, text->len, "\"" VERBS_FILE, strlen("\"" VERBS_FILE));
}

static int warn_number(struct container *container, const struct spec_device *device,
		       enum node_number number)
{
	struct arena *arena = &container->arena;
	struct warnings *warnings = &container->warnings;

	if (number == NUMBER_VFIO)
		return warnings_add(arena, warnings, "vfio_device",
				    "%.128s is a PCI function bound to vfio-pci, which verbs "
				    "cannot use: bind the functions of its pool to the kernel's "
				    "driver (SR-IOV: deviceType: netdevice)",
				    device->path);
	if (number == NUMBER_VDPA)
		return warnings_add(arena, warnings, "vdpa_device",
				    "%.128s is a vDPA device, which verbs cannot use: remove the "
				    "vDPA device from its PCI function",
				    device->path);
	return warnings_add(arena, warnings, "unproven_device",
			    "%.128s has the device number %lld:%lld, which belongs to no verbs "
			    "device on this node; if it once did, the numbers have changed since "
			    "then: delete the pod, so that its devices are allocated again",
			    device->path, (long long)device->major, (long long)device->minor);
}

/* What was allocated, but is of no use to verbs: is said, and remembered. Returns -1 without
 * memory. */
static int note_unusable(struct container *container, const struct spec_device *device,
			 enum node_number number)
{
	const char **larger =
		arena_grow(&container->arena, container->unusable, container->n_unusable,
			   &container->unusable_room, sizeof(*larger));

	if (!larger)
		return -1;
	container->unusable = larger;
	container->unusable[container->n_unusable++] = device->path;
	return warn_number(container, device, number);
}

static bool is_unusable(const struct spec_device *device, enum node_number number)
{
	return number == NUMBER_VFIO || number == NUMBER_VDPA ||
	       (number != NUMBER_VERBS && is_verbs_path(device->path));
}

static int find_number(struct container *container, const struct node *node,
		       const struct spec_device *device, struct err *err)
{
	int found = NUMBER_OTHER;

	if (device->character)
		found = node_find_number(node, &container->arena, device->major, device->minor,
					 &container->devices, err);
	if (found < 0)
		return -1;
	if (is_unusable(device, (enum node_number)found) &&
	    note_unusable(container, device, (enum node_number)found) < 0)
		return err_memory(err);
	return 0;
}

/* What linux.devices proves, by number: paths and names prove nothing. */
static int find_proven(struct container *container, const struct node *node, struct err *err)
{
	for (size_t i = 0; i < container->spec.n_devices; i++) {
		if (find_number(container, node, &container->spec.devices[i], err) < 0)
			return -1;
	}
	return 0;
}

static bool has_device(const struct spec *spec, int64_t major, int64_t minor)
{
	for (size_t i = 0; i < spec->n_devices; i++) {
		const struct spec_device *device = &spec->devices[i];

		if (device->character && device->major == major && device->minor == minor)
			return true;
	}
	return false;
}

/*
 * A rootless engine can make no device files: podman mounts the node's instead, and linux.devices
 * is empty. Whoever asks for a mount there is the one who runs the engine; on a node he would be a
 * pod's author, by a volume of the host's files, to whom no device was allocated.
 */
static int find_mounted(struct container *container, const struct node *node, struct err *err)
{
	const struct spec *spec = &container->spec;
	struct stat st;

	for (size_t i = 0; i < spec->n_verbs_sources; i++) {
		struct spec_device device = {.path = spec->verbs_sources[i], .character = true};

		if (stat(device.path, &st) < 0 || !S_ISCHR(st.st_mode))
			continue;
		device.major = major(st.st_rdev);
		device.minor = minor(st.st_rdev);
		if (!has_device(spec, device.major, device.minor) &&
		    find_number(container, node, &device, err) < 0)
			return -1;
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
	if (container->spec.n_verbs_sources && rootless() && find_mounted(container, node, err) < 0)
		return -1;
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
	cleanup_fd sysroot = tree_open_root(options->sysroot, err);

	return sysroot < 0 ? -1 : load_config(container, sysroot, options->config, err);
}

/* The administrator's config and the pod author's annotations. */
static int read_policy(struct container *container, const struct node *node, const char *path,
		       struct err *err)
{
	if (load_config(container, node->root, path, err) < 0)
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

/*
 * The container's network namespace: the spec's path, or in a hook that of the first process.
 * Returns a descriptor, or -1 where there is none yet, or only that of a recorded node.
 */
static int open_network(const struct container *container, const struct node *node)
{
	char path[64];

	if (node->recorded || !container->spec.network_namespace)
		return -1;
	/* "/proc/PID/ns/net", too, which is no path below any root; the engine wrote it. */
	if (container->spec.network_path)
		return open(container->spec.network_path,
			    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (container->pid <= 1)
		return -1;
	(void)snprintf(path, sizeof(path), "/proc/%lld/ns/net", (long long)container->pid);
	return open(path, O_RDONLY | O_CLOEXEC);
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

static int describe(struct container *container, const struct node *node,
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

	if (root < 0)
		return 0;
	if (image_read_nccl_conf(arena, root, &container->image_conf, err) < 0)
		return err->memory ? -1 : 0;
	image_strip_blocks(&container->image_conf);
	return 0;
}

static int make_plan(struct container *container, const struct node *node,
		     const struct wanted *wanted, struct err *err)
{
	struct facts facts = {
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

	/* Only now, since a pod's author can make the environment as long as he likes. */
	if (!container->spec.every_device &&
	    claims_read(&container->arena, &container->spec, &container->claims,
			&container->warnings, err) < 0)
		return -1;
	/* Whoever gets nothing costs no query of a device, which may ask its firmware. */
	if (plan_decide(&container->arena, &facts, &container->plan, err) < 0)
		return -1;
	if (!wanted->topology && !plan_gives(&container->plan))
		return 0;
	drop_unusable_claims(container);
	if (order_devices(&container->arena, &container->claims, &container->devices,
			  &container->warnings, err) < 0 ||
	    describe(container, node, wanted, err) < 0 || read_image(container, err) < 0)
		return -1;
	return plan_make(&container->arena, &facts, &container->plan, &container->warnings, err);
}

/* Those of the node's GPUs that linux.devices gives it. */
static int find_gpus(struct container *container, const struct node *node, struct err *err)
{
	struct gpus *gpus = &container->gpus;
	size_t kept = 0;

	if (gpu_list_driver(node, &container->arena, gpus, err) < 0)
		return -1;
	for (size_t i = 0; i < gpus->n; i++) {
		if (gpus->item[i].minor >= 0 &&
		    has_device(&container->spec, GPU_MAJOR, gpus->item[i].minor))
			gpus->item[kept++] = gpus->item[i];
	}
	gpus->n = kept;
	return 0;
}

int container_explain(struct container *container, const struct options *options, struct err *err)
{
	cleanup_node node = NODE_NONE;

	container->spec.asked |= options->ask;
	if (node_open(options->sysroot, &node, err) < 0 ||
	    find_devices(container, &node, err) < 0 || find_gpus(container, &node, err) < 0 ||
	    read_policy(container, &node, options->config, err) < 0)
		return -1;
	container->rdma_mode = node_rdma_mode(&node);
	return make_plan(container, &node,
			 &(struct wanted){.gids = true, .netdevs = true, .topology = true}, err);
}

/*
 * The kernel's verbs devices have major 231, from the 33rd on one that is chosen when ib_uverbs is
 * loaded (drivers/infiniband/core/uverbs_main.c), in these ranges (fs/char_dev.c,
 * find_dynamic_major).
 */
static bool may_be_verbs(const struct spec_device *device)
{
	int64_t major = device->major;

	return device->character &&
	       (major == 231 || (major >= 234 && major <= 254) || (major >= 384 && major <= 511));
}

bool container_may_matter(struct container *container)
{
	const struct spec *spec = &container->spec;
	struct warnings ignored = {0};
	struct claims claims = {0};
	struct err err;

	if (request_is_made(spec))
		return true;
	for (size_t i = 0; !spec->every_device && i < spec->n_devices; i++) {
		if (may_be_verbs(&spec->devices[i]))
			return true;
	}
	if (spec->n_verbs_sources && rootless())
		return true;
	return spec->every_device &&
	       (claims_read(&container->arena, spec, &claims, &ignored, &err) < 0 || claims.n > 0);
}

int container_decide(struct container *container, const struct options *options, bool *ret_proven,
		     struct err *err)
{
	const struct spec *spec = &container->spec;
	cleanup_node node = NODE_NONE;
	struct wanted wanted;
	int status;

	*ret_proven = false;
	container->spec.asked |= options->ask;
	if (spec->identity.sandbox)
		return 0;
	if (node_open(options->sysroot, &node, err) < 0 || find_devices(container, &node, err) < 0)
		return -1;
	*ret_proven = container->devices.n > 0;
	/* Only these can still get anything, or want to hear why not; no other container hears of
	 * a broken config. */
	if (!*ret_proven && !spec->every_device && !request_is_made(spec))
		return 0;
	status = read_policy(container, &node, options->config, err);
	/* With privileged_scan the policy has found devices. */
	*ret_proven = container->devices.n > 0;
	deadline_must_fail(*ret_proven && container->has_config && container->config.fail_on_error);
	if (status < 0)
		return -1;
	wanted = wanted_by(&container->config);
	return make_plan(container, &node, &wanted, err);
}
