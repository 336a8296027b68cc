/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "base/capability.h"
#include "report/report.h"

static void put_string(yajl_gen gen, const char *text)
{
	(void)yajl_gen_string(gen, (const unsigned char *)text, strlen(text));
}

static void put_number(yajl_gen gen, const char *digits)
{
	(void)yajl_gen_number(gen, digits, strlen(digits));
}

static void member(yajl_gen gen, const char *name, const char *text)
{
	put_string(gen, name);
	if (text && text[0])
		put_string(gen, text);
	else
		(void)yajl_gen_null(gen);
}

static void member_integer(yajl_gen gen, const char *name, bool known, long long number)
{
	put_string(gen, name);
	if (known)
		(void)yajl_gen_integer(gen, number);
	else
		(void)yajl_gen_null(gen);
}

static void put_identity(yajl_gen gen, const struct container *container)
{
	put_string(gen, "container");
	(void)yajl_gen_map_open(gen);
	member(gen, "id", container->id);
	member(gen, "name", container->spec.name);
	member(gen, "namespace", container->spec.pod_namespace);
	member(gen, "pod", container->spec.pod);
	(void)yajl_gen_map_close(gen);
}

static void put_port(yajl_gen gen, const struct port *port)
{
	char rate[32];

	(void)yajl_gen_map_open(gen);
	member_integer(gen, "port", true, port->number);
	member(gen, "state", port->state);
	member(gen, "link_layer", port->link_layer);
	put_string(gen, "rate_gbps");
	(void)snprintf(rate, sizeof(rate), "%g", port->rate_gbps);
	if (port->rate_gbps > 0)
		put_number(gen, rate);
	else
		(void)yajl_gen_null(gen);
	member_integer(gen, "gid_index", port->gid_index >= 0, port->gid_index);
	member(gen, "gid", port->gid);
	(void)yajl_gen_map_close(gen);
}

static void put_place(yajl_gen gen, const struct pci_place *place)
{
	member_integer(gen, "numa_node", place->has_numa_node, place->numa_node);
	member(gen, "iommu", place->iommu);
}

static void put_device(yajl_gen gen, const struct device *device)
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

	(void)snprintf(uverbs, sizeof(uverbs), "/dev/infiniband/%s", device->uverbs);
	(void)yajl_gen_map_open(gen);
	member(gen, "ibdev", device->ibdev);
	member(gen, "uverbs", uverbs);
	member(gen, "pci", device->pci);
	member(gen, "auxiliary", device->kind == DEVICE_SF ? device->address : NULL);
	member(gen, "pf", device->pf);
	member(gen, "kind", kinds[device->kind]);
	member(gen, "source", sources[device->source]);
	member(gen, "netdev", device->netdev);
	put_place(gen, &device->place);
	put_string(gen, "ports");
	(void)yajl_gen_array_open(gen);
	for (size_t i = 0; i < device->n_ports; i++)
		put_port(gen, &device->port[i]);
	(void)yajl_gen_array_close(gen);
	(void)yajl_gen_map_close(gen);
}

static void put_devices(yajl_gen gen, const struct devices *devices)
{
	put_string(gen, "devices");
	(void)yajl_gen_array_open(gen);
	for (size_t i = 0; i < devices->n; i++)
		put_device(gen, &devices->item[i]);
	(void)yajl_gen_array_close(gen);
}

/* "distance" has a member for each of the container's devices. */
static void put_gpu(yajl_gen gen, const struct gpu *gpu, const struct devices *devices)
{
	(void)yajl_gen_map_open(gen);
	member(gen, "pci", gpu->pci);
	put_place(gen, &gpu->place);
	put_string(gen, "distance");
	(void)yajl_gen_map_open(gen);
	for (size_t i = 0; i < devices->n; i++) {
		const struct device *device = &devices->item[i];

		member(gen, device->ibdev,
		       pci_distance_name(pci_distance(&gpu->place, &device->place)));
	}
	(void)yajl_gen_map_close(gen);
	(void)yajl_gen_map_close(gen);
}

