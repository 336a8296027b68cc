/* SPDX-License-Identifier: Apache-2.0 */
/* Facts in, plan out. */
#include "tests/unit/unit.h"

#include "core/plan/plan.h"
#include "core/policy/quantity.h"

#define CONFIG_FILE "/etc/oci-rdma-hook/config.json"
#define CHOWN (UINT64_C(1) << 0)
#define IPC_LOCK (UINT64_C(1) << 14)
#define RESOURCE (UINT64_C(1) << 24)
#define NO_CAPABILITY (UINT64_C(1) << 63)
#define UNLIMITED MEMLOCK_UNLIMITED
#define MI (UINT64_C(1024) * 1024)
#define ITEMS_MAX 4
#define ENV_MAX 8

/* ---- facts, where 0 and NULL stand for the defaults ---- */

struct port_setup {
	const char *state;
	const char *link_layer;
	int gid_index; /* 0: none */
};

struct device_setup {
	const char *ibdev;
	const char *netdev;
	struct port_setup port[ITEMS_MAX];
};

struct setup {
	/* config */
	enum config_opt_in opt_in;
	const char *allowed; /* a namespace; NULL: "*"; "": none */
	uint64_t memlock;
	bool require_memory_limit;
	uint64_t capabilities;
	bool no_hca;
	const char *ifname;
	enum config_gid_index gid;
	unsigned gid_number;
	const char *gdr_level;
	struct config_variable extra[ITEMS_MAX];
	enum config_no_device on_no_device;
	/* request */
	enum request_inject inject;
	bool other_container;
	uint64_t less_memlock;
	bool no_nccl;
	/* spec */
	bool sandbox;
	bool memory_limit;
	const char *pod_namespace;
	const char *env[ENV_MAX];
	const char *mounts[ITEMS_MAX];
	bool has_memlock;
	uint64_t soft;
	uint64_t hard;
	uint64_t sets[SPEC_CAPABILITY_SETS];
	/* node */
	struct device_setup devices[ITEMS_MAX];
};

struct bench {
	struct arena arena;
	struct config config;
	struct request request;
	struct spec spec;
	struct devices devices;
	struct plan plan;
	struct warnings warnings;
};

static void bench_free(struct bench *bench)
{
	arena_free(&bench->arena);
}

#define cleanup_bench __attribute__((cleanup(bench_free))) struct bench

static void set_config(struct bench *bench, const struct setup *setup)
{
	struct config *config = &bench->config;
	const char **names = arena_alloc(&bench->arena, sizeof(*names));

	names[0] = setup->allowed ? setup->allowed : "*";
	*config = (struct config){
		.path = CONFIG_FILE,
		.opt_in = setup->opt_in,
		.namespaces = names,
		.n_namespaces = names[0][0] != '\0',
		.memlock = setup->memlock ? setup->memlock : UNLIMITED,
		.require_memory_limit = setup->require_memory_limit,
		.capabilities = setup->capabilities ? setup->capabilities : IPC_LOCK,
		.on_no_device = setup->on_no_device,
	};
	if (setup->capabilities == NO_CAPABILITY)
		config->capabilities = 0;
	config->nccl.hca = !setup->no_hca;
	config->nccl.socket_ifname = setup->ifname;
	config->nccl.gid_index = setup->gid;
	config->nccl.gid_index_number = setup->gid_number;
	config->nccl.gdr_level = setup->gdr_level;
	config->nccl.extra = (struct config_variable *)setup->extra;
	while (config->nccl.n_extra < ITEMS_MAX && setup->extra[config->nccl.n_extra].name)
		config->nccl.n_extra++;
}

static void set_spec(struct bench *bench, const struct setup *setup)
{
	struct spec *spec = &bench->spec;

	*spec = (struct spec){
		.sandbox = setup->sandbox,
		.memory_limit = setup->memory_limit,
		.pod_namespace = setup->pod_namespace,
		.env = (const char **)setup->env,
		.mounts = (const char **)setup->mounts,
		.has_memlock = setup->has_memlock,
		.memlock_soft = setup->soft,
		.memlock_hard = setup->hard,
	};
	memcpy(spec->capabilities, setup->sets, sizeof(spec->capabilities));
	while (spec->n_env < ENV_MAX && setup->env[spec->n_env])
		spec->n_env++;
	while (spec->n_mounts < ITEMS_MAX && setup->mounts[spec->n_mounts])
		spec->n_mounts++;
}

static void add_device(struct bench *bench, const struct device_setup *from)
{
	struct device *device = &bench->devices.item[bench->devices.n++];

	(void)snprintf(device->ibdev, sizeof(device->ibdev), "%s", from->ibdev);
	(void)snprintf(device->netdev, sizeof(device->netdev), "%s",
		       from->netdev ? from->netdev : "");
	device->port = arena_alloc(&bench->arena, ITEMS_MAX * sizeof(*device->port));
	for (; device->n_ports < ITEMS_MAX && from->port[device->n_ports].state;
	     device->n_ports++) {
		const struct port_setup *setup = &from->port[device->n_ports];
		struct port *port = &device->port[device->n_ports];

		port->number = (unsigned)device->n_ports + 1;
		port->gid_index = setup->gid_index ? setup->gid_index : -1;
		(void)snprintf(port->state, sizeof(port->state), "%s", setup->state);
		(void)snprintf(port->link_layer, sizeof(port->link_layer), "%s",
			       setup->link_layer ? setup->link_layer : "Ethernet");
	}
}

static void make_plan(struct bench *bench)
{
	struct facts facts = {
		.spec = &bench->spec,
		.config = &bench->config,
		.request = &bench->request,
		.devices = &bench->devices,
	};
	struct err err = {0};

	assert_int_equal(plan_make(&bench->arena, &facts, &bench->plan, &bench->warnings, &err), 0);
	assert_string_equal(err.text, "");
}

