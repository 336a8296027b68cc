/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/topology/topology.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/child.h"
#include "core/node/node.h"

/* ---- answers ---- */

/* As long as the check of the ports has (doctor/check/check.c) */
#define LIMIT_MS 10000

enum answer_kind {
	ANSWER_FIRMWARE,
	ANSWER_PORT,
	ANSWER_DONE, /* all is said: a child may end before */
};

struct answer {
	enum answer_kind kind;
	size_t device; /* its place among the devices */
	char firmware[64];
	struct port port;
};

struct question {
	const struct doctor *doctor;
	const struct devices *devices;
};

/* ---- in the child ---- */

static void tell_firmware(const struct doctor *doctor, const struct device *device, size_t place,
			  int out)
{
	struct answer answer = {.kind = ANSWER_FIRMWARE, .device = place};
	char path[1400];

	(void)snprintf(path, sizeof(path), "%s/infiniband/%s/fw_ver", device->path, device->ibdev);
	if (tree_read_line(doctor->node.root, path, answer.firmware, sizeof(answer.firmware)) > 0)
		(void)child_tell(out, &answer, sizeof(answer));
}

static void tell_ports(const struct device *device, size_t place, int out)
{
	for (size_t i = 0; i < device->n_ports; i++)
		(void)child_tell(out,
				 &(struct answer){.kind = ANSWER_PORT,
						  .device = place,
						  .port = device->port[i]},
				 sizeof(struct answer));
}

/* Ports that only the target's network namespace has */
static void tell_hidden(const struct doctor *doctor, const struct devices *devices,
			struct arena *arena, int out)
{
	const struct node node = target_node(&doctor->target);
	struct err ignored;

	for (size_t i = 0; node.root >= 0 && i < devices->n; i++) {
		if (devices->item[i].n_ports == 0 &&
		    node_read_ports(&node, arena, &devices->item[i], true, &ignored) == 0)
			tell_ports(&devices->item[i], i, out);
	}
}

static void ask(void *context, int out)
{
	const struct question *question = context;
	const struct doctor *doctor = question->doctor;
	cleanup_arena arena = {0};
	struct err err;

	for (size_t i = 0; i < question->devices->n; i++) {
		struct device *device = &question->devices->item[i];

		tell_firmware(doctor, device, i, out);
		if (node_read_ports(&doctor->node, &arena, device, true, &err) < 0)
			return;
		tell_ports(device, i, out);
	}
	tell_hidden(doctor, question->devices, &arena, out);
	(void)child_tell(out, &(struct answer){.kind = ANSWER_DONE}, sizeof(struct answer));
}

/* ---- in the parent ---- */

static int add_port(struct arena *arena, struct spot *spot, const struct port *port)
{
	struct port *larger = arena_alloc(arena, (spot->n_ports + 1) * sizeof(*larger));

	if (!larger)
		return -1;
	if (spot->n_ports)
		memcpy(larger, spot->port, spot->n_ports * sizeof(*larger));
	larger[spot->n_ports++] = *port;
	spot->port = larger;
	return 0;
}

/* Returns 1 when all is said, 0 to go on, -1 without memory. */
static int take(struct arena *arena, const struct answer *answer, struct topology *topology)
{
	struct spot *spot = &topology->item[topology->n_gpus + answer->device];

	switch (answer->kind) {
	case ANSWER_FIRMWARE:
		memcpy(spot->firmware, answer->firmware, sizeof(spot->firmware));
		return 0;
	case ANSWER_PORT:
		return add_port(arena, spot, &answer->port);
	default:
		return 1;
	}
}

/*
 * Fills in firmware and ports of the HCAs, which are the devices in their order; .complete becomes
 * false if not all is said in time. Returns 0, or -1 without memory or child.
 */
static int answers_read(struct doctor *doctor, const struct devices *devices,
			struct topology *topology, struct err *err)
{
	struct question question = {doctor, devices};
	struct answer answer;
	struct child child;
	int taken = 0;

	if (child_start(&child, &(const struct child_setup){.foreign = true}, ask, &question,
			LIMIT_MS, err) < 0)
		return -1;
	while (taken == 0 && child_read(&child, &answer, sizeof(answer)) > 0)
		taken = take(&doctor->arena, &answer, topology);
	(void)child_end(&child);
	topology->complete = taken == 1;
	return taken < 0 ? err_memory(err) : 0;
}

/* ---- the topology ---- */

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
