/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"

/* What struct ibv_global_route can name; mlx5 has as many a port. */
#define GIDS_MAX 256

unsigned verbs_mtu_bytes(enum ibv_mtu mtu)
{
	return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128U << mtu : 0;
}

const char *verbs_port_state_name(enum ibv_port_state state)
{
	static const char *const names[] = {
		[IBV_PORT_NOP] = "NOP",       [IBV_PORT_DOWN] = "DOWN",
		[IBV_PORT_INIT] = "INIT",     [IBV_PORT_ARMED] = "ARMED",
		[IBV_PORT_ACTIVE] = "ACTIVE", [IBV_PORT_ACTIVE_DEFER] = "ACTIVE_DEFER",
	};

	return state <= IBV_PORT_ACTIVE_DEFER ? names[state] : "unknown";
}

/* Codes of the InfiniBand specification's PortInfo: a lane's speed, and how many lanes */
static double rate_of(uint8_t speed, uint8_t width)
{
	static const double lane[] = {2.5, 5, 10, 10, 14, 25, 50, 100};
	static const unsigned lanes[] = {1, 4, 8, 12, 2};

	for (size_t s = 0; s < sizeof(lane) / sizeof(lane[0]); s++) {
		for (size_t w = 0; w < sizeof(lanes) / sizeof(lanes[0]); w++) {
			if (speed == 1U << s && width == 1U << w)
				return lane[s] * lanes[w];
		}
	}
	return 0;
}

/* Before rdma-core 32 only sysfs knows a GID's type; reading an empty slot's is an error. */
static int type_by_sysfs(const char *device, unsigned port, size_t index)
{
	char path[160];
	char line[32];

	(void)snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%u/gid_attrs/types/%zu",
		       device, port, index);
	if (fs_read_line(AT_FDCWD, path, line, sizeof(line)) < 0)
		return GID_TYPE_NONE;
	return strcmp(line, "RoCE v2") == 0 ? IBV_GID_TYPE_ROCE_V2 : IBV_GID_TYPE_ROCE_V1;
}

static struct gid_entry read_gid(const struct verbs *verbs, const struct verbs_device *device,
				 const struct verbs_port *port, size_t index)
{
	static const union ibv_gid zero;
	struct gid_entry entry = {.type = GID_TYPE_NONE};
	struct ibv_gid_entry full;

	if (verbs->query_gid_ex) {
		if (verbs->query_gid_ex(device->context, port->number, (uint32_t)index, &full, 0,
					sizeof(full)) == 0)
			entry = (struct gid_entry){.gid = full.gid, .type = (int)full.gid_type};
	} else if (verbs->query_gid(device->context, port->number, (int)index, &entry.gid) == 0) {
		entry.type = port->infiniband ? IBV_GID_TYPE_IB
					      : type_by_sysfs(device->name, port->number, index);
	}
	if (memcmp(&entry.gid, &zero, sizeof(zero)) == 0)
		entry.type = GID_TYPE_NONE;
	return entry;
}

static int read_gids(const struct verbs *verbs, struct arena *arena,
		     const struct verbs_device *device, struct verbs_port *port, size_t length)
{
	struct gid_entry *entries;

	port->n_gids = length < GIDS_MAX ? length : GIDS_MAX;
	if (port->n_gids == 0)
		return 0;
	entries = arena_alloc(arena, port->n_gids * sizeof(*entries));
	if (!entries)
		return -1;
	for (size_t i = 0; i < port->n_gids; i++)
		entries[i] = read_gid(verbs, device, port, i);
	port->nccl_index = port->infiniband ? 0 : gid_nccl_index(entries, port->n_gids);
	port->nccl_gid = entries[port->nccl_index];
	port->gid_index = gid_usable_index(entries, port->n_gids, port->infiniband);
	port->has_gid = port->gid_index < port->n_gids;
	if (port->has_gid)
		port->gid = entries[port->gid_index];
	return 0;
}

