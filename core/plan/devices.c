/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/plan/plan.h"

/*
 * The kubelet's order is that of a Go map, so the environment's is nobody's choice
 * (core/spec/spec.h); a PCI address stands for the same rail on nodes of one kind.
 */
static int compare_by_address(const void *a, const void *b)
{
	const struct device *x = a;
	const struct device *y = b;
	int order = !x->pci[0] - !y->pci[0];

	if (!order)
		order = strcmp(x->pci, y->pci);
	return order ? order : text_compare_natural(x->ibdev, y->ibdev);
}

/* linux.devices may list one number twice, under two paths. */
static void drop_duplicates(struct devices *devices)
{
	size_t kept = 0;

	for (size_t i = 0; i < devices->n; i++) {
		if (kept && strcmp(devices->item[kept - 1].uverbs, devices->item[i].uverbs) == 0)
			continue;
		devices->item[kept++] = devices->item[i];
	}
	devices->n = kept;
}

/* The device that has the claim's file now; NULL if none of ours has, or the file is not known */
static const struct device *find_claimed_file(const struct claim *claim,
					      const struct devices *devices)
{
	for (size_t i = 0; claim->file && i < devices->n; i++) {
		if (strcmp(text_base_name(claim->file), devices->item[i].uverbs) == 0)
			return &devices->item[i];
	}
	return NULL;
}

/*
 * A device that moves to another network namespace is registered anew, by the lowest free number
 * (ib_core's device.c: rdma_dev_change_netns; uverbs_main.c: ida_alloc_max): what was allocated by
 * number before may be another one after.
 */
static int warn_unproven(struct arena *arena, const struct claim *claim,
			 const struct devices *devices, struct warnings *warnings)
{
	const char *named = claim->ibdev ? claim->ibdev : "";
	const struct device *now = find_claimed_file(claim, devices);

	if (now)
		return warnings_add(
			arena, warnings, "stale_number",
			"/dev/infiniband/%s was allocated as %s%s%s%s, but is now %s (%s), which "
			"was not allocated, because the device numbers have changed since then: "
			"delete the pod, so that its devices are allocated again",
			now->uverbs, claim->address, named[0] ? " (" : "", named,
			named[0] ? ")" : "", now->ibdev, now->address);
	return warnings_add(arena, warnings, "not_allocated",
			    "the environment names %s%s%s%s, but linux.devices does not contain "
			    "that device: it is left out",
			    claim->address, named[0] ? " (" : "", named, named[0] ? ")" : "");
}

/* All verbs devices of a PCI function are the claim's. */
static int label_devices(struct arena *arena, const struct claim *claim,
			 const struct devices *devices, struct warnings *warnings)
{
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
		return warn_unproven(arena, claim, devices, warnings);
	if (agrees)
		return 0;
	return warnings_add(arena, warnings, "env_disagrees",
			    "the environment calls %s %s, but its name on this node is %s: the "
			    "name on this node is used",
			    claim->address, claim->ibdev, found->ibdev);
}

int order_devices(struct arena *arena, const struct claims *claims, struct devices *devices,
		  struct warnings *warnings, struct err *err)
{
	if (devices->n)
		qsort(devices->item, devices->n, sizeof(*devices->item), compare_by_address);
	drop_duplicates(devices);
	for (size_t i = 0; i < devices->n; i++)
		devices->item[i].source = SOURCE_DEVICE;
	for (size_t i = 0; i < claims->n; i++) {
		if (label_devices(arena, &claims->item[i], devices, warnings) < 0)
			return err_memory(err);
	}
	return 0;
}

/* ---- what about them stands in the way of RDMA ---- */

static bool is_inactive(const struct port *port)
{
	return port->state[0] && !port_is_active(port);
}

/* NCCL takes active ports of these two alone (src/transport/net_ib/init.cc). */
static bool is_link_layer(const char *link_layer)
{
	return strcmp(link_layer, "Ethernet") == 0 || strcmp(link_layer, "InfiniBand") == 0;
}

/* No link that comes up later mends it: an administrator switched it off, or it is of another kind.
 */
static bool is_hopeless(const struct port *port)
{
	return (strcmp(port->state, "DOWN") == 0 && strcmp(port->phys_state, "Disabled") == 0) ||
	       (port->link_layer[0] && !is_link_layer(port->link_layer));
}

static int warn_inactive(const struct planning *planning, const struct device *device)
{
	for (size_t i = 0; i < device->n_ports; i++) {
		const struct port *port = &device->port[i];

		if (is_inactive(port) &&
		    warnings_add(planning->arena, planning->warnings, "port_not_active",
				 "port %u of %s is %s: NCCL skips it until it is ACTIVE",
				 port->number, device->ibdev, port->state) < 0)
			return -1;
	}
	return 0;
}

static int warn_ports(const struct planning *planning, const struct device *device)
{
	size_t hopeless = 0;

	for (size_t i = 0; i < device->n_ports; i++)
		hopeless += is_hopeless(&device->port[i]);
	if (!device->n_ports || hopeless < device->n_ports)
		return warn_inactive(planning, device);
	if (!is_link_layer(device->port[0].link_layer))
		return warnings_add(
			planning->arena, planning->warnings, "port_unusable",
			"%s has no Ethernet or InfiniBand port (%s): NCCL never uses it",
			device->ibdev, device->port[0].link_layer);
	return warnings_add(planning->arena, planning->warnings, "port_unusable",
			    "every port of %s is DOWN and disabled: NCCL never uses it; set its "
			    "network interface up",
			    device->ibdev);
}

/* The first device with a port of that kind, or NULL */
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

/* NCCL refuses to connect one kind with the other (src/transport/net_ib/connect.cc). */
static int warn_mix(const struct planning *planning, const struct devices *devices)
{
	const struct device *ethernet = find_link_layer(devices, "Ethernet");
	const struct device *infiniband = find_link_layer(devices, "InfiniBand");

	if (!ethernet || !infiniband)
		return 0;
	return warnings_add(planning->arena, planning->warnings, "link_layer_mix",
			    "%s has an Ethernet port and %s has an InfiniBand port, so that they "
			    "cannot reach each other: allocate devices of one kind, or name only "
			    "those of one kind in NCCL_IB_HCA",
			    ethernet->ibdev, infiniband->ibdev);
}

int obstacles_warn(const struct planning *planning)
{
	for (size_t i = 0; i < planning->facts->devices->n; i++) {
		if (warn_ports(planning, &planning->facts->devices->item[i]) < 0)
			return -1;
	}
	return warn_mix(planning, planning->facts->devices);
}
