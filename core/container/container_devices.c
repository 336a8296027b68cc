/* SPDX-License-Identifier: Apache-2.0 */
/* container.h declares these: devices outside linux.devices, interfaces, GPUs */
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/base/rootless.h"
#include "core/container/container.h"
#include "core/node/network.h"

void container_warn_of_number(struct container *container, const struct spec_device *device,
			      enum node_number found)
{
	if (found == NUMBER_VDPA)
		(void)warnings_add(&container->arena, &container->warnings, "vdpa_device",
				   "%.128s is a vDPA device, which verbs cannot use: remove the "
				   "vDPA device from its PCI function",
				   device->path);
	else
		(void)warnings_add(
			&container->arena, &container->warnings, "unproven_device",
			"%.128s has the device number %lld:%lld, which belongs to no verbs device "
			"on this node; if it once did, the numbers have changed since then: delete "
			"the pod, so that its devices are allocated again",
			device->path, (long long)device->major, (long long)device->minor);
}

void container_drop_vfio(struct container *container)
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

/* Rootless podman cannot create device files: it mounts those its user may use. Kubernetes, even
 * rootless, uses linux.devices; a hostPath proves nothing. */
bool container_mounts_count(const struct spec *spec)
{
	return !spec->identity.kubernetes && rootless();
}

void container_find_mounted(struct container *container)
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
			container_find_number(container, &device);
	}
}

void container_find_named(struct container *container)
{
	struct arena *arena = &container->arena;
	const char *const *addresses;
	size_t n = spec_addresses(arena, &container->spec, &addresses);

	for (size_t i = 0; i < n; i++)
		node_find_address(&container->node, arena, addresses[i], &container->devices);
}

void container_find_netdevs(struct container *container)
{
	const struct spec *spec = &container->spec;
	struct devices *devices = &container->devices;

	/* Only Multus' files and the pod's network namespace (CAP_SYS_ADMIN to enter) name its
	 * interfaces. */
	if (spec->network_namespace)
		node_read_pod_netdevs(&container->node, &container->arena, devices,
				      spec->identity.sandbox_id);
	for (size_t i = 0; !spec->network_namespace && i < devices->n; i++) {
		if (!devices->item[i].netdev[0])
			node_read_host_netdev(&container->node, &container->arena,
					      &devices->item[i]);
	}
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
