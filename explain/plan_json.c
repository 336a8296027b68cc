/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/plan_json.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/container/container.h"
#include "core/json/writer.h"
#include "core/node/node.h"
#include "core/plan/plan.h"
#include "core/record/record.h"
#include "explain/topology.h"

static void put_identity(yajl_gen gen, const struct container *container)
{
	const struct identity *identity = &container->spec.identity;

	json_put_string(gen, "container");
	yajl_gen_map_open(gen);
	json_put_member(gen, "id", container->id);
	json_put_member(gen, "name", identity->name);
	json_put_member(gen, "namespace", identity->pod_namespace);
	json_put_member(gen, "pod", identity->pod);
	yajl_gen_map_close(gen);
}

static void put_port_members(yajl_gen gen, const struct port *port)
{
	char rate[32];

	yajl_gen_map_open(gen);
	json_put_uint64(gen, "port", port->number);
	json_put_member(gen, "state", port->state);
	json_put_member(gen, "link_layer", port->link_layer);
	json_put_string(gen, "rate_gbps");
	snprintf(rate, sizeof(rate), "%g", port->rate_gbps);
	if (port->rate_gbps > 0)
		yajl_gen_number(gen, rate, strlen(rate));
	else
		yajl_gen_null(gen);
	if (port->gid_index >= 0)
		json_put_uint64(gen, "gid_index", (uint64_t)port->gid_index);
	else
		json_put_member(gen, "gid_index", NULL);
	json_put_member(gen, "gid", port->gid);
	yajl_gen_map_close(gen);
}

static void put_pci_place(yajl_gen gen, const struct pci_place *place)
{
	if (place->has_numa_node)
		json_put_uint64(gen, "numa_node", (uint64_t)place->numa_node);
	else
		json_put_member(gen, "numa_node", NULL);
	json_put_member(gen, "iommu", place->iommu);
}

static void put_device_members(yajl_gen gen, const struct device *device)
{
	static const char *const kinds[] = {
		[DEVICE_VF] = "vf",
		[DEVICE_PF] = "pf",
		[DEVICE_SF] = "sf",
		[DEVICE_VIRTUAL] = "virtual",
	};
	static const char *const sources[] = {
		[SOURCE_SRIOV] = "sriov",
		[SOURCE_DRA] = "dra",
		[SOURCE_DEVICE] = "device",
	};
	char uverbs[64];

	snprintf(uverbs, sizeof(uverbs), "/dev/infiniband/%s", device->uverbs);
	yajl_gen_map_open(gen);
	json_put_member(gen, "ibdev", device->ibdev);
	json_put_member(gen, "uverbs", uverbs);
	json_put_member(gen, "pci", device->pci);
	json_put_member(gen, "auxiliary", device->kind == DEVICE_SF ? device->address : NULL);
	json_put_member(gen, "pf", device->pf);
	json_put_member(gen, "kind", kinds[device->kind]);
	json_put_member(gen, "source", sources[device->source]);
	json_put_member(gen, "netdev", device->netdev);
	put_pci_place(gen, &device->place);
	json_put_string(gen, "ports");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < device->n_ports; i++)
		put_port_members(gen, &device->port[i]);
	yajl_gen_array_close(gen);
	yajl_gen_map_close(gen);
}

static void put_device_list(yajl_gen gen, const struct devices *devices)
{
	json_put_string(gen, "devices");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < devices->n; i++)
		put_device_members(gen, &devices->item[i]);
	yajl_gen_array_close(gen);
	if (!devices->n_vfio)
		return;
	json_put_string(gen, "vfio");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < devices->n_vfio; i++)
		json_put_string(gen, devices->vfio[i]);
	yajl_gen_array_close(gen);
}

static void put_gpu(yajl_gen gen, const struct gpu *gpu, const struct devices *devices)
{
	yajl_gen_map_open(gen);
	json_put_member(gen, "pci", gpu->pci);
	put_pci_place(gen, &gpu->place);
	json_put_string(gen, "distance");
	yajl_gen_map_open(gen);
	for (size_t i = 0; i < devices->n; i++) {
		const struct device *device = &devices->item[i];

		json_put_member(gen, device->ibdev,
				pci_distance_name(pci_distance(&gpu->place, &device->place)));
	}
	yajl_gen_map_close(gen);
	yajl_gen_map_close(gen);
}

