/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/explain.h"

#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "explain/device_warnings.h"

/* uverbs and umad cannot be opened from another namespace (ib_uverbs_open:
 * rdma_dev_access_netns). */
static int warn_namespace(struct container *container, enum rdma_mode mode,
			  const struct device *device)
{
	if (mode != RDMA_MODE_EXCLUSIVE || !container->spec.network_namespace || !device->n_ports)
		return 0;
	return warnings_add(&container->arena, &container->warnings, "rdma_netns",
			    "on this node an RDMA device belongs to one network namespace, and %s "
			    "is in the node's: the container cannot open it (EPERM); let the "
			    "network plugin rdma-cni move it into the pod",
			    device->ibdev);
}

/* " 0000:3b:02.6 (DMA-FQ)" */
static const char *append_translated(struct arena *arena, const char *list, const char *pci,
				     const struct pci_place *place)
{
	if (!list || !pci_translates(place))
		return list;
	return arena_printf(arena, "%s%s%s (%s)", list, list[0] ? ", " : "", pci, place->iommu);
}

/* Registration succeeds, because the GPU driver maps its memory for the NIC, but transfers may fail
 * (topology.h). */
static int warn_iommu(struct container *container)
{
	const struct gpus *gpus = &container->gpus;
	struct arena *arena = &container->arena;
	const char *list = "";

	if (!gpus->n)
		return 0;
	for (size_t i = 0; i < container->devices.n; i++)
		list = append_translated(arena, list, container->devices.item[i].pci,
					 &container->devices.item[i].place);
	for (size_t i = 0; i < gpus->n; i++)
		list = append_translated(arena, list, gpus->item[i].pci, &gpus->item[i].place);
	if (!list)
		return -1;
	if (!list[0])
		return 0;
	return warnings_add(arena, &container->warnings, "iommu_translates",
			    "the IOMMU translates the addresses of %s: GPUDirect RDMA fails with "
			    "IBV_WC_LOC_PROT_ERR (4, vendor 81), or is slow; boot the node with "
			    "iommu=pt (Arm: iommu.passthrough=1)",
			    list);
}

int surroundings_warn(struct container *container, enum rdma_mode mode)
{
	if (container->plan.decision != DECISION_GRANT)
		return 0;
	if (ports_warn(container) < 0)
		return -1;
	for (size_t i = 0; i < container->devices.n; i++) {
		if (warn_namespace(container, mode, &container->devices.item[i]) < 0)
			return -1;
	}
	return warn_iommu(container);
}

static bool is_mounted(const struct container *container, const char *uverbs)
{
	const struct spec *spec = &container->spec;
	bool mounted = false;

	for (size_t i = 0; i < container->devices.n; i++) {
		if (strcmp(container->devices.item[i].uverbs, uverbs) == 0)
			return false;
	}
	for (size_t i = 0; i < spec->n_verbs_sources && !mounted; i++) {
		const char *source = spec->verbs_sources[i];

		mounted = strlen(source) <= strlen(SPEC_VERBS_DIR) ||
			  strcmp(text_base_name(source), uverbs) == 0;
	}
	return mounted;
}

/* A hostPath shows files; the cgroup blocks unallocated devices. */
static int warn_mounted(struct container *container)
{
	const struct spec *spec = &container->spec;
	const char **names = NULL;
	size_t shown = 0;
	int n;

	if (!spec->n_verbs_sources || spec->every_device || container_mounts_count(spec))
		return 0;
	n = tree_list(&container->arena, container->node.root, "sys/class/infiniband_verbs", "",
		      &names);
	for (int i = 0; i < n; i++)
		shown += text_starts_with(names[i], "uverbs") && is_mounted(container, names[i]);
	if (!shown)
		return 0;
	return warnings_add(
		&container->arena, &container->warnings, "mounted_devices",
		"the container mounts %s of the node, which allocates nothing: it shows "
		"%zu RDMA device%s that the container may not open (EPERM); request "
		"devices in its resources, and remove the volume",
		spec->verbs_sources[0], shown, shown == 1 ? "" : "s");
}

static void describe_everything(struct container *container)
{
	struct devices *devices = &container->devices;

	for (size_t i = 0; i < devices->n; i++) {
		ports_read_all(&container->node, &container->arena, &devices->item[i]);
		pci_read_iommu(&container->node, &devices->item[i].place);
	}
	container_find_netdevs(container);
	if (!container->gpus.n)
		container_find_gpus(container);
	for (size_t i = 0; i < container->gpus.n; i++)
		pci_read_iommu(&container->node, &container->gpus.item[i].place);
}

int container_explain(struct container *container, const struct options *options,
		      enum rdma_mode *ret_mode, struct err *err)
{
	struct claims claims;

	*ret_mode = RDMA_MODE_UNKNOWN;
	container->everything = true;
	if (container_find(container, options, err) < 0 || container_plan(container, err) < 0 ||
	    claims_read(&container->arena, &container->spec, &claims, &container->warnings, err) <
		    0)
		return -1;
	describe_everything(container);
	*ret_mode = node_rdma_mode(&container->node);
	if (warn_mounted(container) < 0 || devices_label(container, &claims) < 0 ||
	    surroundings_warn(container, *ret_mode) < 0)
		return err_memory(err);
	return err_of_arena(&container->arena, err);
}
