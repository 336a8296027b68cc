/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/device.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/node/network.h"

#define LIBRARY "libibverbs.so.1"

static const struct symbol {
	const char *name;
	size_t offset;
} symbols[] = {
#define SYMBOL(name) {"ibv_" #name, offsetof(struct verbs, name)},
	VERBS_CALLS(SYMBOL)
#undef SYMBOL
};

/* IBVERBS_1.0 has the same names with another ABI. */
#define ABI "IBVERBS_1.1"

int verbs_load(struct verbs *ret_verbs, struct err *err)
{
	/* NODELETE: drivers may leave threads or handlers behind. */
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!handle)
		return err_set(err, "%s", dlerror());
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		const struct symbol *symbol = &symbols[i];
		void *address = dlvsym(handle, symbol->name, ABI);

		if (!address)
			return err_set(err, "%s: it has no %s of version %s", LIBRARY, symbol->name,
				       ABI);
		memcpy((char *)ret_verbs + symbol->offset, &address, sizeof(address));
	}
	*(void **)&ret_verbs->reg_dmabuf_mr = dlvsym(handle, "ibv_reg_dmabuf_mr", "IBVERBS_1.12");
	return 0;
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

/* Usable: InfiniBand needs a LID, Ethernet a GID. gid_index: NCCL's, or negative */
static bool choose_port(const struct verbs *verbs, struct ibv_context *context, uint8_t number,
			int gid_index, struct verbs_port *ret_port)
{
	static const union ibv_gid zero;
	struct ibv_port_attr attr = {0};
	struct verbs_port port = {.number = number};

	if (verbs->query_port(context, number, (struct _compat_ibv_port_attr *)&attr) != 0 ||
	    attr.state != IBV_PORT_ACTIVE)
		return false;
	port.infiniband = attr.link_layer == IBV_LINK_LAYER_INFINIBAND;
	port.mtu = attr.active_mtu;
	port.lid = attr.lid;
	port.gid_index = (uint8_t)(gid_index > 0 && gid_index <= UINT8_MAX ? gid_index : 0);
	if (verbs->query_gid(context, number, port.gid_index, &port.gid) != 0)
		port.gid = zero;
	*ret_port = port;
	return memcmp(&port.gid, &zero, sizeof(zero)) != 0 || (port.infiniband && port.lid);
}

static void open_one(const struct verbs *verbs, const struct doctor *doctor, struct arena *arena,
		     struct ibv_device *listed, unsigned only_port, struct verbs_device *device)
{
	const struct device *found =
		doctor_find_ibdev(&doctor->all, device->name, strlen(device->name));
	struct device sysfs = found ? *found : (struct device){0};

	errno = 0;
	device->context = verbs->open_device(listed);
	if (!device->context) {
		device->open_errno = errno ? errno : EIO;
		return;
	}
	if (verbs->query_device(device->context, &device->attr) != 0)
		device->attr = (struct ibv_device_attr){.phys_port_cnt = 1};
	if (found) {
		node_read_ports(&doctor->node, arena, &sysfs);
		node_read_gids(&doctor->node, &sysfs);
	}
	for (unsigned i = 0; i < device->attr.phys_port_cnt && !device->usable; i++) {
		int index = i < sysfs.n_ports ? sysfs.port[i].gid_index : -1;

		if (!only_port || only_port == i + 1)
			device->usable = choose_port(verbs, device->context, (uint8_t)(i + 1),
						     index, &device->port);
	}
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

int verbs_devices_open(const struct verbs *verbs, const struct doctor *doctor, struct arena *arena,
		       struct verbs_devices *ret_devices, int *ret_errno)
{
	int n = 0;
	struct ibv_device **list = verbs->get_device_list(&n);

	*ret_errno = list ? 0 : errno;
	if (!list)
		return -1;
	ret_devices->verbs = verbs;
	ret_devices->item = arena_alloc(arena, ((size_t)n + 1) * sizeof(*ret_devices->item));
	for (int i = 0; ret_devices->item && i < n; i++) {
		struct verbs_device *device = &ret_devices->item[ret_devices->n];
		const char *name = verbs->get_device_name(list[i]);
		int port = verbs_device_match(doctor->options.device, name);

		if (port < 0)
			continue;
		ret_devices->n++;
		snprintf(device->name, sizeof(device->name), "%s", name);
		open_one(verbs, doctor, arena, list[i], (unsigned)port, device);
	}
	verbs->free_device_list(list);
	return ret_devices->item ? 0 : -1;
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