static void put_gpus(yajl_gen gen, const struct gpus *gpus, const struct devices *devices)
{
	json_put_string(gen, "gpus");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < gpus->n; i++)
		put_gpu(gen, &gpus->item[i], devices);
	yajl_gen_array_close(gen);
}

static void put_rlimits(yajl_gen gen, const struct plan *plan)
{
	json_put_string(gen, "rlimits");
	yajl_gen_array_open(gen);
	if (plan->memlock && plan->adds_rlimit) {
		yajl_gen_map_open(gen);
		json_put_member(gen, "type", "RLIMIT_MEMLOCK");
		json_put_uint64(gen, "soft", plan->memlock);
		json_put_uint64(gen, "hard", plan->memlock);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
}

static int put_capabilities(yajl_gen gen, struct container *container)
{
	const char *const *names =
		capability_names(&container->arena, container->plan.capabilities);

	if (!names)
		return -1;
	json_put_string(gen, "capabilities");
	yajl_gen_array_open(gen);
	for (; *names; names++)
		json_put_string(gen, *names);
	yajl_gen_array_close(gen);
	return 0;
}

static void put_env(yajl_gen gen, const struct plan *plan)
{
	json_put_string(gen, "env");
	yajl_gen_map_open(gen);
	for (size_t i = 0; i < plan->n_settings; i++) {
		if (plan->settings[i].state == SETTING_NEW)
			json_put_member(gen, plan->settings[i].name, plan->settings[i].value);
	}
	yajl_gen_map_close(gen);
}

static void put_warnings(yajl_gen gen, const struct warnings *warnings)
{
	json_put_string(gen, "warnings");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < warnings->n; i++) {
		yajl_gen_map_open(gen);
		json_put_member(gen, "code", warnings->item[i].code);
		json_put_member(gen, "message", warnings->item[i].message);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
}

static void put_decided(yajl_gen gen, const struct record *record)
{
	char time[CLOCK_UTC_SIZE];

	if (!record)
		return;
	clock_utc(record->time, time);
	json_put_string(gen, "note");
	yajl_gen_map_open(gen);
	json_put_member(gen, "result", record_result_names[record->result]);
	json_put_member(gen, "reason", record->reason);
	json_put_member(gen, "entry_point", record->entry_point);
	json_put_member(gen, "policy", record->policy);
	json_put_member(gen, "time", time);
	yajl_gen_map_close(gen);
}

struct report {
	struct container *container;
	enum rdma_mode mode;
};

static int put_plan(yajl_gen gen, void *context)
{
	static const char *const rdma_modes[] = {
		[RDMA_MODE_UNKNOWN] = NULL,
		[RDMA_MODE_SHARED] = "shared",
		[RDMA_MODE_EXCLUSIVE] = "exclusive",
	};
	const struct report *report = context;
	struct container *container = report->container;
	int status;

	yajl_gen_map_open(gen);
	json_put_uint64(gen, "schema", 1);
	put_identity(gen, container);
	json_put_member(gen, "decision", decision_names[container->plan.decision]);
	json_put_member(gen, "reason", container->plan.reason);
	json_put_member(gen, "rdma_netns", rdma_modes[report->mode]);
	if (container->doubt)
		json_put_member(gen, "doubt", container->doubt);
	put_decided(gen, container->record);
	put_device_list(gen, &container->devices);
	put_gpus(gen, &container->gpus, &container->devices);
	put_rlimits(gen, &container->plan);
	status = put_capabilities(gen, container);
	put_env(gen, &container->plan);
	put_warnings(gen, &container->warnings);
	yajl_gen_map_close(gen);
	return status;
}

int report_json(FILE *out, struct container *container, enum rdma_mode mode)
{
	struct report report = {container, mode};
	size_t len;
	const char *text = json_write(&container->arena, true, put_plan, &report, &len);

	return text && fwrite(text, 1, len, out) == len ? 0 : -1;
}
