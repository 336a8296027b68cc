/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "core/nccl_conf.h"
#include "core/plan/plan.h"

/*
 * True if the image's nccl.conf sets it. The plan then leaves it out: in the environment, which
 * NCCL reads first, our value would win. A mount hides that file. Returns -1 without memory.
 */
static int is_in_image(const struct planning *planning, const char *name, const char *value)
{
	const struct fs_text *conf = planning->facts->image_conf;
	const char *present;
	size_t len = 0;

	if (planning->plan->nccl_conf_mounted || !conf || !conf->bytes)
		return 0;
	present = nccl_conf_value(conf, name, &len);
	if (!present)
		return 0;
	if ((len != strlen(value) || memcmp(present, value, len) != 0) &&
	    warnings_add(planning->arena, planning->warnings, "conf_already_set",
			 "the image's /etc/nccl.conf sets %s=%.*s, which is kept; oci-rdma-hook "
			 "would set %s",
			 name, (int)(len > 128 ? 128 : len), present, value) < 0)
		return -1;
	return 1;
}

int setting_add(const struct planning *planning, enum setting_scope scope, const char *name,
		const char *value)
{
	const char *present = spec_getenv(planning->facts->spec, name);
	struct setting setting = {.name = name, .value = value, .scope = scope};
	struct plan *plan = planning->plan;
	struct setting *added;
	int in_image = 0;

	if (!value)
		return -1;
	if (strlen(value) > CONFIG_VALUE_MAX)
		return warnings_add(planning->arena, planning->warnings, "value_too_long",
				    "%s is not set, because its value would be longer than the %d "
				    "bytes that NCCL reads",
				    name, CONFIG_VALUE_MAX);
	if (present)
		setting.state = strcmp(present, value) == 0 ? SETTING_PRESENT : SETTING_KEPT;
	else if (scope == SCOPE_NCCL)
		in_image = is_in_image(planning, name, value);
	if (in_image)
		return in_image < 0 ? -1 : 0;
	if (setting.state == SETTING_KEPT &&
	    warnings_add(planning->arena, planning->warnings, "env_already_set",
			 "the container's environment sets %s=%.128s, which is kept; oci-rdma-hook "
			 "would set %s",
			 name, present, value) < 0)
		return -1;
	added = arena_push(planning->arena, plan->settings, plan->n_settings, plan->settings_room);
	if (!added)
		return -1;
	*added = setting;
	return 0;
}

/* MAX_IF_LIST in NCCL's src/misc/utils.cc: the rest of the list is not read. */
#define NCCL_LIST_MAX 32

/* The list that NCCL_IB_HCA is to hold, as it grows */
struct hca_list {
	char *text; /* NULL without memory */
	size_t n;
};

static void append_item(struct arena *arena, struct hca_list *list, const char *ibdev,
			unsigned port)
{
	const char *comma = list->n ? "," : "";

	if (++list->n > NCCL_LIST_MAX || !list->text)
		return;
	if (port)
		list->text = arena_printf(arena, "%s%s%s:%u", list->text, comma, ibdev, port);
	else
		list->text = arena_printf(arena, "%s%s%s", list->text, comma, ibdev);
}

/* "mlx5_6", or "mlx5_6:2" for each usable port where a device has several and not all are usable */
static void append_device(struct arena *arena, struct hca_list *list, const struct device *device)
{
	size_t active = 0;
	size_t foreign = 0;

	for (size_t i = 0; i < device->n_ports; i++) {
		active += port_is_active(&device->port[i]);
		foreign += port_is_foreign(&device->port[i]);
	}
	if (foreign && foreign == device->n_ports)
		return;
	/* If no port is active, name the whole device: its link may come up before NCCL looks. */
	if (device->n_ports < 2 || active == device->n_ports || active == 0) {
		append_item(arena, list, device->ibdev, 0);
		return;
	}
	for (size_t i = 0; i < device->n_ports; i++) {
		if (port_is_active(&device->port[i]))
			append_item(arena, list, device->ibdev, device->port[i].number);
	}
}

/*
 * "=mlx5_6,mlx5_7": the '=' makes NCCL compare whole names; without it mlx5_1 also selects mlx5_10
 * (parseStringList and matchIfList in src/misc/utils.cc). An empty list would select every device.
 */
static int add_nccl_hca(const struct planning *planning)
{
	struct hca_list list = {.text = arena_strdup(planning->arena, "=")};

	for (size_t i = 0; i < planning->facts->devices->n; i++)
		append_device(planning->arena, &list, &planning->facts->devices->item[i]);
	if (!list.n)
		return 0;
	if (list.n > NCCL_LIST_MAX &&
	    warnings_add(planning->arena, planning->warnings, "too_many_hcas",
			 "the container has %zu devices and ports, but NCCL reads only %d from "
			 "NCCL_IB_HCA: the first %d are named",
			 list.n, NCCL_LIST_MAX, NCCL_LIST_MAX) < 0)
		return -1;
	return setting_add(planning, SCOPE_NCCL, "NCCL_IB_HCA", list.text);
}

int warn_no_netdev(const struct planning *planning, const struct device *device,
		   const char *variable)
{
	return warnings_add(planning->arena, planning->warnings, "no_netdev_name",
			    "the network interface of %s is not known, because Multus has left no "
			    "device-info file that names it: %s is not set; set it in the pod, or "
			    "in config.json (nccl: extra)",
			    device->ibdev, variable);
}

