/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/device_warnings.h"

#include <string.h>

#include "core/base/text.h"
#include "core/container/container.h"
#include "core/node/node.h"
#include "explain/claims.h"

static const struct device *find_claimed_file(const struct claim *claim,
					      const struct devices *devices)
{
	for (size_t i = 0; claim->file && i < devices->n; i++) {
		if (strcmp(text_base_name(claim->file), devices->item[i].uverbs) == 0)
			return &devices->item[i];
	}
	return NULL;
}

static bool has_path(const struct spec *spec, const char *path)
{
	for (size_t i = 0; path && i < spec->n_devices; i++) {
		if (strcmp(spec->devices[i].path, path) == 0)
			return true;
	}
	return false;
}

/* Numbers change: in another network namespace a device gets the lowest free one (ib_core's
 * device.c: rdma_dev_change_netns; uverbs_main.c: ida_alloc_max). */
static int warn_unproven(struct container *container, const struct claim *claim)
{
	struct arena *arena = &container->arena;
	struct warnings *warnings = &container->warnings;
	const char *named = claim->ibdev ? claim->ibdev : "";
	const struct device *now = find_claimed_file(claim, &container->devices);

	if (now)
		return warnings_add(
			arena, warnings, "stale_number",
			"/dev/infiniband/%s was allocated as %s%s%s%s, but is now %s (%s), which "
			"was not allocated, because the device numbers have changed since then: "
			"delete the pod, so that its devices are allocated again",
			now->uverbs, claim->address, named[0] ? " (" : "", named,
			named[0] ? ")" : "", now->ibdev, now->address);
	/* Already warned about */
	if (has_path(&container->spec, claim->file))
		return 0;
	return warnings_add(arena, warnings, "not_allocated",
			    "the environment names %s%s%s%s, but linux.devices does not contain "
			    "that device: it is left out",
			    claim->address, named[0] ? " (" : "", named, named[0] ? ")" : "");
}

/* A claim covers its PCI function's verbs devices. */
static int label(struct container *container, const struct claim *claim)
{
	struct devices *devices = &container->devices;
	const struct device *found = NULL;
	bool agrees = !claim->ibdev;

	for (size_t i = 0; i < devices->n; i++) {
		struct device *device = &devices->item[i];

		if (strcmp(device->address, claim->address) != 0)
			continue;
		if (claim->ibdev && strcmp(claim->ibdev, device->ibdev) == 0)
			agrees = true;
		if (device->source == SOURCE_DEVICE)
			device->source = claim->source == CLAIM_DRA ? SOURCE_DRA : SOURCE_SRIOV;
		found = device;
	}
	if (!found)
		return warn_unproven(container, claim);
	if (agrees)
		return 0;
	return warnings_add(&container->arena, &container->warnings, "env_disagrees",
			    "the environment calls %s %s, but its name on this node is %s: the "
			    "name on this node is used",
			    claim->address, claim->ibdev, found->ibdev);
}

int devices_label(struct container *container, const struct claims *claims)
{
	for (size_t i = 0; i < claims->n; i++) {
		if (label(container, &claims->item[i]) < 0)
			return -1;
	}
	return 0;
}

/* No link-up helps: administratively disabled, or of another kind. */
static bool is_hopeless(const struct port *port)
{
	return (strcmp(port->state, "DOWN") == 0 && strcmp(port->phys_state, "Disabled") == 0) ||
	       port_is_foreign(port);
}

static int warn_inactive(struct container *container, const struct device *device)
{
	for (size_t i = 0; i < device->n_ports; i++) {
		const struct port *port = &device->port[i];

		if (port->state[0] && !port_is_active(port) &&
		    warnings_add(&container->arena, &container->warnings, "port_not_active",
				 "port %u of %s is %s: NCCL skips it until it is ACTIVE",
				 port->number, device->ibdev, port->state) < 0)
			return -1;
	}
	return 0;
}

struct unusable {
	const char *foreign;
	const char *link_layer;
	const char *off;
};

static int warn_ports(struct container *container, const struct device *device,
		      struct unusable *unusable)
{
	bool foreign = device->n_ports && port_is_foreign(&device->port[0]);
	const char **list = foreign ? &unusable->foreign : &unusable->off;
	size_t hopeless = 0;

	for (size_t i = 0; i < device->n_ports; i++)
		hopeless += is_hopeless(&device->port[i]);
	if (!device->n_ports || hopeless < device->n_ports)
		return warn_inactive(container, device);
	if (foreign)
		unusable->link_layer = device->port[0].link_layer;
	*list = arena_printf(&container->arena, "%s%s%s", *list ? *list : "", *list ? ", " : "",
			     device->ibdev);
	return *list ? 0 : -1;
}

static int warn_unusable(struct container *container, const struct unusable *unusable)
{
	struct arena *arena = &container->arena;
	struct warnings *warnings = &container->warnings;

	if (unusable->foreign &&
	    warnings_add(arena, warnings, "port_unusable",
			 "%s: no Ethernet or InfiniBand port (%s): NCCL reaches it by a plugin "
			 "only, as AWS's EFA by libfabric, and NCCL_IB_HCA does not name it",
			 unusable->foreign, unusable->link_layer) < 0)
		return -1;
	return unusable->off ? warnings_add(arena, warnings, "port_unusable",
					    "%s: every port is DOWN and disabled: NCCL never uses "
					    "it; set its network interface up",
					    unusable->off)
			     : 0;
}

static const struct device *find_link_layer(const struct devices *devices, const char *link_layer)
{
	for (size_t i = 0; i < devices->n; i++) {
		for (size_t p = 0; p < devices->item[i].n_ports; p++) {
			if (strcmp(devices->item[i].port[p].link_layer, link_layer) == 0)
				return &devices->item[i];
		}
	}
	return NULL;
}

/* NCCL does not connect the two kinds (src/transport/net_ib/connect.cc). */
static int warn_mix(struct container *container)
{
	const struct devices *devices = &container->devices;
	const struct device *ethernet = find_link_layer(devices, "Ethernet");
	const struct device *infiniband = find_link_layer(devices, "InfiniBand");

	if (!ethernet || !infiniband)
		return 0;
	return warnings_add(&container->arena, &container->warnings, "link_layer_mix",
			    "%s has an Ethernet port and %s has an InfiniBand port, so that they "
			    "cannot reach each other: allocate devices of one kind, or name only "
			    "those of one kind in NCCL_IB_HCA",
			    ethernet->ibdev, infiniband->ibdev);
}

int ports_warn(struct container *container)
{
	struct unusable unusable = {0};

	for (size_t i = 0; i < container->devices.n; i++) {
		if (warn_ports(container, &container->devices.item[i], &unusable) < 0)
			return -1;
	}
	return warn_unusable(container, &unusable) < 0 ? -1 : warn_mix(container);
}
