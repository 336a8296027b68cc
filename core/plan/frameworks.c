/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/frameworks.h"

#include <string.h>

#include "core/base/text.h"
#include "core/node/pci.h"
#include "core/plan/nccl.h"
#include "core/plan/planning.h"
#include "core/policy/policy.h"
#include "core/spec/spec.h"

static const char *device_ports(const struct planning *p, const char *more)
{
	const struct devices *devices = p->devices;
	struct arena_text list = {.arena = p->arena};

	for (size_t i = 0; i < devices->n; i++) {
		const struct device *device = &devices->item[i];
		size_t n = device->n_ports ? device->n_ports : 1;

		for (size_t k = 0; k < n; k++)
			arena_append(&list, "%s%s:%u%s", list.len ? "," : "", device->ibdev,
				     device->n_ports ? device->port[k].number : 1, more);
	}
	return list.text;
}

/* NVSHMEM 3.4.5 takes the nearest HCA that it can open (nvshmemi_setup_connections in
 * src/host/transport/transport.cpp), of the whole node if privileged. The mapping restricts it,
 * unless NVSHMEM_HCA_LIST is set (src/modules/transport: ibrc.cpp, ibgda.cpp, ibdevx.cpp). */
static void add_nvshmem(const struct planning *p)
{
	const struct spec *spec = p->spec;

	if (spec->every_device && !spec_getenv(spec, "NVSHMEM_HCA_LIST"))
		setting_add(p, SCOPE_ENV, "NVSHMEM_HCA_PE_MAPPING", device_ports(p, ":1"));
}

/* The nearest, then least taken, then first; NULL if none of several is on the GPU's NUMA node */
static const struct device *claim_nearest(const struct gpu *gpu, const struct devices *devices,
					  unsigned *taken)
{
	enum pci_distance least = PCI_SYS;
	size_t best = 0;

	for (size_t i = 0; i < devices->n; i++) {
		enum pci_distance distance = pci_distance(&gpu->place, &devices->item[i].place);

		if (distance == PCI_UNKNOWN || distance > least ||
		    (distance == least && taken[i] >= taken[best]))
			continue;
		least = distance;
		best = i;
	}
	if (least == PCI_SYS && devices->n > 1)
		return NULL;
	taken[best]++;
	return &devices->item[best];
}

static unsigned first_port(const struct device *device)
{
	for (size_t p = 0; p < device->n_ports; p++) {
		if (port_is_active(&device->port[p]))
			return device->port[p].number;
	}
	return device->n_ports ? device->port[0].number : 1;
}

/* CUDA index to HCA (deepseek-ai/DeepEP pull request 466, deep_ep/buffer.py,
 * _setup_device_hca_mapping): NVSHMEM may give two GPUs one of their switch's two HCAs. CUDA orders
 * GPUs of one model by PCI address, others by speed (CUDA_DEVICE_ORDER). */
static void add_deepep(const struct planning *p)
{
	unsigned *taken = arena_alloc(p->arena, p->devices->n * sizeof(*taken));
	const char *why =
		p->gpus->n ? NULL : "linux.devices names no GPU of NVIDIA's loaded driver";
	const struct gpu *gpu = p->gpus->item;
	struct arena_text list = {.arena = p->arena};

	for (size_t i = 0; taken && !why && i < p->gpus->n; i++) {
		const struct device *device;

		gpu = &p->gpus->item[i];
		device = claim_nearest(gpu, p->devices, taken);
		if (!gpu->model[0] || strcmp(gpu->model, p->gpus->item[0].model) != 0)
			why = " is a GPU of another model than the first, so that CUDA's order is "
			      "not known";
		else if (!device)
			why = " has no HCA on its NUMA node, and several elsewhere";
		else
			arena_append(&list, "%s%zu:%s:%u", i ? "," : "", i, device->ibdev,
				     first_port(device));
	}
	if (why)
		plan_warn(p, "no_gpu_map", "%s%s: DEEP_EP_DEVICE_TO_HCA_MAPPING is not set",
			  p->gpus->n ? gpu->pci : "", why);
	else
		setting_add(p, SCOPE_ENV, "DEEP_EP_DEVICE_TO_HCA_MAPPING", list.text);
}

void framework_settings(const struct planning *p)
{
	const struct config *config = p->config;

	if (config->frameworks.ucx)
		setting_add(p, SCOPE_ENV, "UCX_NET_DEVICES", device_ports(p, ""));
	if (config->frameworks.nvshmem)
		add_nvshmem(p);
	if (config->frameworks.deepep)
		add_deepep(p);
	if (config->frameworks.gloo)
		setting_add(p, SCOPE_ENV, "GLOO_SOCKET_IFNAME",
			    interface_list(p, "GLOO_SOCKET_IFNAME", ""));
}
