/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/nccl.h"

#include <string.h>

#include "core/base/text.h"
#include "core/nccl_conf.h"
#include "core/node/node.h"
#include "core/plan/planning.h"
#include "core/policy/policy.h"

/* NCCL prefers the environment, so ours would win. A mount hides the image's file. */
static bool is_in_image(const struct planning *p, const char *name, const char *value)
{
	const struct fs_text *conf = p->image_conf;
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
	const char *present = spec_getenv(p->spec, name);
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
	if (!present)
		plan->new_settings = true;
	else
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

/* MAX_IF_LIST in NCCL's src/misc/utils.cc */
#define NCCL_LIST_MAX 32

struct hca_list {
	struct arena_text text;
	size_t n;
};

/* 0: the whole device */
static void append_hca(struct hca_list *list, const char *ibdev, unsigned port)
{
	if (list->n++ >= NCCL_LIST_MAX)
		return;
	arena_append(&list->text, "%s%s", list->n > 1 ? "," : "", ibdev);
	if (port)
		arena_append(&list->text, ":%u", port);
}

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
	/* If none is active, a link may come up in time. */
	if (device->n_ports < 2 || active == device->n_ports || active == 0) {
		append_hca(list, device->ibdev, 0);
		return;
	}
	for (size_t i = 0; i < device->n_ports; i++) {
		if (port_is_active(&device->port[i]))
			append_hca(list, device->ibdev, device->port[i].number);
	}
}

/* Without "=" mlx5_1 also selects mlx5_10 (parseStringList, matchIfList in src/misc/utils.cc). An
 * empty list selects all. */
static void add_nccl_hca(const struct planning *p)
{
	struct hca_list list = {.text.arena = p->arena};

	arena_append(&list.text, "=");
	for (size_t i = 0; i < p->devices->n; i++)
		append_device(&list, &p->devices->item[i]);
	if (!list.n)
		return;
	if (list.n > NCCL_LIST_MAX)
		plan_warn(p, "too_many_hcas",
			  "the container has %zu devices and ports, but NCCL reads only %d from "
			  "NCCL_IB_HCA: the first %d are named",
			  list.n, NCCL_LIST_MAX, NCCL_LIST_MAX);
	setting_add(p, SCOPE_NCCL, "NCCL_IB_HCA", list.text.text);
}

static bool has_netdev_before(const struct devices *devices, size_t end)
{
	for (size_t i = 0; i < end; i++) {
		if (strcmp(devices->item[i].netdev, devices->item[end].netdev) == 0)
			return true;
	}
	return false;
}

/* All or none: PyTorch's gloo opens all (torch/csrc/distributed/c10d/init.cpp, options.devices) and
 * pairs each process' n-th (ProcessGroupGloo.cpp): a gap hangs it. */
const char *interface_list(const struct planning *p, const char *variable, const char *front)
{
	const struct devices *devices = p->devices;
	struct arena_text list = {.arena = p->arena};

	for (size_t i = 0; i < devices->n; i++) {
		const struct device *device = &devices->item[i];

		if (!device->netdev[0]) {
			plan_warn(p, "no_netdev_name",
				  "the network interface of %s is not known, because Multus has "
				  "left no device-info file that names it: %s is not set; set it "
				  "in the pod, or in config.json (nccl: extra)",
				  device->ibdev, variable);
			return NULL;
		}
		if (!has_netdev_before(devices, i))
			arena_append(&list, "%s%s", list.len ? "," : front, device->netdev);
	}
	return list.text;
}

static const char *common_gid_index(const struct planning *p)
{
	const struct devices *devices = p->devices;
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
			return NULL;
		}
		for (size_t k = 0; k < device->n_ports; k++) {
			const struct port *port = &device->port[k];

			/* NCCL ignores it on InfiniBand. */
			if (strcmp(port->link_layer, "Ethernet") != 0)
				continue;
			if (port->gid_index < 0) {
				plan_warn(p, "no_gid",
					  "port %u of %s has no RoCE v2 GID with an IPv4 address: "
					  "NCCL_IB_GID_INDEX is not set; give its network "
					  "interface an IPv4 address",
					  port->number, device->ibdev);
				return NULL;
			}
			if (common >= 0 && common != port->gid_index) {
				plan_warn(p, "gid_index_differs",
					  "no RoCE v2 GID index fits all devices: "
					  "NCCL_IB_GID_INDEX is not set; NCCL 2.21.5 and later "
					  "choose the index for each device");
				return NULL;
			}
			common = port->gid_index;
		}
	}
	return common < 0 ? NULL : arena_printf(p->arena, "%d", common);
}

void nccl_rdma_settings(const struct planning *p)
{
	const struct config *config = p->config;
	const char *ifname = config->nccl.socket_ifname;

	if (config->nccl.hca)
		add_nccl_hca(p);
	if (text_is(ifname, "rdma"))
		ifname = interface_list(p, "NCCL_SOCKET_IFNAME", "=");
	setting_add(p, SCOPE_NCCL, "NCCL_SOCKET_IFNAME", ifname);
	setting_add(p, SCOPE_NCCL, "NCCL_IB_GID_INDEX",
		    text_is(config->nccl.gid_index, "legacy") ? common_gid_index(p)
							      : config->nccl.gid_index);
	setting_add(p, SCOPE_NCCL, "NCCL_NET_GDR_LEVEL", config->nccl.gdr_level);
	for (size_t i = 0; i < config->nccl.n_extra; i++)
		setting_add(p, SCOPE_NCCL, config->nccl.extra[i].name, config->nccl.extra[i].value);
}

void nccl_tcp_settings(const struct planning *p)
{
	const char *ifname = p->config->nccl.socket_ifname;

	/* Without devices: no rdma interfaces */
	if (!ifname || text_is(ifname, "rdma"))
		ifname = "=eth0";
	/* IBext ignores NCCL_IB_DISABLE (p2p_plugin.c). */
	setting_add(p, SCOPE_NCCL, "NCCL_IB_DISABLE", "1");
	setting_add(p, SCOPE_NCCL, "NCCL_IBEXT_DISABLE", "1");
	setting_add(p, SCOPE_NCCL, "NCCL_SOCKET_IFNAME", ifname);
}
