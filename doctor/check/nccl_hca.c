/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/check/nccl_hca.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/node/network.h"
#include "doctor/doctor.h"
#include "doctor/nccl/nccl_list.h"
#include "doctor/nccl/nccl_settings.h"
#include "explain/topology.h"
#include "lib/finding.h"

#define HCA "nccl_ib_hca"
#define GID_INDEX "nccl_ib_gid_index"

void nccl_name_interface(const struct doctor *doctor, struct device *device)
{
	for (size_t i = 0; i < device->n_ports && !device->netdev[0]; i++)
		gid_read_netdev(&doctor->node, device, &device->port[i], device->netdev);
}

/* "mlx5_1" also selects mlx5_10, perhaps only on another node. all: the node's */
static const struct device *find_ibdev_beside(const struct devices *all,
					      const struct nccl_list *list,
					      const struct nccl_item *item)
{
	if (list->exact || !doctor_find_ibdev(all, item->name, strlen(item->name)))
		return NULL;
	for (size_t i = 0; i < all->n; i++) {
		const char *name = all->item[i].ibdev;

		if (strcmp(name, item->name) != 0 && text_starts_with(name, item->name) &&
		    !nccl_list_names(list, name))
			return &all->item[i];
	}
	return NULL;
}

static int check_beside(const struct nccl_context *context, const struct nccl_setting *setting,
			const struct nccl_list *list)
{
	const char *exact =
		arena_printf(context->findings->arena, "Write whole names: NCCL_IB_HCA=%s=%s",
			     list->exclude ? "^" : "", setting->value + list->exclude);

	for (size_t i = 0; exact && i < list->n; i++) {
		const struct nccl_item *item = &list->item[i];
		const struct device *other = find_ibdev_beside(&context->doctor->all, list, item);

		if (other && findings_add(context->findings, HCA, item->name, FINDING_WARN, exact,
					  "NCCL_IB_HCA=%s (%s): \"%s\" also %s %s, because without "
					  "'=' NCCL compares only the beginning of a name",
					  setting->value, setting->path, item->name,
					  list->exclude ? "excludes" : "selects", other->ibdev) < 0)
			return -1;
	}
	return exact ? 0 : -1;
}

/* No readable port: compare the device. */
static bool selects(const struct nccl_list *list, const struct device *device)
{
	for (size_t i = 0; i < device->n_ports; i++) {
		if (nccl_list_selects(list, device->ibdev, (int)device->port[i].number))
			return true;
	}
	return !device->n_ports && nccl_list_selects(list, device->ibdev, -1);
}

/* ports: only devices with the item's port, if readable */
static size_t count_matches(const struct devices *devices, const struct nccl_list *list,
			    const struct nccl_item *item, bool ports)
{
	size_t n = 0;

	for (size_t i = 0; i < devices->n; i++) {
		const struct device *device = &devices->item[i];

		if (!ports || !device->n_ports)
			n += nccl_item_matches(list, item, device->ibdev, -1);
		for (size_t p = 0; ports && p < device->n_ports; p++)
			n += nccl_item_matches(list, item, device->ibdev,
					       (int)device->port[p].number);
	}
	return n;
}

/* Names that NCCL silently skips, as another node's */
static int check_unknown(const struct nccl_context *context, const struct nccl_setting *setting,
			 const struct nccl_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct nccl_item *item = &list->item[i];
		bool on_node = count_matches(&context->doctor->all, list, item, false) > 0;
		bool ours = count_matches(&context->devices, list, item, false) > 0;

		if (list->exclude || count_matches(&context->devices, list, item, true) > 0)
			continue;
		if (ours &&
		    findings_add(context->findings, HCA, item->name, FINDING_WARN,
				 "Remove the port from the value: NCCL then uses all ACTIVE ports",
				 "NCCL_IB_HCA=%s (%s): %s has no port %d", setting->value,
				 setting->path, item->name, item->port) < 0)
			return -1;
		if (!ours &&
		    findings_add(
			    context->findings, HCA, item->name, FINDING_WARN,
			    "Remove the variable: without it NCCL uses the container's own devices",
			    "NCCL_IB_HCA=%s (%s): %s is %s", setting->value, setting->path,
			    item->name,
			    on_node ? "on the node, but does not belong to this container"
				    : "not the name of a device here; the names differ from node "
				      "to node") < 0)
			return -1;
	}
	return 0;
}

/* Another pod's device, reachable only if privileged, is a failure. */
static int check_foreign(const struct nccl_context *context, const struct nccl_setting *setting,
			 const struct nccl_list *list)
{
	for (size_t i = 0; i < context->devices.n; i++) {
		const struct device *device = &context->devices.item[i];

		if (!selects(list, device) || doctor_is_allocated(context->doctor, device))
			continue;
		if (findings_add(context->findings, HCA, device->ibdev, FINDING_FAIL,
				 "Name the allocated devices alone (PCIDEVICE_*), or use no "
				 "privileged pod",
				 "%s%s%s%s%s selects %s, which was not allocated to this container",
				 setting ? "NCCL_IB_HCA=" : "NCCL", setting ? setting->value : "",
				 setting ? " (" : "", setting ? setting->path : "",
				 setting ? ")" : "", device->ibdev) < 0)
			return -1;
	}
	return 0;
}

