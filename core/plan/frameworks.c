/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/plan/plan.h"

/* "mlx5_6:1,mlx5_7:1": both UCX and NVSHMEM want the port. NULL without memory */
static const char *device_ports(struct arena *arena, const struct devices *devices)
{
	const char *list = "";

	for (size_t i = 0; list && i < devices->n; i++) {
		const struct device *device = &devices->item[i];
		size_t n = device->n_ports ? device->n_ports : 1;

		for (size_t p = 0; list && p < n; p++)
			list = arena_printf(arena, "%s%s%s:%u", list, list[0] ? "," : "",
					    device->ibdev,
					    device->n_ports ? device->port[p].number : 1);
	}
	return list;
}

static bool has_netdev_before(const struct devices *devices, size_t end)
{
	for (size_t i = 0; i < end; i++) {
		if (strcmp(devices->item[i].netdev, devices->item[end].netdev) == 0)
			return true;
	}
	return false;
}

/*
 * Exact names, each once, and all or none: PyTorch's gloo backend opens every interface of the list
 * and fails at the first that it cannot open (torch/csrc/distributed/c10d/init.cpp, the
 * constructor's options.devices), and each process connects by the n-th of its list with the n-th
 * of the others' (ProcessGroupGloo.cpp), so that a list which leaves one out waits for ever.
 */
static int add_gloo(const struct planning *planning)
{
	const struct devices *devices = planning->facts->devices;
	const char *list = "";

	for (size_t i = 0; list && i < devices->n; i++) {
		if (!devices->item[i].netdev[0])
			return warn_no_netdev(planning, &devices->item[i], "GLOO_SOCKET_IFNAME");
		if (!has_netdev_before(devices, i))
			list = arena_printf(planning->arena, "%s%s%s", list, list[0] ? "," : "",
					    devices->item[i].netdev);
	}
	return setting_add(planning, SCOPE_ENV, "GLOO_SOCKET_IFNAME", list);
}

int framework_settings(const struct planning *planning)
{
	const struct config *config = planning->facts->config;
	const char *ports = device_ports(planning->arena, planning->facts->devices);

	if (config->frameworks.ucx &&
	    setting_add(planning, SCOPE_ENV, "UCX_NET_DEVICES", ports) < 0)
		return -1;
	/* The list has no effect without the mapping by processing element. */
	if (config->frameworks.nvshmem &&
	    (setting_add(planning, SCOPE_ENV, "NVSHMEM_HCA_LIST", ports) < 0 ||
	     setting_add(planning, SCOPE_ENV, "NVSHMEM_ENABLE_NIC_PE_MAPPING", "1") < 0))
		return -1;
	return config->frameworks.gloo ? add_gloo(planning) : 0;
}