static void set_up(struct bench *bench, const struct setup *setup)
{
	set_config(bench, setup);
	set_spec(bench, setup);
	bench->request = (struct request){
		.inject = setup->inject,
		.other_container = setup->other_container,
		.memlock = setup->less_memlock ? setup->less_memlock : UNLIMITED,
		.nccl = !setup->no_nccl,
	};
	bench->devices.item = arena_alloc(&bench->arena, ITEMS_MAX * sizeof(struct device));
	for (size_t i = 0; i < ITEMS_MAX && setup->devices[i].ibdev; i++)
		add_device(bench, &setup->devices[i]);
}

/* ---- the decision ---- */

#define NOT_ASKED "not asked for: no annotation oci-rdma-hook.io/inject"
#define REFUSED "the annotation oci-rdma-hook.io/inject says \"false\""
#define OTHER "the annotation oci-rdma-hook.io/containers does not name this container"
#define SANDBOX "not a workload container: the pod's sandbox"
#define NO_DEVICE "no RDMA device allocated"
#define TCP "annotated, but no RDMA device allocated (on_no_device: tcp)"
#define FAIL "annotated, but no RDMA device allocated (on_no_device: fail in " CONFIG_FILE ")"
#define NO_LIMIT "no memory limit, which require_memory_limit in " CONFIG_FILE " asks for"
#define NOT_ALLOWED(name) "namespace " name " is not among the namespaces of " CONFIG_FILE
#define ONE_DEVICE .devices = {{"mlx5_6"}}
#define ASKED .inject = INJECT_ASKED

static const struct decision_case {
	const char *name;
	struct setup setup;
	enum decision decision;
	const char *reason;
	bool fail;
} decision_cases[] = {
	{"decision: asked for, one device",
	 {ASKED, ONE_DEVICE},
	 DECISION_GRANT,
	 "1 RDMA device allocated and annotated",
	 false},
	{"decision: asked for, four devices",
	 {ASKED, .devices = {{"mlx5_6"}, {"mlx5_7"}, {"mlx5_10"}, {"mlx5_11"}}},
	 DECISION_GRANT,
	 "4 RDMA devices allocated and annotated",
	 false},
	{"decision: not asked for", {ONE_DEVICE}, DECISION_NONE, NOT_ASKED, false},
	{"decision: not asked for, opt_in device",
	 {.opt_in = OPT_IN_DEVICE, ONE_DEVICE},
	 DECISION_GRANT,
	 "1 RDMA device allocated",
	 false},
	{"decision: asked for, opt_in device",
	 {.opt_in = OPT_IN_DEVICE, ASKED, ONE_DEVICE},
	 DECISION_GRANT,
	 "1 RDMA device allocated and annotated",
	 false},
	{"decision: refused",
	 {.inject = INJECT_REFUSED, ONE_DEVICE},
	 DECISION_NONE,
	 REFUSED,
	 false},
	{"decision: refused, opt_in device",
	 {.opt_in = OPT_IN_DEVICE, .inject = INJECT_REFUSED, ONE_DEVICE},
	 DECISION_NONE,
	 REFUSED,
	 false},
	{"decision: for another container",
	 {ASKED, .other_container = true, ONE_DEVICE},
	 DECISION_NONE,
	 OTHER,
	 false},
	{"decision: for another container, opt_in device",
	 {.opt_in = OPT_IN_DEVICE, .other_container = true, ONE_DEVICE},
	 DECISION_NONE,
	 OTHER,
	 false},
	{"decision: a sandbox",
	 {.sandbox = true, ASKED, ONE_DEVICE},
	 DECISION_NONE,
	 SANDBOX,
	 false},
	{"decision: a sandbox, opt_in device, on_no_device fail",
	 {.sandbox = true, .opt_in = OPT_IN_DEVICE, ASKED, .on_no_device = NO_DEVICE_FAIL},
	 DECISION_NONE,
	 SANDBOX,
	 false},

	{"decision: no device", {ASKED}, DECISION_NONE, NO_DEVICE, false},
	{"decision: no device, opt_in device",
	 {.opt_in = OPT_IN_DEVICE},
	 DECISION_NONE,
	 NO_DEVICE,
	 false},
	{"decision: no device, on_no_device tcp",
	 {ASKED, .on_no_device = NO_DEVICE_TCP},
	 DECISION_TCP,
	 TCP,
	 false},
	{"decision: no device, on_no_device fail",
	 {ASKED, .on_no_device = NO_DEVICE_FAIL},
	 DECISION_DENIED,
	 FAIL,
	 true},
	{"decision: no device and not asked for, on_no_device fail",
	 {.on_no_device = NO_DEVICE_FAIL},
	 DECISION_NONE,
	 NOT_ASKED,
	 false},
	{"decision: no device and not asked for, opt_in device, on_no_device fail",
	 {.opt_in = OPT_IN_DEVICE, .on_no_device = NO_DEVICE_FAIL},
	 DECISION_NONE,
	 NO_DEVICE,
	 false},
	{"decision: no device and not asked for, opt_in device, on_no_device tcp",
	 {.opt_in = OPT_IN_DEVICE, .on_no_device = NO_DEVICE_TCP},
	 DECISION_NONE,
	 NO_DEVICE,
	 false},
	{"decision: no device, for another container, on_no_device fail",
	 {ASKED, .other_container = true, .on_no_device = NO_DEVICE_FAIL},
	 DECISION_NONE,
	 OTHER,
	 false},
	{"decision: no device and refused, on_no_device fail",
	 {.inject = INJECT_REFUSED, .on_no_device = NO_DEVICE_FAIL},
	 DECISION_NONE,
	 REFUSED,
	 false},

	{"decision: namespace allowed",
	 {ASKED, .allowed = "team-*", .pod_namespace = "team-a", ONE_DEVICE},
	 DECISION_GRANT,
	 "1 RDMA device allocated and annotated",
	 false},
	{"decision: namespace not allowed",
	 {ASKED, .allowed = "team-*", .pod_namespace = "other", ONE_DEVICE},
	 DECISION_DENIED,
	 NOT_ALLOWED("other"),
	 false},
	{"decision: namespace not known",
	 {ASKED, .allowed = "team-*", ONE_DEVICE},
	 DECISION_DENIED,
	 NOT_ALLOWED("(unknown)"),
	 false},
	{"decision: namespace not known, all allowed",
	 {ASKED, ONE_DEVICE},
	 DECISION_GRANT,
	 "1 RDMA device allocated and annotated",
	 false},
	{"decision: no namespace allowed",
	 {ASKED, .allowed = "", .pod_namespace = "team-a", ONE_DEVICE},
	 DECISION_DENIED,
	 NOT_ALLOWED("team-a"),
	 false},
	{"decision: namespace not allowed, opt_in device",
	 {.opt_in = OPT_IN_DEVICE, .allowed = "a", .pod_namespace = "b", ONE_DEVICE},
	 DECISION_DENIED,
	 NOT_ALLOWED("b"),
	 false},
	{"decision: namespace not allowed and not asked for",
	 {.allowed = "a", .pod_namespace = "b", ONE_DEVICE},
	 DECISION_NONE,
	 NOT_ASKED,
	 false},
	{"decision: namespace not allowed, no device",
	 {ASKED, .allowed = "a", .pod_namespace = "b"},
	 DECISION_NONE,
	 NO_DEVICE,
	 false},
	{"decision: namespace not allowed, no device, on_no_device tcp",
	 {ASKED, .allowed = "a", .pod_namespace = "b", .on_no_device = NO_DEVICE_TCP},
	 DECISION_DENIED,
	 NOT_ALLOWED("b"),
	 false},

	{"decision: no memory limit, none required",
	 {ASKED, ONE_DEVICE},
	 DECISION_GRANT,
	 "1 RDMA device allocated and annotated",
	 false},
	{"decision: no memory limit, one required",
	 {ASKED, .require_memory_limit = true, ONE_DEVICE},
	 DECISION_DENIED,
	 NO_LIMIT,
	 false},
	{"decision: a memory limit, one required",
	 {ASKED, .require_memory_limit = true, .memory_limit = true, ONE_DEVICE},
	 DECISION_GRANT,
	 "1 RDMA device allocated and annotated",
	 false},
	{"decision: no memory limit, one required, opt_in device",
	 {.opt_in = OPT_IN_DEVICE, .require_memory_limit = true, ONE_DEVICE},
	 DECISION_DENIED,
	 NO_LIMIT,
	 false},
	{"decision: no memory limit, one required, not asked for",
	 {.require_memory_limit = true, ONE_DEVICE},
	 DECISION_NONE,
	 NOT_ASKED,
	 false},
	{"decision: the namespace is said before the limit",
	 {ASKED, .allowed = "a", .pod_namespace = "b", .require_memory_limit = true, ONE_DEVICE},
	 DECISION_DENIED,
	 NOT_ALLOWED("b"),
	 false},
};

