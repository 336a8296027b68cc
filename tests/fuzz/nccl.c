/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices, an item a line: "NAME PORTS ACTIVE NETDEV", ports and active as bits in hexadecimal.
 * NCCL reads back exactly the devices and ports that were meant, from the environment and from the
 * file.
 */
#include "fuzz.h"
#include "nccl_reader.h"
#include "plan/plan.h"
#include "policy/quantity.h"

#define DEVICES_MAX 48
#define NCCL_LIST_MAX 32

static struct port ports[DEVICES_MAX][8];
static struct device device[DEVICES_MAX];

static bool read_device(const char *line, size_t place, const struct devices *known)
{
	struct device *d = &device[place];
	unsigned all = 1;
	unsigned active = 1;
	char name[64] = "";
	char netdev[16] = "";

	*d = (struct device){.port = ports[place]};
	(void)sscanf(line, "%63s %x %x %15s", name, &all, &active, netdev);
	for (size_t i = 0; i < known->n; i++) {
		if (strcmp(known->item[i].ibdev, name) == 0)
			return false;
	}
	if (!text_is_device_name(name))
		return false;
	strcpy(d->ibdev, name);
	if (text_is_netdev_name(netdev))
		strcpy(d->netdev, netdev);
	for (unsigned n = 0; n < 8; n++) {
		if (all & (1U << n))
			d->port[d->n_ports++] = (struct port){.number = n + 1,
							      .state = "",
							      .link_layer = "Ethernet",
							      .gid_index = 3};
		if (all & active & (1U << n))
			strcpy(d->port[d->n_ports - 1].state, "ACTIVE");
	}
	return true;
}

/* Whether the plan means the port: a device is named whole unless some of its ports cannot be used.
 */
static bool is_meant(const struct device *d, const struct port *port)
{
	size_t active = 0;

	for (size_t i = 0; i < d->n_ports; i++)
		active += strcmp(d->port[i].state, "ACTIVE") == 0;
	return active == 0 || d->n_ports < 2 || strcmp(port->state, "ACTIVE") == 0;
}

static void check_hca(const char *value, const struct devices *devices)
{
	size_t items = 1;

	for (const char *c = value; *c; c++)
		items += *c == ',';
	promise(value[0] == '=' && value[1]);
	for (size_t i = 0; i < devices->n; i++) {
		const struct device *d = &devices->item[i];
		char other[80];

		for (size_t p = 0; p < d->n_ports && items < NCCL_LIST_MAX; p++)
			promise(nccl_selects(value, d->ibdev, (int)d->port[p].number) ==
				is_meant(d, &d->port[p]));
		/* Neither what only begins like it nor its own beginning, unless that is one, too
		 */
		(void)snprintf(other, sizeof(other), "%s0", d->ibdev);
		for (size_t j = 0; j < 2; j++) {
			bool known = false;

			for (size_t k = 0; k < devices->n; k++)
				known = known || strcmp(devices->item[k].ibdev, other) == 0;
			promise(known || strlen(other) > 63 || !nccl_selects(value, other, 1));
			(void)snprintf(other, sizeof(other), "%.*s", (int)strlen(d->ibdev) - 1,
				       d->ibdev);
		}
	}
}

static void check_interfaces(const char *value, const struct devices *devices)
{
	for (size_t i = 0; i < devices->n && i < NCCL_LIST_MAX; i++)
		promise(nccl_selects(value, devices->item[i].netdev, -1));
	promise(!nccl_selects(value, "longer-than-any-name", -1));
}

static void check_plan(struct arena *arena, const struct facts *facts, const struct plan *plan)
{
	const char *lines = plan_nccl_lines(arena, plan);

	for (size_t i = 0; i < plan->n_settings; i++) {
		const struct setting *s = &plan->settings[i];
		char value[1024];

		promise(!text_has_control(s->value));
		if (s->scope != SCOPE_NCCL)
			continue;
		for (int version = 0; version < NCCL_VERSIONS; version++)
			promise(nccl_file_value(lines, strlen(lines), version, s->name, value) &&
				strcmp(value, s->value) == 0);
		if (strcmp(s->name, "NCCL_IB_HCA") == 0)
			check_hca(s->value, facts->devices);
		if (strcmp(s->name, "NCCL_SOCKET_IFNAME") == 0)
			check_interfaces(s->value, facts->devices);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	struct devices devices = {.item = device};
	struct spec spec = {0};
	struct request request = {
		.inject = INJECT_ASKED, .memlock = MEMLOCK_UNLIMITED, .nccl = true};
	struct config config;
	struct facts facts = {
		.spec = &spec, .config = &config, .request = &request, .devices = &devices};
	struct warnings warnings = {0};
	struct plan plan;
	struct err err;

	must(config_defaults(&arena, &config, &err));
	config.nccl.socket_ifname = "rdma";
	config.nccl.gid_index = GID_INDEX_LEGACY;
	config.frameworks.ucx = config.frameworks.nvshmem = config.frameworks.gloo = true;
	while (size && devices.n < DEVICES_MAX)
		devices.n += read_device(fuzz_line(&arena, &data, &size), devices.n, &devices);
	must(plan_make(&arena, &facts, &plan, &warnings, &err));
	promise(plan.decision == (devices.n ? DECISION_GRANT : DECISION_NONE));
	check_plan(&arena, &facts, &plan);
	return 0;
}