static void put_gpus(yajl_gen gen, const struct gpus *gpus, const struct devices *devices)
{
	put_string(gen, "gpus");
	(void)yajl_gen_array_open(gen);
	for (size_t i = 0; i < gpus->n; i++)
		put_gpu(gen, &gpus->item[i], devices);
	(void)yajl_gen_array_close(gen);
}

static void put_rlimits(yajl_gen gen, const struct plan *plan)
{
	char bytes[24];

	put_string(gen, "rlimits");
	(void)yajl_gen_array_open(gen);
	if (plan->sets_memlock && plan->adds_rlimit) {
		(void)snprintf(bytes, sizeof(bytes), "%" PRIu64, plan->memlock);
		(void)yajl_gen_map_open(gen);
		member(gen, "type", "RLIMIT_MEMLOCK");
		put_string(gen, "soft");
		put_number(gen, bytes);
		put_string(gen, "hard");
		put_number(gen, bytes);
		(void)yajl_gen_map_close(gen);
	}
	(void)yajl_gen_array_close(gen);
}

static int put_capabilities(yajl_gen gen, struct container *container)
{
	int status = 0;

	put_string(gen, "capabilities");
	(void)yajl_gen_array_open(gen);
	for (int number = 0; number < 64; number++) {
		const char *name;

		if (!(container->plan.capabilities & (UINT64_C(1) << number)))
			continue;
		name = capability_name(&container->arena, number);
		if (!name)
			status = -1;
		else
			put_string(gen, name);
	}
	(void)yajl_gen_array_close(gen);
	return status;
}

static void put_env(yajl_gen gen, const struct plan *plan)
{
	put_string(gen, "env");
	(void)yajl_gen_map_open(gen);
	for (size_t i = 0; i < plan->n_settings; i++) {
		if (plan->settings[i].state == SETTING_NEW)
			member(gen, plan->settings[i].name, plan->settings[i].value);
	}
	(void)yajl_gen_map_close(gen);
}

static void put_warnings(yajl_gen gen, const struct warnings *warnings)
{
	put_string(gen, "warnings");
	(void)yajl_gen_array_open(gen);
	for (size_t i = 0; i < warnings->n; i++) {
		(void)yajl_gen_map_open(gen);
		member(gen, "code", warnings->item[i].code);
		member(gen, "message", warnings->item[i].message);
		(void)yajl_gen_map_close(gen);
	}
	(void)yajl_gen_array_close(gen);
}

int report_json(FILE *out, struct container *container)
{
	static const char *const rdma_modes[] = {
		[RDMA_MODE_UNKNOWN] = NULL,
		[RDMA_MODE_SHARED] = "shared",
		[RDMA_MODE_EXCLUSIVE] = "exclusive",
	};
	yajl_gen gen = yajl_gen_alloc(NULL);
	const unsigned char *text;
	size_t len;
	int status;

	if (!gen)
		return -1;
	(void)yajl_gen_config(gen, yajl_gen_beautify, 1);
	(void)yajl_gen_config(gen, yajl_gen_indent_string, "  ");
	(void)yajl_gen_map_open(gen);
	member_integer(gen, "schema", true, 1);
	put_identity(gen, container);
	member(gen, "decision", decision_name(container->plan.decision));
	member(gen, "reason", container->plan.reason);
	member(gen, "rdma_netns", rdma_modes[container->rdma_mode]);
	put_devices(gen, &container->devices);
	put_gpus(gen, &container->gpus, &container->devices);
	put_rlimits(gen, &container->plan);
	status = put_capabilities(gen, container);
	put_env(gen, &container->plan);
	put_warnings(gen, &container->warnings);
	/* yajl remembers the first failure: the last call tells of all. */
	if (yajl_gen_map_close(gen) != yajl_gen_status_ok && status == 0)
		status = -1;
	if (status == 0 && (yajl_gen_get_buf(gen, &text, &len) != yajl_gen_status_ok ||
			    fwrite(text, 1, len, out) != len))
		status = -1;
	yajl_gen_free(gen);
	return status;
}