static void decision_is_made(void **state)
{
	const struct decision_case *row = *state;
	cleanup_bench bench = {0};

	set_up(&bench, &row->setup);
	make_plan(&bench);
	assert_string_equal(bench.plan.reason, row->reason);
	assert_string_equal(decision_name(bench.plan.decision), decision_name(row->decision));
	assert_int_equal(bench.plan.fail, row->fail);
	/* Without a grant nothing but TCP's variables is given. */
	if (row->decision == DECISION_GRANT)
		return;
	assert_false(bench.plan.sets_memlock);
	assert_false(bench.plan.adds_rlimit);
	assert_true(bench.plan.capabilities == 0);
	if (row->decision == DECISION_TCP)
		return;
	assert_int_equal(bench.plan.n_settings, 0);
	assert_string_equal(plan_nccl_lines(&bench.arena, &bench.plan), "");
	assert_int_equal(bench.warnings.n, 0);
}

static void decisions_have_the_names_of_the_schema(void **state)
{
	(void)state;
	assert_string_equal(decision_name(DECISION_GRANT), "grant");
	assert_string_equal(decision_name(DECISION_TCP), "tcp");
	assert_string_equal(decision_name(DECISION_NONE), "none");
	assert_string_equal(decision_name(DECISION_DENIED), "denied");
}

/* ---- memlock ---- */

static const struct memlock_case {
	const char *name;
	struct setup setup;
	uint64_t memlock;
	bool adds;
} memlock_cases[] = {
	{"memlock: unlimited, the spec says nothing", {ASKED, ONE_DEVICE}, UNLIMITED, true},
	{"memlock: the config's", {ASKED, .memlock = 64 * MI, ONE_DEVICE}, 64 * MI, true},
	{"memlock: an annotation reduces unlimited",
	 {ASKED, .less_memlock = MI, ONE_DEVICE},
	 MI,
	 true},
	{"memlock: an annotation reduces the config's",
	 {ASKED, .memlock = 64 * MI, .less_memlock = MI, ONE_DEVICE},
	 MI,
	 true},
	{"memlock: an annotation never raises",
	 {ASKED, .memlock = MI, .less_memlock = 64 * MI, ONE_DEVICE},
	 MI,
	 true},
	{"memlock: the spec has as much",
	 {ASKED, .memlock = MI, .has_memlock = true, .soft = MI, .hard = MI, ONE_DEVICE},
	 MI,
	 false},
	{"memlock: the spec has more",
	 {ASKED, .memlock = MI, .has_memlock = true, .soft = 2 * MI, .hard = UNLIMITED, ONE_DEVICE},
	 MI,
	 false},
	{"memlock: the spec has less",
	 {ASKED, .memlock = MI, .has_memlock = true, .soft = 1, .hard = 1, ONE_DEVICE},
	 MI,
	 true},
	{"memlock: the spec's soft limit is less",
	 {ASKED, .memlock = MI, .has_memlock = true, .soft = 1, .hard = UNLIMITED, ONE_DEVICE},
	 MI,
	 true},
	{"memlock: the spec's hard limit is less",
	 {ASKED, .memlock = MI, .has_memlock = true, .soft = UNLIMITED, .hard = 1, ONE_DEVICE},
	 MI,
	 true},
	{"memlock: the spec has unlimited",
	 {ASKED, .has_memlock = true, .soft = UNLIMITED, .hard = UNLIMITED, ONE_DEVICE},
	 UNLIMITED,
	 false},
	{"memlock: the spec has 2^64-2, unlimited is asked",
	 {ASKED, .has_memlock = true, .soft = UNLIMITED - 1, .hard = UNLIMITED - 1, ONE_DEVICE},
	 UNLIMITED,
	 true},
};

