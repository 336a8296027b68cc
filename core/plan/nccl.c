/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "core/nccl_conf.h"
#include "core/plan/plan.h"

/*
 * True if the image's nccl.conf sets it. The plan then leaves it out: in the environment, which
 * NCCL reads first, our value would win. A mount hides that file.
 */
static bool is_in_image(const struct planning *p, const char *name, const char *value)
{
	const struct fs_text *conf = p->facts->image_conf;
	const char *present = NULL;
	size_t len = 0;

	if (!p->plan->nccl_conf_mounted && conf && conf->bytes)
		present = nccl_conf_value(conf, name, &len);
	if (present && (len != strlen(value) || memcmp(present, value, len) != 0))
		plan_warn(p, "conf_already_set",
			  "the image's /etc/nccl.conf sets %s=%.*s, which is kept; oci-rdma-hook "
			  "would set %s",
			  name, (int)(len > 128 ? 128 : len), present, value);
	return present;
}

void setting_add(const struct planning *p, enum setting_scope scope, const char *name,
		 const char *value)
{
	const char *present = spec_getenv(p->facts->spec, name);
	struct setting setting = {.name = name, .value = value, .scope = scope};
	struct plan *plan = p->plan;
	struct setting *added;

	if (!value)
		return;
	if (strlen(value) > CONFIG_VALUE_MAX) {
		plan_warn(p, "value_too_long",
			  "%s is not set, because its value would be longer than the %d bytes that "
			  "NCCL reads",
			  name, CONFIG_VALUE_MAX);
		return;
	}
	if (!present && scope == SCOPE_NCCL && is_in_image(p, name, value))
		return;
	if (present)
		setting.state = strcmp(present, value) == 0 ? SETTING_PRESENT : SETTING_KEPT;
	if (setting.state == SETTING_KEPT)
		plan_warn(p, "env_already_set",
			  "the container's environment sets %s=%.128s, which is kept; "
			  "oci-rdma-hook would set %s",
			  name, present, value);
	added = arena_push(p->arena, plan->settings, plan->n_settings, plan->settings_room);
	if (added)
		*added = setting;
}

/* MAX_IF_LIST in NCCL's src/misc/utils.cc: the rest of the list is not read. */
#define NCCL_LIST_MAX 32

/* The list that NCCL_IB_HCA is to hold, as it grows */
struct hca_list {
	struct arena_text text;
	size_t n;
};

/* port: 0 for the whole device */
static void append_hca(struct hca_list *list, const char *ibdev, unsigned port)
{
	if (list->n++ >= NCCL_LIST_MAX)
		return;
	arena_append(&list->text, "%s%s", list->n > 1 ? "," : "", ibdev);
	if (port)
		arena_append(&list->text, ":%u", port);
}

/* "mlx5_6", or "mlx5_6:2" for each usable port where a device has several and not all are usable */
static void append_device(struct hca_list *list, const struct device *device)
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
		append_hca(list, device->ibdev, 0);
		return;
	}
	for (size_t i = 0; i < device->n_ports; i++) {
		if (port_is_active(&device->port[i]))
			append_hca(list, device->ibdev, device->port[i].number);
	}
}

/*
 * "=mlx5_6,mlx5_7": the '=' makes NCCL compare whole names; without it mlx5_1 also selects mlx5_10
 * (parseStringList and matchIfList in src/misc/utils.cc). An empty list would select every device.
 */
static void add_nccl_hca(const struct planning *p)
{
	struct hca_list list = {.text.arena = p->arena};

	arena_append(&list.text, "=");
	for (size_t i = 0; i < p->facts->devices->n; i++)
		append_device(&list, &p->facts->devices->item[i]);
	if (!list.n)
		return;
	if (list.n > NCCL_LIST_MAX)
		plan_warn(p, "too_many_hcas",
			  "the container has %zu devices and ports, but NCCL reads only %d from "
			  "NCCL_IB_HCA: the first %d are named",
			  list.n, NCCL_LIST_MAX, NCCL_LIST_MAX);
	setting_add(p, SCOPE_NCCL, "NCCL_IB_HCA", list.text.text);
}

void warn_no_netdev(const struct planning *p, const struct device *device, const char *variable)
{
	plan_warn(p, "no_netdev_name",
		  "the network interface of %s is not known, because Multus has left no "
		  "device-info file that names it: %s is not set; set it in the pod, or in "
		  "config.json (nccl: extra)",
		  device->ibdev, variable);
}

