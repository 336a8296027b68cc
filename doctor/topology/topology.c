/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/topology/topology.h"

#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "doctor/topology/answers.h"

/* In the words of `nvidia-smi topo -m` */
const char *const topology_legend[][2] = {
	{"X", "itself"},
	{"PIX", "one PCI switch between them at most: the nearest, best for GPUDirect RDMA"},
	{"PXB", "several PCI switches, not the CPU"},
	{"PHB", "the PCI host bridge: through the CPU"},
	{"NODE", "two host bridges of one NUMA node"},
	{"SYS", "two NUMA nodes: over the link between the CPUs"},
	{NULL, NULL},
};

const char *topology_level(const struct spot *a, const struct spot *b)
{
	return a == b ? "X" : pci_distance_name(pci_distance(&a->place, &b->place));
}

const char *topology_kind(const struct spot *spot)
{
	static const char *const names[] = {
		[DEVICE_VF] = "VF",
		[DEVICE_PF] = "PF",
		[DEVICE_SF] = "SF",
		[DEVICE_VIRTUAL] = "virtual",
	};

	return spot->gpu ? "GPU" : names[spot->kind];
}

static void read_place(const struct node *node, struct spot *spot)
{
	cleanup_fd dir = -1;
	char link[NODE_LINK_MAX];

	pci_read_place(node, &spot->place);
	if (spot->place.path)
		dir = tree_open_dir(node->root, spot->place.path);
	if (dir >= 0 && fs_read_link(dir, "iommu_group", link, sizeof(link)) >= 0)
		(void)snprintf(spot->group, sizeof(spot->group), "%.15s", text_base_name(link));
}

static void add_gpu(const struct doctor *doctor, const struct gpu *gpu, struct topology *topology)
{
	struct spot *spot = &topology->item[topology->n];

	(void)snprintf(spot->name, sizeof(spot->name), "GPU%zu", topology->n);
	(void)snprintf(spot->pci, sizeof(spot->pci), "%s", gpu->pci);
	spot->gpu = true;
	spot->pf = "";
	spot->place = gpu->place;
	read_place(&doctor->node, spot);
	topology->n++;
	topology->n_gpus++;
}

/* The RDMA device of a physical function, by name: that is how people know it. */
static const char *name_of_pf(const struct doctor *doctor, const struct device *device)
{
	for (size_t i = 0; i < doctor->all.n; i++) {
		const struct device *other = &doctor->all.item[i];

		if (other->kind == DEVICE_PF && strcmp(other->pci, device->pf) == 0)
			return other->ibdev;
	}
	return device->pf;
}

static void add_hca(const struct doctor *doctor, const struct device *device,
		    struct topology *topology)
{
	struct spot *spot = &topology->item[topology->n++];

	memcpy(spot->name, device->ibdev, sizeof(spot->name));
	memcpy(spot->pci, device->pci, sizeof(spot->pci));
	spot->kind = device->kind;
	spot->pf = device->kind == DEVICE_VF || device->kind == DEVICE_SF
			   ? name_of_pf(doctor, device)
			   : "";
	spot->place = device->place;
	read_place(&doctor->node, spot);
}

int topology_read(struct doctor *doctor, struct topology *ret_topology, struct err *err)
{
	const struct devices devices = doctor_devices(doctor);
	const size_t n = doctor->gpus.n + devices.n;
	struct topology topology = {.complete = true};

	topology.item = arena_alloc(&doctor->arena, (n + 1) * sizeof(*topology.item));
	if (!topology.item)
		return err_memory(err);
	for (size_t i = 0; i < doctor->gpus.n; i++)
		add_gpu(doctor, &doctor->gpus.item[i], &topology);
	for (size_t i = 0; i < devices.n; i++)
		add_hca(doctor, &devices.item[i], &topology);
	if (devices.n && answers_read(doctor, &devices, &topology, err) < 0)
		return -1;
	*ret_topology = topology;
	return 0;
}