static void memlock_is_planned(void **state)
{
	const struct memlock_case *row = *state;
	cleanup_bench bench = {0};

	set_up(&bench, &row->setup);
	make_plan(&bench);
	assert_true(bench.plan.sets_memlock);
	assert_true(bench.plan.memlock == row->memlock);
	assert_int_equal(bench.plan.adds_rlimit, row->adds);
}

/* ---- capabilities ---- */

#define EVERYWHERE(bits)                                                                           \
	{                                                                                          \
		(bits), (bits), (bits), (bits), (bits)                                             \
	}

static const struct capability_case {
	const char *name;
	struct setup setup;
	uint64_t adds;
} capability_cases[] = {
	{"capabilities: CAP_IPC_LOCK by default", {ASKED, ONE_DEVICE}, IPC_LOCK},
	{"capabilities: the config's",
	 {ASKED, .capabilities = IPC_LOCK | RESOURCE, ONE_DEVICE},
	 IPC_LOCK | RESOURCE},
	{"capabilities: none by the config", {ASKED, .capabilities = NO_CAPABILITY, ONE_DEVICE}, 0},
	{"capabilities: present in all five sets",
	 {ASKED, .sets = EVERYWHERE(IPC_LOCK | CHOWN), ONE_DEVICE},
	 0},
	{"capabilities: missing in the ambient set alone",
	 {ASKED, .sets = {IPC_LOCK, IPC_LOCK, IPC_LOCK, IPC_LOCK, 0}, ONE_DEVICE},
	 IPC_LOCK},
	{"capabilities: missing in the bounding set alone",
	 {ASKED, .sets = {0, IPC_LOCK, IPC_LOCK, IPC_LOCK, IPC_LOCK}, ONE_DEVICE},
	 IPC_LOCK},
	{"capabilities: missing in the inheritable set alone",
	 {ASKED, .sets = {IPC_LOCK, IPC_LOCK, IPC_LOCK, CHOWN, IPC_LOCK}, ONE_DEVICE},
	 IPC_LOCK},
	{"capabilities: one of two is there",
	 {ASKED, .capabilities = IPC_LOCK | RESOURCE, .sets = EVERYWHERE(IPC_LOCK), ONE_DEVICE},
	 RESOURCE},
	{"capabilities: what the container has besides is not ours to say",
	 {ASKED, .sets = EVERYWHERE(CHOWN), ONE_DEVICE},
	 IPC_LOCK},
};

static void capabilities_are_planned(void **state)
{
	const struct capability_case *row = *state;
	cleanup_bench bench = {0};

	set_up(&bench, &row->setup);
	make_plan(&bench);
	assert_true(bench.plan.capabilities == row->adds);
}

/* ---- NCCL's variables ---- */

#define UP                                                                                         \
	{                                                                                          \
		"ACTIVE"                                                                           \
	}
#define DOWN                                                                                       \
	{                                                                                          \
		"DOWN"                                                                             \
	}
#define GID(index)                                                                                 \
	{                                                                                          \
		{                                                                                  \
			"ACTIVE", "Ethernet", index                                                \
		}                                                                                  \
	}
#define IB                                                                                         \
	{                                                                                          \
		{                                                                                  \
			"ACTIVE", "InfiniBand"                                                     \
		}                                                                                  \
	}
#define TWO .devices = {{"mlx5_6", "net1"}, {"mlx5_10", "net2"}}
#define HCA_TWO "NCCL_IB_HCA==mlx5_6,mlx5_10 new;"
#define HCA_ONE "NCCL_IB_HCA==mlx5_6 new;"
#define TCP_SETUP ASKED, .on_no_device = NO_DEVICE_TCP
#define TCP_OFF "NCCL_IB_DISABLE=1 new;NCCL_IBEXT_DISABLE=1 new;"