/* "=net1,net2" */
static void add_rdma_interfaces(const struct planning *p)
{
	struct arena_text list = {.arena = p->arena};

	arena_append(&list, "=");
	for (size_t i = 0; i < p->facts->devices->n && i < NCCL_LIST_MAX; i++) {
		const struct device *device = &p->facts->devices->item[i];

		if (!device->netdev[0]) {
			warn_no_netdev(p, device, "NCCL_SOCKET_IFNAME");
			return;
		}
		arena_append(&list, "%s%s", i ? "," : "", device->netdev);
	}
	setting_add(p, SCOPE_NCCL, "NCCL_SOCKET_IFNAME", list.text);
}

/*
 * One index for all devices, which is right only if all agree; -1 if no device needs one, or if a
 * warning says why it is not set.
 */
static int common_gid_index(const struct planning *p)
{
	const struct devices *devices = p->facts->devices;
	int common = -1;

	for (size_t i = 0; i < devices->n; i++) {
		const struct device *device = &devices->item[i];

		if (!device->n_ports) {
			plan_warn(p, "gids_unknown",
				  "the ports and GIDs of %s could not be read, since the device is "
				  "in a network namespace of its own: NCCL_IB_GID_INDEX is not "
				  "set; use \"gid_index\": \"auto\" with NCCL 2.21.5 or later, "
				  "which choose the index for each device, or a number",
				  device->ibdev);
			return -1;
		}
		for (size_t k = 0; k < device->n_ports; k++) {
			const struct port *port = &device->port[k];

			/* NCCL ignores the index on an InfiniBand link. */
			if (strcmp(port->link_layer, "Ethernet") != 0)
				continue;
			if (port->gid_index < 0) {
				plan_warn(p, "no_gid",
					  "port %u of %s has no RoCE v2 GID with an IPv4 address: "
					  "NCCL_IB_GID_INDEX is not set; give its network "
					  "interface an IPv4 address",
					  port->number, device->ibdev);
				return -1;
			}
			if (common >= 0 && common != port->gid_index) {
				plan_warn(p, "gid_index_differs",
					  "no RoCE v2 GID index fits all devices: "
					  "NCCL_IB_GID_INDEX is not set; NCCL 2.21.5 and later "
					  "choose the index for each device");
				return -1;
			}
			common = port->gid_index;
		}
	}
	return common;
}

void nccl_rdma_settings(const struct planning *p)
{
	const struct config *config = p->facts->config;
	const char *ifname = config->nccl.socket_ifname;
	int index = -1;

	if (config->nccl.hca)
		add_nccl_hca(p);
	if (ifname && strcmp(ifname, "rdma") == 0)
		add_rdma_interfaces(p);
	else if (ifname)
		setting_add(p, SCOPE_NCCL, "NCCL_SOCKET_IFNAME", ifname);
	if (config->nccl.gid_index == GID_INDEX_NUMBER)
		index = (int)config->nccl.gid_index_number;
	else if (config->nccl.gid_index == GID_INDEX_LEGACY)
		index = common_gid_index(p);
	if (index >= 0)
		setting_add(p, SCOPE_NCCL, "NCCL_IB_GID_INDEX",
			    arena_printf(p->arena, "%d", index));
	if (config->nccl.gdr_level)
		setting_add(p, SCOPE_NCCL, "NCCL_NET_GDR_LEVEL", config->nccl.gdr_level);
	for (size_t i = 0; i < config->nccl.n_extra; i++)
		setting_add(p, SCOPE_NCCL, config->nccl.extra[i].name, config->nccl.extra[i].value);
}

void nccl_tcp_settings(const struct planning *p)
{
	const char *ifname = p->facts->config->nccl.socket_ifname;

	/* The rdma interfaces are those of devices that this container does not have. */
	if (!ifname || strcmp(ifname, "rdma") == 0)
		ifname = "=eth0";
	/* NCCL_IB_DISABLE does not reach the IBext plugin; it has a switch of its own
	 * (p2p_plugin.c). */
	setting_add(p, SCOPE_NCCL, "NCCL_IB_DISABLE", "1");
	setting_add(p, SCOPE_NCCL, "NCCL_IBEXT_DISABLE", "1");
	setting_add(p, SCOPE_NCCL, "NCCL_SOCKET_IFNAME", ifname);
}
