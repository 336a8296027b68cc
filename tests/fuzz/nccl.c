/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A container and its devices, a line each: up to two lines of JSON, the container's config.json
 * and the administrator's; and "NAME PORTS ACTIVE NETDEV GID LINK ADDRESS STATE PHYS", ports and
 * active as bits in hexadecimal, all but the name left out at will. The devices stand by
 * PCI address, and NCCL reads back exactly the devices and ports that were meant,
 * from the environment and from the file.
 */
#include "core/plan/plan.h"
#include "core/policy/policy.h"
#include "explain/claims.h"
#include "fuzz.h"
#include "nccl_reader.h"

#define DEVICES_MAX 48
#define NCCL_LIST_MAX 32

static struct port ports[DEVICES_MAX][8];
static struct device device[DEVICES_MAX];
static char addresses[DEVICES_MAX][64];

static bool read_device(const char *line, size_t place, const struct devices *known)
{
	struct device *d = &device[place];
	struct port port = {.link_layer = "Ethernet", .gid_index = 3};
	unsigned all = 1;
	unsigned active = 1;
	char name[64] = "";
	char netdev[16] = "";

	*d = (struct device){.port = ports[place], .address = addresses[place]};
	snprintf(addresses[place], sizeof(addresses[place]), "0000:%02zx:00.0", place);
	snprintf(d->uverbs, sizeof(d->uverbs), "uverbs%zu", place);
	(void)sscanf(line, "%63s %x %x %15s %3d %15s %63s %23s %23s", name, &all, &active, netdev,
		     &port.gid_index, port.link_layer, addresses[place], port.state,
		     port.phys_state);
	for (size_t i = 0; i < known->n; i++) {
		if (strcmp(known->item[i].ibdev, name) == 0)
			return false;
	}
	if (!text_is_device_name(name) || text_has_control(d->address))
		return false;
	if (text_is_pci_address(d->address))
		strcpy(d->pci, d->address);
	strcpy(d->ibdev, name);
	if (text_is_netdev_name(netdev))
		strcpy(d->netdev, netdev);
	for (port.number = 1; port.number <= 8; port.number++) {
		if (!(all & (1U << (port.number - 1))))
			continue;
		d->port[d->n_ports] = port;
		if (active & (1U << (port.number - 1)))
			strcpy(d->port[d->n_ports].state, "ACTIVE");
		d->n_ports++;
	}
	return true;
}

/*
 * Whether the plan means the port: a device is named whole unless some of its ports cannot be used,
 * and not at all if NCCL's verbs take none of them (EFA).
 */
static bool is_meant(const struct device *d, const struct port *port)
{
	size_t active = 0;
	size_t taken = 0;

	for (size_t i = 0; i < d->n_ports; i++) {
		const char *layer = d->port[i].link_layer;

		active += strcmp(d->port[i].state, "ACTIVE") == 0;
		taken += !layer[0] || strcmp(layer, "Ethernet") == 0 ||
			 strcmp(layer, "InfiniBand") == 0;
	}
	if (!taken)
		return false;
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
		snprintf(other, sizeof(other), "%s0", d->ibdev);
		for (size_t j = 0; j < 2; j++) {
			bool known = false;

			for (size_t k = 0; k < devices->n; k++)
				known = known || strcmp(devices->item[k].ibdev, other) == 0;
			promise(known || strlen(other) > 63 || !nccl_selects(value, other, 1));
			snprintf(other, sizeof(other), "%.*s", (int)strlen(d->ibdev) - 1, d->ibdev);
		}
	}
}

static void check_interfaces(const char *value, const struct devices *devices)
{
	for (size_t i = 0; i < devices->n && i < NCCL_LIST_MAX; i++)
		promise(nccl_selects(value, devices->item[i].netdev, -1));
	promise(!nccl_selects(value, "longer-than-any-name", -1));
}

static void check_gid_index(const char *value, const struct devices *devices)
{
	for (size_t i = 0; i < devices->n; i++) {
		const struct device *d = &devices->item[i];

		for (size_t p = 0; p < d->n_ports; p++)
			promise(strcmp(d->port[p].link_layer, "Ethernet") != 0 ||
				d->port[p].gid_index == atoi(value));
	}
}

/* What says something about the devices, unless the administrator says something else instead */
static void check_meaning(const struct planning *p, const struct setting *s)
{
	const char *ifname = p->config->nccl.socket_ifname;

	if (strcmp(s->name, "NCCL_IB_HCA") == 0 && p->config->nccl.hca)
		check_hca(s->value, p->devices);
	if (strcmp(s->name, "NCCL_SOCKET_IFNAME") == 0 && ifname && strcmp(ifname, "rdma") == 0)
		check_interfaces(s->value, p->devices);
	if (strcmp(s->name, "NCCL_IB_GID_INDEX") == 0 &&
	    text_is(p->config->nccl.gid_index, "legacy"))
		check_gid_index(s->value, p->devices);
}