static const struct setting_case {
	const char *name;
	struct setup setup;
	const char *settings;
	const char *warnings;
} setting_cases[] = {
	{"nccl: the devices in their order, with '=' in front", {ASKED, TWO}, HCA_TWO, ""},
	{"nccl: one device", {ASKED, ONE_DEVICE}, HCA_ONE, ""},
	{"nccl: hca false", {ASKED, .no_hca = true, TWO}, "", ""},
	{"nccl: the annotation says no", {ASKED, .no_nccl = true, .gdr_level = "SYS", TWO}, "", ""},
	{"nccl: the annotation says no to TCP's too", {TCP_SETUP, .no_nccl = true}, "", ""},

	{"ports: one, active", {ASKED, .devices = {{"mlx5_6", NULL, {UP}}}}, HCA_ONE, ""},
	{"ports: one, down: named all the same, with a warning",
	 {ASKED, .devices = {{"mlx5_6", NULL, {DOWN}}}},
	 HCA_ONE,
	 "port_not_active"},
	{"ports: one, its state not known",
	 {ASKED, .devices = {{"mlx5_6", NULL, {{""}}}}},
	 HCA_ONE,
	 ""},
	{"ports: two, both active", {ASKED, .devices = {{"mlx5_6", NULL, {UP, UP}}}}, HCA_ONE, ""},
	{"ports: two, both down",
	 {ASKED, .devices = {{"mlx5_6", NULL, {DOWN, DOWN}}}},
	 HCA_ONE,
	 "port_not_active,port_not_active"},
	{"ports: two, the first active",
	 {ASKED, .devices = {{"mlx5_6", NULL, {UP, DOWN}}}},
	 "NCCL_IB_HCA==mlx5_6:1 new;",
	 "port_not_active"},
	{"ports: two, the second active",
	 {ASKED, .devices = {{"mlx5_6", NULL, {DOWN, UP}}}},
	 "NCCL_IB_HCA==mlx5_6:2 new;",
	 "port_not_active"},
	{"ports: two, one not known",
	 {ASKED, .devices = {{"mlx5_6", NULL, {UP, {""}}}}},
	 "NCCL_IB_HCA==mlx5_6:1 new;",
	 ""},
	{"ports: three, two active",
	 {ASKED, .devices = {{"mlx5_6", NULL, {UP, DOWN, UP}}}},
	 "NCCL_IB_HCA==mlx5_6:1,mlx5_6:3 new;",
	 "port_not_active"},
	{"ports: bare names beside name:port",
	 {ASKED, .devices = {{"a", NULL, {UP}}, {"b", NULL, {DOWN, UP}}, {"c", NULL, {UP, UP}}}},
	 "NCCL_IB_HCA==a,b:2,c new;",
	 "port_not_active"},
	{"ports: ARMED is not active",
	 {ASKED, .devices = {{"mlx5_6", NULL, {{"ARMED"}, UP}}}},
	 "NCCL_IB_HCA==mlx5_6:2 new;",
	 "port_not_active"},

	{"GID: auto sets nothing", {ASKED, .devices = {{"mlx5_6", NULL, GID(3)}}}, HCA_ONE, ""},
	{"GID: legacy, one device",
	 {ASKED, .gid = GID_INDEX_LEGACY, .devices = {{"mlx5_6", NULL, GID(3)}}},
	 HCA_ONE "NCCL_IB_GID_INDEX=3 new;",
	 ""},
	{"GID: legacy, all agree",
	 {ASKED, .gid = GID_INDEX_LEGACY,
	  .devices = {{"mlx5_6", NULL, GID(5)}, {"mlx5_10", NULL, GID(5)}}},
	 HCA_TWO "NCCL_IB_GID_INDEX=5 new;",
	 ""},
	{"GID: legacy, they differ",
	 {ASKED, .gid = GID_INDEX_LEGACY,
	  .devices = {{"mlx5_6", NULL, GID(3)}, {"mlx5_10", NULL, GID(5)}}},
	 HCA_TWO,
	 "gid_index_differs"},
	{"GID: legacy, one has none",
	 {ASKED, .gid = GID_INDEX_LEGACY,
	  .devices = {{"mlx5_6", NULL, GID(3)}, {"mlx5_10", NULL, GID(0)}}},
	 HCA_TWO,
	 "no_gid"},
	{"GID: legacy, the first has none",
	 {ASKED, .gid = GID_INDEX_LEGACY,
	  .devices = {{"mlx5_6", NULL, GID(0)}, {"mlx5_10", NULL, GID(3)}}},
	 HCA_TWO,
	 "no_gid"},
	{"GID: legacy, ports of one device differ",
	 {ASKED, .gid = GID_INDEX_LEGACY,
	  .devices = {{"mlx5_6", NULL, {{"ACTIVE", NULL, 3}, {"ACTIVE", NULL, 4}}}}},
	 HCA_ONE,
	 "gid_index_differs"},
	{"GID: legacy, an InfiniBand link needs none",
	 {ASKED, .gid = GID_INDEX_LEGACY,
	  .devices = {{"mlx5_6", NULL, GID(3)}, {"mlx5_10", NULL, IB}}},
	 HCA_TWO "NCCL_IB_GID_INDEX=3 new;",
	 "link_layer_mix"},
	{"GID: legacy, InfiniBand alone sets nothing, and lacks nothing",
	 {ASKED, .gid = GID_INDEX_LEGACY, .devices = {{"mlx5_6", NULL, IB}}},
	 HCA_ONE,
	 ""},
	{"GID: legacy, InfiniBand beside ports that are not known",
	 {ASKED, .gid = GID_INDEX_LEGACY, .devices = {{"mlx5_6", NULL, IB}, {"mlx5_10"}}},
	 HCA_TWO,
	 "gids_unknown"},
	{"GID: legacy, one that is not known may differ from the others",
	 {ASKED, .gid = GID_INDEX_LEGACY, .devices = {{"mlx5_6", NULL, GID(3)}, {"mlx5_10"}}},
	 HCA_TWO,
	 "gids_unknown"},
	{"GID: a number",
	 {ASKED, .gid = GID_INDEX_NUMBER, .gid_number = 3, ONE_DEVICE},
	 HCA_ONE "NCCL_IB_GID_INDEX=3 new;",
	 ""},
	{"GID: the number 0",
	 {ASKED, .gid = GID_INDEX_NUMBER, .gid_number = 0, ONE_DEVICE},
	 HCA_ONE "NCCL_IB_GID_INDEX=0 new;",
	 ""},
	{"GID: a number holds whatever the devices have",
	 {ASKED, .gid = GID_INDEX_NUMBER, .gid_number = 1, .devices = {{"mlx5_6", NULL, GID(3)}}},
	 HCA_ONE "NCCL_IB_GID_INDEX=1 new;",
	 ""},

	{"interfaces: a literal value",
	 {ASKED, .ifname = "=eth0", TWO},
	 HCA_TWO "NCCL_SOCKET_IFNAME==eth0 new;",
	 ""},
	{"interfaces: rdma, in the order of the devices",
	 {ASKED, .ifname = "rdma", TWO},
	 HCA_TWO "NCCL_SOCKET_IFNAME==net1,net2 new;",
	 ""},
	{"interfaces: rdma, one is not known",
	 {ASKED, .ifname = "rdma", .devices = {{"mlx5_6", "net1"}, {"mlx5_10", NULL}}},
	 HCA_TWO,
	 "no_netdev_name"},

	{"config: gdr_level",
	 {ASKED, .gdr_level = "SYS", ONE_DEVICE},
	 HCA_ONE "NCCL_NET_GDR_LEVEL=SYS new;",
	 ""},
	{"config: extra, in its order",
	 {ASKED, .extra = {{"NCCL_IB_TC", "106", 1}, {"A", "x=y", 2}}, ONE_DEVICE},
	 HCA_ONE "NCCL_IB_TC=106 new;A=x=y new;",
	 ""},
	{"config: extra alone",
	 {ASKED, .no_hca = true, .extra = {{"A", "1", 1}}, ONE_DEVICE},
	 "A=1 new;",
	 ""},
	{"config: all together",
	 {ASKED, .ifname = "rdma", .gid = GID_INDEX_NUMBER, .gid_number = 3, .gdr_level = "LOC",
	  .extra = {{"A", "1", 1}}, TWO},
	 HCA_TWO "NCCL_SOCKET_IFNAME==net1,net2 new;NCCL_IB_GID_INDEX=3 new;"
		 "NCCL_NET_GDR_LEVEL=LOC new;A=1 new;",
	 ""},

	{"env: already says it",
	 {ASKED, .env = {"NCCL_IB_HCA==mlx5_6"}, ONE_DEVICE},
	 "NCCL_IB_HCA==mlx5_6 present;",
	 ""},
	{"env: says something else, which stays",
	 {ASKED, .env = {"NCCL_IB_HCA=mlx5_0"}, ONE_DEVICE},
	 "NCCL_IB_HCA==mlx5_6 kept;",
	 "env_already_set"},
	{"env: says it without '=', which is something else",
	 {ASKED, .env = {"NCCL_IB_HCA=mlx5_6"}, ONE_DEVICE},
	 "NCCL_IB_HCA==mlx5_6 kept;",
	 "env_already_set"},
	{"env: an empty value is something else",
	 {ASKED, .env = {"NCCL_IB_HCA="}, ONE_DEVICE},
	 "NCCL_IB_HCA==mlx5_6 kept;",
	 "env_already_set"},
	{"env: without '=' it is not set",
	 {ASKED, .env = {"NCCL_IB_HCA"}, ONE_DEVICE},
	 HCA_ONE,
	 ""},
	{"env: a longer name is another",
	 {ASKED, .env = {"NCCL_IB_HCA2=x", "XNCCL_IB_HCA=y"}, ONE_DEVICE},
	 HCA_ONE,
	 ""},
	{"env: of two the first holds",
	 {ASKED, .env = {"NCCL_IB_HCA==mlx5_6", "NCCL_IB_HCA=x"}, ONE_DEVICE},
	 "NCCL_IB_HCA==mlx5_6 present;",
	 ""},
	{"env: each variable by itself",
	 {ASKED, .gdr_level = "SYS", .extra = {{"A", "1", 1}, {"B", "2", 2}}, .env = {"A=1", "B=3"},
	  ONE_DEVICE},
	 HCA_ONE "NCCL_NET_GDR_LEVEL=SYS new;A=1 present;B=2 kept;",
	 "env_already_set"},

	{"tcp: both switches and eth0", {TCP_SETUP}, TCP_OFF "NCCL_SOCKET_IFNAME==eth0 new;", ""},
	{"tcp: the literal interface",
	 {TCP_SETUP, .ifname = "=ens1"},
	 TCP_OFF "NCCL_SOCKET_IFNAME==ens1 new;",
	 ""},
	{"tcp: not the rdma interfaces, which it does not have",
	 {TCP_SETUP, .ifname = "rdma"},
	 TCP_OFF "NCCL_SOCKET_IFNAME==eth0 new;",
	 ""},
	{"tcp: nothing that is for RDMA",
	 {TCP_SETUP, .gdr_level = "SYS", .gid = GID_INDEX_NUMBER, .gid_number = 3},
	 TCP_OFF "NCCL_SOCKET_IFNAME==eth0 new;",
	 ""},
	{"tcp: the environment's stays",
	 {TCP_SETUP, .env = {"NCCL_SOCKET_IFNAME=eth1", "NCCL_IB_DISABLE=1"}},
	 "NCCL_IB_DISABLE=1 present;NCCL_IBEXT_DISABLE=1 new;NCCL_SOCKET_IFNAME==eth0 kept;",
	 "env_already_set"},
};