static int check_selection(const struct nccl_context *context, const struct nccl_setting *setting,
			   const struct nccl_list *list)
{
	char names[512] = "";
	size_t n = 0;

	for (size_t i = 0; i < context->devices.n; i++) {
		const char *name = context->devices.item[i].ibdev;

		if (!selects(list, &context->devices.item[i]))
			continue;
		text_add_item(names, sizeof(names), name);
		n++;
	}
	if (!n)
		return findings_add(
			context->findings, HCA, NULL, FINDING_FAIL,
			"Remove the variable: without it NCCL uses the container's own devices",
			"NCCL_IB_HCA=%s (%s) selects none of the %zu devices: NCCL uses TCP, "
			"\"NET/IB : No device found\"",
			setting->value, setting->path, context->devices.n);
	return findings_add(context->findings, HCA, NULL, FINDING_OK, NULL,
			    "NCCL_IB_HCA=%s (%s) selects %s", setting->value, setting->path, names);
}

int nccl_check_hca(const struct nccl_context *context)
{
	const struct nccl_setting *setting = nccl_settings_find(&context->settings, "NCCL_IB_HCA");
	struct nccl_list list = {0};

	if (!context->devices.n)
		return setting ? findings_add(context->findings, HCA, NULL, FINDING_UNCHECKED, NULL,
					      "NCCL_IB_HCA=%s (%s): no devices to compare it with",
					      setting->value, setting->path)
			       : 0;
	if (setting)
		nccl_list_parse(setting->value, &list);
	if (check_foreign(context, setting, &list) < 0)
		return -1;
	if (!setting)
		return 0;
	if (check_beside(context, setting, &list) < 0 || check_unknown(context, setting, &list) < 0)
		return -1;
	return check_selection(context, setting, &list);
}

static int check_gid(const struct nccl_context *context, const struct nccl_setting *setting,
		     const struct device *device, const struct port *port)
{
	int index = (int)strtol(setting->value, NULL, 0);
	cleanup_fd dir = port_open(&context->doctor->node, device, port->number);
	struct gid gid = {.empty = true};
	const char *misfit = NULL;
	char fits[96] = "no entry is suitable";

	if (port->gid_index >= 0)
		snprintf(fits, sizeof(fits), "GID %d is suitable, %s", port->gid_index, port->gid);
	if (dir < 0 || gid_read(dir, index, &gid) < 0)
		misfit = "is not in the table";
	else if (gid.empty)
		misfit = "is empty";
	else if (!gid.v2 || gid.link_local)
		misfit = gid.v2 ? "is a link-local address" : "is RoCE v1, which is not routed";
	if (misfit)
		return findings_add(
			context->findings, GID_INDEX, device->ibdev, FINDING_FAIL,
			"Remove the variable: NCCL 2.21.5 and later choose it themselves",
			"NCCL_IB_GID_INDEX=%s (%s), but GID %d of %s port %u %s; %s",
			setting->value, setting->path, index, device->ibdev, port->number, misfit,
			fits);
	if (port->gid_index >= 0 && index != port->gid_index && !gid.ipv4)
		return findings_add(
			context->findings, GID_INDEX, device->ibdev, FINDING_WARN,
			"Remove the variable: NCCL 2.21.5 and later choose it themselves",
			"NCCL_IB_GID_INDEX=%s (%s) is %s on %s, no IPv4 address; %s",
			setting->value, setting->path, gid.text, device->ibdev, fits);
	return findings_add(context->findings, GID_INDEX, device->ibdev, FINDING_OK, NULL,
			    "NCCL_IB_GID_INDEX=%s (%s) is %s, RoCE v2; NCCL 2.21.5 and later "
			    "choose it without this variable",
			    setting->value, setting->path, gid.text);
}

int nccl_check_gid_index(const struct nccl_context *context)
{
	const struct nccl_setting *setting =
		nccl_settings_find(&context->settings, "NCCL_IB_GID_INDEX");
	const struct nccl_setting *hca = nccl_settings_find(&context->settings, "NCCL_IB_HCA");
	struct nccl_list list = {0};

	if (!setting || strtol(setting->value, NULL, 0) < 0)
		return 0;
	if (hca)
		nccl_list_parse(hca->value, &list);
	for (size_t i = 0; i < context->devices.n; i++) {
		const struct device *device = &context->devices.item[i];

		for (size_t p = 0; p < device->n_ports; p++) {
			const struct port *port = &device->port[p];

			if (strcmp(port->link_layer, "Ethernet") != 0 ||
			    !nccl_list_selects(&list, device->ibdev, (int)port->number))
				continue;
			if (check_gid(context, setting, device, port) < 0)
				return -1;
		}
	}
	return 0;
}
