/* SPDX-License-Identifier: Apache-2.0 */
/* The devices that the engine has given a container */
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/container/container.h"

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

static int warn_number(struct container *container, const struct spec_device *device,
		       enum node_number number)
{
	struct arena *arena = &container->arena;
	struct warnings *warnings = &container->warnings;

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

static bool is_unusable(const struct spec_device *device, enum node_number number)
{
	return number == NUMBER_VDPA || (number == NUMBER_OTHER && is_verbs_path(device->path));
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
	    warn_number(container, device, (enum node_number)found) < 0)
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

int container_drop_vfio(struct container *container)
{
	struct devices *devices = &container->devices;

	for (size_t i = 0; i < devices->n_vfio; i++) {
		if (warnings_add(&container->arena, &container->warnings, "vfio_device",
				 "/dev/%.128s is a PCI function bound to vfio-pci, which verbs "
				 "cannot use: bind the functions of its pool to the kernel's "
				 "driver (SR-IOV: deviceType: netdevice), or, for the memlock "
				 "limit alone, set \"devices\": [\"verbs\", \"vfio\"] in "
				 "config.json",
				 devices->vfio[i]) < 0)
			return -1;
	}
	devices->n_vfio = 0;
	return 0;
}

bool container_has_number(const struct spec *spec, int64_t major, int64_t minor)
{
	for (size_t i = 0; i < spec->n_devices; i++) {
		const struct spec_device *device = &spec->devices[i];

		if (device->character && device->major == major && device->minor == minor)
			return true;
	}
	return false;
}

int container_find_gpus(struct container *container, struct err *err)
{
	struct gpus *gpus = &container->gpus;
	size_t kept = 0;

	if (gpu_list_driver(&container->node, &container->arena, gpus, err) < 0)
		return -1;
	for (size_t i = 0; i < gpus->n; i++) {
		if (gpus->item[i].minor >= 0 &&
		    container_has_number(&container->spec, GPU_MAJOR, gpus->item[i].minor))
			gpus->item[kept++] = gpus->item[i];
	}
	gpus->n = kept;
	for (size_t i = 0; i < container->devices.n; i++)
		pci_read_place(&container->node, &container->devices.item[i].place);
	return 0;
}

/*
 * A rootless engine can make no device files: podman mounts the node's instead, and linux.devices
 * is empty. There the user of the engine asks for the mount. In Kubernetes it is a pod's author, by
 * a volume of the host's files (hostPath), to whom no device was allocated; also in a rootless one,
 * whose engine gets the allocated devices in linux.devices as any other does.
 */
bool container_mounts_count(const struct spec *spec)
{
	return spec->n_verbs_sources && !spec->identity.kubernetes && rootless();
}

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
		if (!container_has_number(spec, device.major, device.minor) &&
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

int container_read_claims(struct container *container, struct err *err)
{
	if (container->has_claims)
		return 0;
	if (claims_read(&container->arena, &container->spec, &container->claims,
			&container->warnings, err) < 0)
		return -1;
	container->has_claims = true;
	return 0;
}

static int find_every_device(struct container *container, const struct node *node, struct err *err)
{
	if (container_mounts_count(&container->spec) && find_mounted(container, node, err) < 0)
		return -1;
	if (!container->spec.every_device)
		return find_proven(container, node, err);
	return container_read_claims(container, err) < 0 ? -1 : find_named(container, node, err);
}

int container_find_devices(struct container *container, struct err *err)
{
	if (find_every_device(container, &container->node, err) < 0)
		return -1;
	container->devices_known = true;
	return 0;
}