static const char *render(struct arena *arena, const struct plan *plan)
{
	static const char *const states[] = {
		[SETTING_NEW] = "new", [SETTING_PRESENT] = "present", [SETTING_KEPT] = "kept"};
	const char *text = "";

	for (size_t i = 0; i < plan->n_settings; i++)
		text = arena_printf(arena, "%s%s=%s %s;", text, plan->settings[i].name,
				    plan->settings[i].value, states[plan->settings[i].state]);
	return text;
}

/* The lines of nccl.conf: what is new is among them, what the environment has is not. */
static void check_lines(struct bench *bench)
{
	const struct plan *plan = &bench->plan;
	const char *lines = plan_nccl_lines(&bench->arena, plan);
	size_t n = 0;

	for (size_t i = 0; i < plan->n_settings; i++) {
		const struct setting *s = &plan->settings[i];
		char *line = arena_printf(&bench->arena, "%s=%s\n", s->name, s->value);

		if (s->state == SETTING_NEW)
			assert_has(lines, line);
		else
			assert_null(strstr(lines, line));
	}
	for (const char *c = lines; *c; c++)
		n += *c == '\n';
	assert_true(n <= plan->n_settings);
	assert_true(!lines[0] || lines[strlen(lines) - 1] == '\n');
}

static void settings_are_planned(void **state)
{
	const struct setting_case *row = *state;
	cleanup_bench bench = {0};

	set_up(&bench, &row->setup);
	make_plan(&bench);
	assert_string_equal(render(&bench.arena, &bench.plan), row->settings);
	assert_string_equal(unit_codes(&bench.arena, &bench.warnings), row->warnings);
	check_lines(&bench);
}