static int read_port(const struct verbs *verbs, struct arena *arena,
		     const struct verbs_device *device, struct verbs_port *port)
{
	struct ibv_port_attr attr = {0};

	port->query_errno = verbs->query_port(device->context, port->number,
					      (struct _compat_ibv_port_attr *)&attr);
	if (port->query_errno)
		return 0;
	port->state = attr.state;
	port->infiniband = attr.link_layer == IBV_LINK_LAYER_INFINIBAND;
	port->mtu = attr.active_mtu;
	port->lid = attr.lid;
	port->rate_gbps = rate_of(attr.active_speed, attr.active_width);
	return read_gids(verbs, arena, device, port,
			 attr.gid_tbl_len < 0 ? 0 : (size_t)attr.gid_tbl_len);
}

/* A port of InfiniBand is addressed by its LID, one of Ethernet by its GID. */
static bool is_usable(const struct verbs_port *port)
{
	return port->query_errno == 0 && port->state == IBV_PORT_ACTIVE &&
	       (port->has_gid || (port->infiniband && port->lid));
}

static void look_at_node(const struct ibv_device *listed, struct verbs_device *device)
{
	cleanup_fd fd = -1;

	(void)snprintf(device->node, sizeof(device->node), "/dev/infiniband/%s", listed->dev_name);
	fd = open(device->node, O_RDWR | O_CLOEXEC);
	device->node_errno = fd < 0 ? errno : 0;
}

static int open_one(const struct verbs *verbs, struct arena *arena, struct ibv_device *listed,
		    unsigned only_port, struct verbs_device *device)
{
	device->context = verbs->open_device(listed);
	if (!device->context) {
		device->open_errno = errno ? errno : EIO;
		look_at_node(listed, device);
		return 0;
	}
	if (verbs->query_device(device->context, &device->attr) != 0)
		device->attr = (struct ibv_device_attr){.phys_port_cnt = 1};
	device->n_ports = device->attr.phys_port_cnt;
	device->port = arena_alloc(arena, (device->n_ports + 1) * sizeof(*device->port));
	if (!device->port)
		return -1;
	for (size_t i = 0; i < device->n_ports; i++) {
		struct verbs_port *port = &device->port[i];

		port->number = (uint8_t)(i + 1);
		if (read_port(verbs, arena, device, port) < 0)
			return -1;
		if (!device->used && is_usable(port) && (!only_port || only_port == port->number))
			device->used = port;
	}
	return 0;
}

/* "mlx5_6" or "mlx5_6:1". Returns the port, 0 for any, or -1 if it is another device. */
static int match(const char *only, const char *name)
{
	size_t len = strlen(name);
	unsigned long port;
	char *end;

	if (!only)
		return 0;
	if (strncmp(only, name, len) != 0)
		return -1;
	if (only[len] == '\0')
		return 0;
	if (only[len] != ':')
		return -1;
	port = strtoul(only + len + 1, &end, 10);
	return *end || port < 1 || port > UINT8_MAX ? -1 : (int)port;
}

int verbs_devices_open(const struct verbs *verbs, struct arena *arena, const char *only,
		       struct verbs_devices *ret_devices, int *ret_errno)
{
	int n = 0;
	struct ibv_device **list = verbs->get_device_list(&n);
	int status = 0;

	*ret_errno = list ? 0 : errno;
	if (!list)
		return -1;
	ret_devices->verbs = verbs;
	ret_devices->item = arena_alloc(arena, ((size_t)n + 1) * sizeof(*ret_devices->item));
	for (int i = 0; ret_devices->item && i < n && status == 0; i++) {
		struct verbs_device *device = &ret_devices->item[ret_devices->n];
		const char *name = verbs->get_device_name(list[i]);
		int port = match(only, name);

		if (port < 0)
			continue;
		ret_devices->n++;
		(void)snprintf(device->name, sizeof(device->name), "%s", name);
		errno = 0;
		status = open_one(verbs, arena, list[i], (unsigned)port, device);
	}
	verbs->free_device_list(list); /* what is open stays so */
	return ret_devices->item ? status : -1;
}

void verbs_devices_close(struct verbs_devices *devices)
{
	for (size_t i = 0; i < devices->n; i++) {
		if (devices->item[i].context)
			(void)devices->verbs->close_device(devices->item[i].context);
		devices->item[i].context = NULL;
	}
	devices->n = 0;
}