/* "=net1,net2" */
static int add_rdma_interfaces(const struct planning *planning)
{
	char *list = arena_strdup(planning->arena, "=");

	for (size_t i = 0; list && i < planning->facts->devices->n && i < NCCL_LIST_MAX; i++) {
		const struct device *device = &planning->facts->devices->item[i];

		if (!device->netdev[0])
			return warn_no_netdev(planning, device, "NCCL_SOCKET_IFNAME");
		list = arena_printf(planning->arena, "%s%s%s", list, list[1] ? "," : "",
				    device->netdev);
	}
	return setting_add(planning, SCOPE_NCCL, "NCCL_SOCKET_IFNAME", list);
}

static int add_socket_ifname(const struct planning *planning)
{
	const char *ifname = planning->facts->config->nccl.socket_ifname;

	if (!ifname)
		return 0;
	if (strcmp(ifname, "rdma") == 0)
		return add_rdma_interfaces(planning);
	return setting_add(planning, SCOPE_NCCL, "NCCL_SOCKET_IFNAME", ifname);
}

static int warn_gids_unknown(const struct planning *planning, const struct device *device)
{
	return warnings_add(
		planning->arena, planning->warnings, "gids_unknown",
		"the ports and GIDs of %s could not be read, since the device is in a network "
		"namespace of its own: NCCL_IB_GID_INDEX is not set; use \"gid_index\": \"auto\" "
		"with NCCL 2.21.5 or later, which choose the index for each device, or a number",
		device->ibdev);
}

static int warn_no_gid(const struct planning *planning, const struct device *device,
		       const struct port *port)
{
	return warnings_add(
		planning->arena, planning->warnings, "no_gid",
		"port %u of %s has no RoCE v2 GID with an IPv4 address: NCCL_IB_GID_INDEX is not "
		"set; give its network interface an IPv4 address",
		port->number, device->ibdev);
}

/*
 * One index for all devices, which is right only if all agree. *index stays -1 if no device needs
 * one, or if a warning says why it is not set.
 */
static int common_gid_index(const struct planning *planning, const struct devices *devices,
			    int *index)
{
	int common = -1;

	for (size_t i = 0; i < devices->n; i++) {
		const struct device *device = &devices->item[i];

		if (!device->n_ports)
			return warn_gids_unknown(planning, device);
		for (size_t p = 0; p < device->n_ports; p++) {
			const struct port *port = &device->port[p];

			/* NCCL ignores the index on an InfiniBand link. */
			if (strcmp(port->link_layer, "Ethernet") != 0)
				continue;
			if (port->gid_index < 0)
				return warn_no_gid(planning, device, port);
			if (common >= 0 && common != port->gid_index)
				return warnings_add(planning->arena, planning->warnings,
						    "gid_index_differs",
						    "no RoCE v2 GID index fits all devices: "
						    "NCCL_IB_GID_INDEX is not set; NCCL 2.21.5 and "
						    "later choose the index for each device");
			common = port->gid_index;
		}
	}
	*index = common;
	return 0;
}

static int add_gid_index(const struct planning *planning)
{
	const struct config *config = planning->facts->config;
	int index = -1;

	if (config->nccl.gid_index == GID_INDEX_NUMBER)
		index = (int)config->nccl.gid_index_number;
	else if (config->nccl.gid_index == GID_INDEX_LEGACY &&
		 common_gid_index(planning, planning->facts->devices, &index) < 0)
		return -1;
	if (index < 0)
		return 0;
	return setting_add(planning, SCOPE_NCCL, "NCCL_IB_GID_INDEX",
			   arena_printf(planning->arena, "%d", index));
}

static int add_from_config(const struct planning *planning)
{
	const struct config *config = planning->facts->config;

	if (config->nccl.gdr_level &&
	    setting_add(planning, SCOPE_NCCL, "NCCL_NET_GDR_LEVEL", config->nccl.gdr_level) < 0)
		return -1;
	for (size_t i = 0; i < config->nccl.n_extra; i++) {
		if (setting_add(planning, SCOPE_NCCL, config->nccl.extra[i].name,
				config->nccl.extra[i].value) < 0)
			return -1;
	}
	return 0;
}

int nccl_rdma_settings(const struct planning *planning)
{
	if (planning->facts->config->nccl.hca && add_nccl_hca(planning) < 0)
		return -1;
	if (add_socket_ifname(planning) < 0 || add_gid_index(planning) < 0)
		return -1;
	return add_from_config(planning);
}

int nccl_tcp_settings(const struct planning *planning)
{
	const char *ifname = planning->facts->config->nccl.socket_ifname;

	/* The rdma interfaces are those of devices that this container does not have. */
	if (!ifname || strcmp(ifname, "rdma") == 0)
		ifname = "=eth0";
	/* NCCL_IB_DISABLE does not reach the IBext plugin; it has a switch of its own
	 * (p2p_plugin.c). */
	if (setting_add(planning, SCOPE_NCCL, "NCCL_IB_DISABLE", "1") < 0 ||
	    setting_add(planning, SCOPE_NCCL, "NCCL_IBEXT_DISABLE", "1") < 0 ||
	    setting_add(planning, SCOPE_NCCL, "NCCL_SOCKET_IFNAME", ifname) < 0)
		return -1;
	return 0;
}