static void check_settings(struct arena *arena, const struct planning *p, const struct plan *plan)
{
	const char *lines = plan_nccl_lines(arena, plan);

	for (size_t i = 0; i < plan->n_settings; i++) {
		const struct setting *s = &plan->settings[i];
		bool in_file = s->state == SETTING_NEW && s->scope == SCOPE_NCCL;
		char value[1024];

		promise(!text_has_control(s->value));
		promise((s->state == SETTING_NEW) == !spec_getenv(p->spec, s->name));
		for (size_t j = 0; j < i; j++)
			promise(strcmp(plan->settings[j].name, s->name) != 0);
		for (int version = 0; version < NCCL_VERSIONS; version++)
			promise(nccl_file_value(lines, strlen(lines), version, s->name, value) ==
					in_file &&
				(!in_file || strcmp(value, s->value) == 0));
		if (plan->decision == DECISION_GRANT)
			check_meaning(p, s);
	}
}

static void check_plan(struct arena *arena, const struct planning *p, const struct plan *plan)
{
	const struct request *request = p->request;
	bool gets = plan->decision == DECISION_GRANT;

	promise(plan->reason && !text_has_control(plan->reason));
	promise(!gets ||
		(p->devices->n && request->inject != INJECT_REFUSED && !p->spec->identity.sandbox));
	promise(gets || (!plan->memlock && !plan->granted && !plan->seccomp));
	promise(!gets || (plan->memlock && plan->memlock <= request->memlock &&
			  plan->memlock <= p->config->memlock));
	promise(!plan->n_settings || (request->nccl && (gets || plan->decision == DECISION_TCP)));
	check_settings(arena, p, plan);
}

static void check_order(const struct devices *devices, size_t n)
{
	promise(devices->n == n);
	for (size_t i = 1; i < n; i++) {
		const struct device *before = &devices->item[i - 1];
		const struct device *after = &devices->item[i];
		int order = strcmp(before->pci, after->pci);

		promise(before->pci[0] || !after->pci[0]);
		promise(!after->pci[0] || order < 0 ||
			(order == 0 && text_compare_natural(before->ibdev, after->ibdev) < 0));
	}
}

/* The line is read as the file is, by way of the file. */
static int read_config(struct arena *arena, const char *line, struct config *config,
		       struct err *err)
{
	static int sysroot = -1;
	static char held[16384];

	if (sysroot < 0) {
		sysroot = fuzz_directory();
		must(mkdirat(sysroot, "etc", 0755));
		must(mkdirat(sysroot, "etc/oci-rdma-hook", 0755));
	}
	if (strlen(line) < sizeof(held) && strcmp(line, held) != 0)
		fuzz_write(sysroot, CONFIG_PATH, strcpy(held, line), strlen(line));
	return config_load(arena, sysroot, NULL, config, err);
}

static int read_lines(struct arena *arena, const uint8_t *data, size_t size, struct spec *spec,
		      struct config *config, struct devices *devices, struct err *err)
{
	int texts = 0;

	while (size && devices->n < DEVICES_MAX) {
		const char *line = fuzz_line(arena, &data, &size);
		int status = 0;

		if (line[0] != '{')
			devices->n += read_device(line, devices->n, devices);
		else if (texts++ == 0)
			status = spec_parse(arena, "config.json", line, strlen(line), spec, err);
		else
			status = read_config(arena, line, config, err);
		if (status < 0)
			return -1;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	struct devices devices = {.item = device};
	struct spec spec = {0};
	struct request request = {
		.inject = INJECT_ASKED, .memlock = MEMLOCK_UNLIMITED, .nccl = true};
	struct config config;
	struct claims claims;
	struct gpu gpu[] = {{.model = "0x2330"}, {.model = "0x2330"}};
	struct gpus gpus = {.item = gpu, .n = 2};
	struct warnings warnings = {0};
	struct plan plan;
	struct planning planning = {.arena = &arena,
				    .spec = &spec,
				    .config = &config,
				    .request = &request,
				    .devices = &devices,
				    .gpus = &gpus,
				    .plan = &plan,
				    .warnings = &warnings};
	struct err err;
	size_t n;

	config = config_defaults();
	config.nccl.socket_ifname = "rdma";
	config.nccl.gid_index = "legacy";
	config.frameworks.ucx = config.frameworks.nvshmem = true;
	config.frameworks.deepep = config.frameworks.gloo = true;
	if (read_lines(&arena, data, size, &spec, &config, &devices, &err) < 0 ||
	    (spec.n_annotations && request_read(&spec, "config.json", &request, &err) < 0))
		return fuzz_failed(&err);
	must(claims_read(&arena, &spec, &claims, &warnings, &err));
	n = devices.n;
	devices_sort(&devices);
	check_order(&devices, n);
	must(plan_decide(&planning, &err));
	if (plan_gives(&plan))
		must(plan_fill(&planning, &err));
	check_plan(&arena, &planning, &plan);
	for (size_t i = 0; i < warnings.n; i++)
		promise(!text_has_control(warnings.item[i].message));
	return 0;
}
