/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "doctor/verbs/device.h"

/* ---- libibverbs ---- */

#define LIBRARY "libibverbs.so.1"

/*
 * The version is part of the name: under IBVERBS_1.0 the same names are functions of another ABI,
 * and without a version it is the dynamic linker's choice.
 */
static const struct symbol {
	const char *name;
	const char *version;
	size_t offset;
	bool optional;
} symbols[] = {
	{"ibv_get_device_list", "IBVERBS_1.1", offsetof(struct verbs, get_device_list), false},
	{"ibv_free_device_list", "IBVERBS_1.1", offsetof(struct verbs, free_device_list), false},
	{"ibv_get_device_name", "IBVERBS_1.1", offsetof(struct verbs, get_device_name), false},
	{"ibv_open_device", "IBVERBS_1.1", offsetof(struct verbs, open_device), false},
	{"ibv_close_device", "IBVERBS_1.1", offsetof(struct verbs, close_device), false},
	{"ibv_query_device", "IBVERBS_1.1", offsetof(struct verbs, query_device), false},
	{"ibv_query_port", "IBVERBS_1.1", offsetof(struct verbs, query_port), false},
	{"ibv_query_gid", "IBVERBS_1.1", offsetof(struct verbs, query_gid), false},
	{"ibv_alloc_pd", "IBVERBS_1.1", offsetof(struct verbs, alloc_pd), false},
	{"ibv_dealloc_pd", "IBVERBS_1.1", offsetof(struct verbs, dealloc_pd), false},
	{"ibv_reg_mr", "IBVERBS_1.1", offsetof(struct verbs, reg_mr), false},
	{"ibv_dereg_mr", "IBVERBS_1.1", offsetof(struct verbs, dereg_mr), false},
	{"ibv_create_cq", "IBVERBS_1.1", offsetof(struct verbs, create_cq), false},
	{"ibv_destroy_cq", "IBVERBS_1.1", offsetof(struct verbs, destroy_cq), false},
	{"ibv_create_qp", "IBVERBS_1.1", offsetof(struct verbs, create_qp), false},
	{"ibv_modify_qp", "IBVERBS_1.1", offsetof(struct verbs, modify_qp), false},
	{"ibv_destroy_qp", "IBVERBS_1.1", offsetof(struct verbs, destroy_qp), false},
	{"_ibv_query_gid_ex", "IBVERBS_1.11", offsetof(struct verbs, query_gid_ex), true},
	{"ibv_reg_dmabuf_mr", "IBVERBS_1.12", offsetof(struct verbs, reg_dmabuf_mr), true},
};

int verbs_load(struct verbs *ret_verbs, struct err *err)
{
	/* NODELETE: a driver that it loaded may have left a thread or a handler behind. */
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!handle)
		return err_set(err, "%s", dlerror());
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		const struct symbol *symbol = &symbols[i];
		void *address = dlvsym(handle, symbol->name, symbol->version);

		if (!address && !symbol->optional)
			return err_set(err, "%s: it has no %s of version %s", LIBRARY, symbol->name,
				       symbol->version);
		memcpy((char *)ret_verbs + symbol->offset, &address, sizeof(address));
	}
	return 0;
}

/* ---- GIDs ---- */

const char *gid_text(const union ibv_gid *gid, char text[GID_TEXT_SIZE])
{
	return inet_ntop(AF_INET6, gid->raw, text, GID_TEXT_SIZE) ? text : "?";
}

const char *gid_type_name(int type)
{
	switch (type) {
	case IBV_GID_TYPE_IB:
		return "InfiniBand";
	case IBV_GID_TYPE_ROCE_V1:
		return "RoCE v1";
	case IBV_GID_TYPE_ROCE_V2:
		return "RoCE v2";
	default:
		return "empty";
	}
}

static bool starts_with(const union ibv_gid *gid, const unsigned char *bytes, size_t n)
{
	return memcmp(gid->raw, bytes, n) == 0;
}

/* NCCL counts a mapped multicast address (ff0e::ffff:0:0/96) as IPv4 as well. */
bool gid_is_ipv4(const union ibv_gid *gid)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	static const unsigned char multicast[12] = {0xff, 0x0e, [10] = 0xff, [11] = 0xff};

	return starts_with(gid, mapped, sizeof(mapped)) ||
	       starts_with(gid, multicast, sizeof(multicast));
}

/* Neither unset nor link-local: what NCCL calls valid */
static bool is_routable(const union ibv_gid *gid)
{
	static const unsigned char zero[16];
	static const unsigned char link_local[8] = {0xfe, 0x80};

	return !starts_with(gid, zero, sizeof(zero)) &&
	       !starts_with(gid, link_local, sizeof(link_local));
}

size_t gid_nccl_index(const struct gid_entry *entries, size_t n)
{
	size_t chosen = 0;

	for (size_t i = 1; i < n; i++) {
		const struct gid_entry *old = &entries[chosen];
		const struct gid_entry *new = &entries[i];

		if (!gid_is_ipv4(&new->gid))
			continue;
		if (!gid_is_ipv4(&old->gid) ||
		    (is_routable(&new->gid) && new->type == IBV_GID_TYPE_ROCE_V2 &&
		     (old->type != IBV_GID_TYPE_ROCE_V2 || !is_routable(&old->gid))))
			chosen = i;
	}
	return chosen;
}

size_t gid_usable_index(const struct gid_entry *entries, size_t n, bool infiniband)
{
	size_t chosen = infiniband ? 0 : gid_nccl_index(entries, n);

	if (chosen < n && entries[chosen].type != GID_TYPE_NONE)
		return chosen;
	for (chosen = 0; chosen < n && entries[chosen].type == GID_TYPE_NONE;)
		chosen++;
	return chosen;
}

unsigned gid_common_bits(const union ibv_gid *a, const union ibv_gid *b)
{
	for (unsigned i = 0; i < 8 * sizeof(a->raw); i++) {
		unsigned mask = 0x80U >> i % 8;

		if ((a->raw[i / 8] ^ b->raw[i / 8]) & mask)
			return i;
	}
	return 8 * sizeof(a->raw);
}

/* ---- a device ---- */

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