static void the_warning_says_what_we_would_have_said(void **state)
{
	static const struct setup setup = {ASKED, .env = {"NCCL_IB_HCA=mlx5_0"}, ONE_DEVICE};
	cleanup_bench bench = {0};

	(void)state;
	set_up(&bench, &setup);
	make_plan(&bench);
	assert_has(bench.warnings.item[0].message, "NCCL_IB_HCA=mlx5_0");
	assert_has(bench.warnings.item[0].message, "=mlx5_6");
	assert_string_equal(plan_nccl_lines(&bench.arena, &bench.plan), "");
}

/* ---- what NCCL can read ---- */

static void many_devices(struct bench *bench, size_t n, size_t ports, const char *prefix)
{
	static const struct setup setup = {ASKED};

	set_up(bench, &setup);
	bench->devices.item = arena_alloc(&bench->arena, n * sizeof(struct device));
	for (size_t i = 0; i < n; i++) {
		struct device_setup from = {
			.ibdev = arena_printf(&bench->arena, "%s%02zu", prefix, i),
			.netdev = arena_printf(&bench->arena, "net%zu", i)};

		for (size_t p = 0; p < ports; p++)
			from.port[p].state = p < 2 ? "ACTIVE" : "DOWN";
		add_device(bench, &from);
	}
}

static size_t count_items(const char *value)
{
	size_t n = 1;

	for (; *value; value++)
		n += *value == ',';
	return n;
}

static const struct many_case {
	const char *name;
	size_t n;
	size_t ports; /* two are active; of a third the link is down */
	size_t items;
	bool warns;
} many_cases[] = {
	{"many: 32 devices are named", 32, 1, 32, false},
	{"many: of 33 devices NCCL reads 32, with a warning", 33, 1, 32, true},
	{"many: of 1024 devices too", 1024, 1, 32, true},
	{"many: 16 devices of two usable ports are 32 items", 16, 3, 32, false},
	{"many: 17 devices of two usable ports are 34 items", 17, 3, 32, true},
};

static void nccl_reads_32_items(void **state)
{
	const struct many_case *row = *state;
	cleanup_bench bench = {0};
	const char *codes;

	many_devices(&bench, row->n, row->ports, "mlx5_");
	make_plan(&bench);
	codes = unit_codes(&bench.arena, &bench.warnings);
	assert_int_equal(bench.plan.n_settings, 1);
	assert_int_equal(count_items(bench.plan.settings[0].value), row->items);
	assert_has(bench.plan.settings[0].value, row->ports == 1 ? "=mlx5_00," : "=mlx5_00:1,");
	assert_int_equal(strstr(codes, "too_many_hcas") != NULL, row->warns);
}

/* Half a list would silently select other devices. */
static void a_list_that_nccl_cannot_read_is_not_set(void **state)
{
	static const char *const prefix =
		"a_name_of_sixty_bytes_0123456789_0123456789_0123456789_012";
	cleanup_bench bench = {0};

	(void)state;
	many_devices(&bench, 20, 1, prefix);
	make_plan(&bench);
	assert_int_equal(bench.plan.n_settings, 0);
	assert_string_equal(unit_codes(&bench.arena, &bench.warnings), "value_too_long");
	assert_true(bench.plan.sets_memlock);
}

/* ---- mounts ---- */

static const struct mount_case {
	const char *name;
	const char *mounts[ITEMS_MAX];
	bool covered;
} mount_cases[] = {
	{"mount: none", {NULL}, false},
	{"mount: others", {"/proc", "/dev/shm", "/etc/hosts"}, false},
	{"mount: on the file", {"/etc/nccl.conf"}, true},
	{"mount: on /etc", {"/etc"}, true},
	{"mount: behind others", {"/proc", "/etc/hosts", "/etc/nccl.conf"}, true},
	{"mount: a slash behind", {"/etc/nccl.conf/"}, true},
	{"mount: slashes between", {"//etc///nccl.conf"}, true},
	{"mount: dots between", {"/./etc/././nccl.conf/."}, true},
	{"mount: without the first slash", {"etc/nccl.conf"}, true},
	{"mount: below the file", {"/etc/nccl.conf/x"}, false},
	{"mount: far below the file", {"/etc/nccl.conf/x/y/z/nccl.conf"}, false},
	{"mount: below the file, twice the path", {"/etc/nccl.conf/etc/nccl.conf"}, false},
	{"mount: a longer name", {"/etc/nccl.confx"}, false},
	{"mount: a shorter name", {"/etc/nccl.con"}, false},
	{"mount: a longer directory", {"/etcetera"}, false},
	{"mount: a shorter directory", {"/et"}, false},
	{"mount: the name elsewhere", {"/opt/etc/nccl.conf"}, false},
	{"mount: the name at the root", {"/nccl.conf"}, false},
	{"mount: the root", {"/"}, false},
	{"mount: nothing", {""}, false},
	{"mount: a dot", {"."}, false},
};

