/* SPDX-License-Identifier: Apache-2.0 */
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
} symbols[] = {
	{"ibv_get_device_list", "IBVERBS_1.1", offsetof(struct verbs, get_device_list)},
	{"ibv_free_device_list", "IBVERBS_1.1", offsetof(struct verbs, free_device_list)},
	{"ibv_get_device_name", "IBVERBS_1.1", offsetof(struct verbs, get_device_name)},
	{"ibv_open_device", "IBVERBS_1.1", offsetof(struct verbs, open_device)},
	{"ibv_close_device", "IBVERBS_1.1", offsetof(struct verbs, close_device)},
	{"ibv_query_device", "IBVERBS_1.1", offsetof(struct verbs, query_device)},
	{"ibv_query_port", "IBVERBS_1.1", offsetof(struct verbs, query_port)},
	{"ibv_query_gid", "IBVERBS_1.1", offsetof(struct verbs, query_gid)},
	{"ibv_alloc_pd", "IBVERBS_1.1", offsetof(struct verbs, alloc_pd)},
	{"ibv_dealloc_pd", "IBVERBS_1.1", offsetof(struct verbs, dealloc_pd)},
	{"ibv_reg_mr", "IBVERBS_1.1", offsetof(struct verbs, reg_mr)},
	{"ibv_dereg_mr", "IBVERBS_1.1", offsetof(struct verbs, dereg_mr)},
	{"ibv_create_cq", "IBVERBS_1.1", offsetof(struct verbs, create_cq)},
	{"ibv_destroy_cq", "IBVERBS_1.1", offsetof(struct verbs, destroy_cq)},
	{"ibv_create_qp", "IBVERBS_1.1", offsetof(struct verbs, create_qp)},
	{"ibv_modify_qp", "IBVERBS_1.1", offsetof(struct verbs, modify_qp)},
	{"ibv_destroy_qp", "IBVERBS_1.1", offsetof(struct verbs, destroy_qp)},
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

		if (!address)
			return err_set(err, "%s: it has no %s of version %s", LIBRARY, symbol->name,
				       symbol->version);
		memcpy((char *)ret_verbs + symbol->offset, &address, sizeof(address));
	}
	*(void **)&ret_verbs->reg_dmabuf_mr = dlvsym(handle, "ibv_reg_dmabuf_mr", "IBVERBS_1.12");
	return 0;
}

/* ---- GIDs ---- */

size_t gid_usable_index(const struct gid_entry *entries, size_t n)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	size_t chosen = n;

	for (size_t i = 0; i < n; i++) {
		if (entries[i].type == IBV_GID_TYPE_ROCE_V2 &&
		    memcmp(entries[i].gid.raw, mapped, sizeof(mapped)) == 0)
			return i;
		if (chosen == n && entries[i].type >= 0)
			chosen = i;
	}
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

/* libibverbs knows a GID's type since rdma-core 32, sysfs always; reading an empty slot's is an
 * error. */
static int type_by_sysfs(const char *device, unsigned port, size_t index)
{
	char path[160];
	char line[32];

	(void)snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%u/gid_attrs/types/%zu",
		       device, port, index);
	if (fs_read_line(AT_FDCWD, path, line, sizeof(line)) < 0)
		return -1;
	return strcmp(line, "RoCE v2") == 0 ? IBV_GID_TYPE_ROCE_V2 : IBV_GID_TYPE_ROCE_V1;
}

static struct gid_entry read_gid_entry(const struct verbs *verbs, const struct verbs_device *device,
				       const struct verbs_port *port, size_t index)
{
	static const union ibv_gid zero;
	struct gid_entry entry = {.type = -1};

	if (verbs->query_gid(device->context, port->number, (int)index, &entry.gid) == 0)
		entry.type = port->infiniband ? IBV_GID_TYPE_IB
					      : type_by_sysfs(device->name, port->number, index);
	if (memcmp(&entry.gid, &zero, sizeof(zero)) == 0)
		entry.type = -1;
	return entry;
}

static int read_gids(const struct verbs *verbs, struct arena *arena,
		     const struct verbs_device *device, struct verbs_port *port, size_t length)
{
	const size_t n = length < GIDS_MAX ? length : GIDS_MAX;
	struct gid_entry *entries = arena_alloc(arena, (n + 1) * sizeof(*entries));

	if (!entries)
		return -1;
	for (size_t i = 0; i < n; i++)
		entries[i] = read_gid_entry(verbs, device, port, i);
	port->gid_index = gid_usable_index(entries, n);
	port->has_gid = port->gid_index < n;
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

int verbs_device_match(const char *only, const char *name)
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
		int port = verbs_device_match(only, name);

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