static void mounts_over_the_file_are_seen(void **state)
{
	const struct mount_case *row = *state;
	cleanup_bench bench = {0};
	struct setup setup = {ASKED, ONE_DEVICE};
	char *exact[ITEMS_MAX] = {NULL};

	memcpy(setup.mounts, row->mounts, sizeof(setup.mounts));
	for (size_t i = 0; i < ITEMS_MAX && row->mounts[i]; i++)
		setup.mounts[i] = exact[i] = unit_exact(row->mounts[i], strlen(row->mounts[i]) + 1);
	set_up(&bench, &setup);
	make_plan(&bench);
	for (size_t i = 0; i < ITEMS_MAX; i++)
		free(exact[i]);
	assert_int_equal(bench.plan.nccl_conf_mounted, row->covered);
	assert_string_equal(unit_codes(&bench.arena, &bench.warnings),
			    row->covered ? "nccl_conf_mounted" : "");
	/* The variables stay in the plan: another way in can give them. */
	assert_int_equal(bench.plan.n_settings, 1);
}

static void a_mount_does_not_matter_without_values(void **state)
{
	static const struct setup setup = {ASKED, .no_nccl = true, .mounts = {"/etc/nccl.conf"},
					   ONE_DEVICE};
	cleanup_bench bench = {0};

	(void)state;
	set_up(&bench, &setup);
	make_plan(&bench);
	assert_string_equal(unit_codes(&bench.arena, &bench.warnings), "");
}

/* ---- twice is once ---- */

static void apply_to_spec(struct bench *bench)
{
	const struct plan *plan = &bench->plan;
	struct spec *spec = &bench->spec;
	const char **env =
		arena_alloc(&bench->arena, (spec->n_env + plan->n_settings + 1) * sizeof(*env));

	memcpy(env, spec->env, spec->n_env * sizeof(*env));
	spec->env = env;
	for (size_t i = 0; i < plan->n_settings; i++) {
		if (plan->settings[i].state == SETTING_NEW)
			env[spec->n_env++] =
				arena_printf(&bench->arena, "%s=%s", plan->settings[i].name,
					     plan->settings[i].value);
	}
	if (plan->adds_rlimit) {
		spec->has_memlock = true;
		spec->memlock_soft = spec->memlock_hard = plan->memlock;
	}
	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++)
		spec->capabilities[set] |= plan->capabilities;
}

static const struct twice_case {
	const char *name;
	struct setup setup;
} twice_cases[] = {
	{"twice: a grant", {ASKED, TWO}},
	{"twice: all that a config can set",
	 {ASKED, .memlock = 64 * MI, .capabilities = IPC_LOCK | RESOURCE, .ifname = "rdma",
	  .gid = GID_INDEX_NUMBER, .gid_number = 3, .gdr_level = "SYS", .extra = {{"A", "1", 1}},
	  .sets = {CHOWN, 0, IPC_LOCK, 0, 0}, .has_memlock = true, .soft = 1, .hard = 2, TWO}},
	{"twice: beside what the environment keeps",
	 {ASKED, .gdr_level = "SYS", .env = {"NCCL_IB_HCA=mlx5_0"}, ONE_DEVICE}},
	{"twice: tcp", {TCP_SETUP}},
	{"twice: denied", {ASKED, .require_memory_limit = true, ONE_DEVICE}},
};

static void a_second_plan_adds_nothing(void **state)
{
	const struct twice_case *row = *state;
	cleanup_bench bench = {0};
	enum decision decision;

	set_up(&bench, &row->setup);
	make_plan(&bench);
	decision = bench.plan.decision;
	apply_to_spec(&bench);
	make_plan(&bench);
	assert_int_equal(bench.plan.decision, decision);
	assert_false(bench.plan.adds_rlimit);
	assert_true(bench.plan.capabilities == 0);
	for (size_t i = 0; i < bench.plan.n_settings; i++)
		assert_int_not_equal(bench.plan.settings[i].state, SETTING_NEW);
}

/* ---- facts stay as they are ---- */

static void a_plan_changes_no_fact(void **state)
{
	static const struct setup setup = {ASKED, .ifname = "rdma", .gid = GID_INDEX_LEGACY,
					   .env = {"A=1"}, TWO};
	cleanup_bench bench = {0};
	struct spec spec;
	struct config config;
	struct request request;
	struct device device[2];

	(void)state;
	set_up(&bench, &setup);
	spec = bench.spec;
	config = bench.config;
	request = bench.request;
	memcpy(device, bench.devices.item, sizeof(device));
	make_plan(&bench);
	assert_memory_equal(&spec, &bench.spec, sizeof(spec));
	assert_memory_equal(&config, &bench.config, sizeof(config));
	assert_memory_equal(&request, &bench.request, sizeof(request));
	assert_memory_equal(device, bench.devices.item, sizeof(device));
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE(&suite, decision_is_made, decision_cases);
	unit_add(&suite, "decision: the names of the schema",
		 decisions_have_the_names_of_the_schema, NULL);
	UNIT_TABLE(&suite, memlock_is_planned, memlock_cases);
	UNIT_TABLE(&suite, capabilities_are_planned, capability_cases);
	UNIT_TABLE(&suite, settings_are_planned, setting_cases);
	unit_add(&suite, "env: the warning says what we would have said",
		 the_warning_says_what_we_would_have_said, NULL);
	UNIT_TABLE(&suite, nccl_reads_32_items, many_cases);
	unit_add(&suite, "many: a list that NCCL cannot read whole is not set",
		 a_list_that_nccl_cannot_read_is_not_set, NULL);
	UNIT_TABLE(&suite, mounts_over_the_file_are_seen, mount_cases);
	unit_add(&suite, "mount: does not matter without values",
		 a_mount_does_not_matter_without_values, NULL);
	UNIT_TABLE(&suite, a_second_plan_adds_nothing, twice_cases);
	unit_add(&suite, "facts: a plan changes none of them", a_plan_changes_no_fact, NULL);
	return unit_run(&suite, "plan");
}
