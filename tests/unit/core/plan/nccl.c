/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's variables, within NCCL's limits */
#include "suite.h"

#define UP LIST("ACTIVE")
#define DOWN LIST("DOWN")
#define GID(index) LIST(LIST("ACTIVE", "Ethernet", index))
#define IB LIST(LIST("ACTIVE", "InfiniBand"))
#define HCA_TWO "NCCL_IB_HCA==mlx5_6,mlx5_10 new;"
#define HCA_ONE "NCCL_IB_HCA==mlx5_6 new;"
#define TCP_OFF "NCCL_IB_DISABLE=1 new;NCCL_IBEXT_DISABLE=1 new;"

static const struct setting_case {
	const char *name;
	struct setup setup;
	const char *settings;
	const char *warnings;
} setting_cases[] = {
	{"nccl: the devices in their order, with '=' in front", SETUP(ASKED, TWO), HCA_TWO, ""},
	{"nccl: one device", SETUP(ASKED, ONE_DEVICE), HCA_ONE, ""},
	{"nccl: hca false", SETUP(ASKED, .no_hca = true, TWO), "", ""},
	{"nccl: the annotation says no", SETUP(ASKED, .no_nccl = true, .gdr_level = "SYS", TWO), "",
	 ""},
	{"nccl: the annotation says no to TCP's too", SETUP(TCP_SETUP, .no_nccl = true), "", ""},

	{"ports: one, active", SETUP(ASKED, .devices = {{"mlx5_6", NULL, {UP}}}), HCA_ONE, ""},
	{"ports: one, down: named all the same",
	 SETUP(ASKED, .devices = {{"mlx5_6", NULL, {DOWN}}}), HCA_ONE, ""},
	{"ports: one, its state not known", SETUP(ASKED, .devices = {{"mlx5_6", NULL, {{""}}}}),
	 HCA_ONE, ""},
	{"ports: two, both active", SETUP(ASKED, .devices = {{"mlx5_6", NULL, {UP, UP}}}), HCA_ONE,
	 ""},
	{"ports: two, both down", SETUP(ASKED, .devices = {{"mlx5_6", NULL, {DOWN, DOWN}}}),
	 HCA_ONE, ""},
	{"ports: two, the first active", SETUP(ASKED, .devices = {{"mlx5_6", NULL, {UP, DOWN}}}),
	 "NCCL_IB_HCA==mlx5_6:1 new;", ""},
	{"ports: two, the second active", SETUP(ASKED, .devices = {{"mlx5_6", NULL, {DOWN, UP}}}),
	 "NCCL_IB_HCA==mlx5_6:2 new;", ""},
	{"ports: two, one not known", SETUP(ASKED, .devices = {{"mlx5_6", NULL, {UP, {""}}}}),
	 "NCCL_IB_HCA==mlx5_6:1 new;", ""},
	{"ports: three, two active", SETUP(ASKED, .devices = {{"mlx5_6", NULL, {UP, DOWN, UP}}}),
	 "NCCL_IB_HCA==mlx5_6:1,mlx5_6:3 new;", ""},
	{"ports: bare names beside name:port",
	 SETUP(ASKED,
	       .devices = {{"a", NULL, {UP}}, {"b", NULL, {DOWN, UP}}, {"c", NULL, {UP, UP}}}),
	 "NCCL_IB_HCA==a,b:2,c new;", ""},
	{"ports: ARMED is not active", SETUP(ASKED, .devices = {{"mlx5_6", NULL, {{"ARMED"}, UP}}}),
	 "NCCL_IB_HCA==mlx5_6:2 new;", ""},

	{"ports: of a link layer that NCCL's verbs do not take (EFA): not named",
	 SETUP(ASKED, .devices = {{"rdmap16s27", NULL, {{"ACTIVE", "Unknown"}}}}), "", ""},
	{"ports: a device that NCCL takes beside one that it does not",
	 SETUP(ASKED, .devices = {{"rdmap16s27", NULL, {{"ACTIVE", "Unknown"}}}, {"mlx5_6"}}),
	 HCA_ONE, ""},
	{"ports: one of two of another link layer",
	 SETUP(ASKED, .devices = {{"mlx5_6", NULL, {UP, {"ACTIVE", "Unknown"}}}}), HCA_ONE, ""},

	{"GID: auto sets nothing", SETUP(ASKED, .devices = {{"mlx5_6", NULL, GID(3)}}), HCA_ONE,
	 ""},
	{"GID: legacy, one device",
	 SETUP(ASKED, .gid = "legacy", .devices = {{"mlx5_6", NULL, GID(3)}}),
	 HCA_ONE "NCCL_IB_GID_INDEX=3 new;", ""},
	{"GID: legacy, all agree",
	 SETUP(ASKED, .gid = "legacy",
	       .devices = {{"mlx5_6", NULL, GID(5)}, {"mlx5_10", NULL, GID(5)}}),
	 HCA_TWO "NCCL_IB_GID_INDEX=5 new;", ""},
	{"GID: legacy, they differ",
	 SETUP(ASKED, .gid = "legacy",
	       .devices = {{"mlx5_6", NULL, GID(3)}, {"mlx5_10", NULL, GID(5)}}),
	 HCA_TWO, "gid_index_differs"},
	{"GID: legacy, one has none",
	 SETUP(ASKED, .gid = "legacy",
	       .devices = {{"mlx5_6", NULL, GID(3)}, {"mlx5_10", NULL, GID(0)}}),
	 HCA_TWO, "no_gid"},
	{"GID: legacy, the first has none",
	 SETUP(ASKED, .gid = "legacy",
	       .devices = {{"mlx5_6", NULL, GID(0)}, {"mlx5_10", NULL, GID(3)}}),
	 HCA_TWO, "no_gid"},
	{"GID: legacy, ports of one device differ",
	 SETUP(ASKED, .gid = "legacy",
	       .devices = {{"mlx5_6", NULL, {{"ACTIVE", NULL, 3}, {"ACTIVE", NULL, 4}}}}),
	 HCA_ONE, "gid_index_differs"},
	{"GID: legacy, an InfiniBand link needs none",
	 SETUP(ASKED, .gid = "legacy",
	       .devices = {{"mlx5_6", NULL, GID(3)}, {"mlx5_10", NULL, IB}}),
	 HCA_TWO "NCCL_IB_GID_INDEX=3 new;", ""},
	{"GID: legacy, InfiniBand alone sets nothing, and lacks nothing",
	 SETUP(ASKED, .gid = "legacy", .devices = {{"mlx5_6", NULL, IB}}), HCA_ONE, ""},
	{"GID: legacy, InfiniBand beside ports that are not known",
	 SETUP(ASKED, .gid = "legacy", .devices = {{"mlx5_6", NULL, IB}, {"mlx5_10"}}), HCA_TWO,
	 "gids_unknown"},
	{"GID: legacy, one that is not known may differ from the others",
	 SETUP(ASKED, .gid = "legacy", .devices = {{"mlx5_6", NULL, GID(3)}, {"mlx5_10"}}), HCA_TWO,
	 "gids_unknown"},
	{"GID: a number", SETUP(ASKED, .gid = "3", ONE_DEVICE), HCA_ONE "NCCL_IB_GID_INDEX=3 new;",
	 ""},
	{"GID: the number 0", SETUP(ASKED, .gid = "0", ONE_DEVICE),
	 HCA_ONE "NCCL_IB_GID_INDEX=0 new;", ""},
	{"GID: a number holds whatever the devices have",
	 SETUP(ASKED, .gid = "1", .devices = {{"mlx5_6", NULL, GID(3)}}),
	 HCA_ONE "NCCL_IB_GID_INDEX=1 new;", ""},

	{"interfaces: a literal value", SETUP(ASKED, .ifname = "=eth0", TWO),
	 HCA_TWO "NCCL_SOCKET_IFNAME==eth0 new;", ""},
	{"interfaces: rdma, in the order of the devices", SETUP(ASKED, .ifname = "rdma", TWO),
	 HCA_TWO "NCCL_SOCKET_IFNAME==net1,net2 new;", ""},
	{"interfaces: rdma, names of one letter",
	 SETUP(ASKED, .ifname = "rdma", .devices = {{"mlx5_6", "a"}, {"mlx5_10", "b"}}),
	 HCA_TWO "NCCL_SOCKET_IFNAME==a,b new;", ""},
	{"interfaces: rdma, one is not known",
	 SETUP(ASKED, .ifname = "rdma", .devices = {{"mlx5_6", "net1"}, {"mlx5_10", NULL}}),
	 HCA_TWO, "no_netdev_name"},

	{"config: gdr_level", SETUP(ASKED, .gdr_level = "SYS", ONE_DEVICE),
	 HCA_ONE "NCCL_NET_GDR_LEVEL=SYS new;", ""},
	{"config: extra, in its order",
	 SETUP(ASKED, .extra = {{"NCCL_IB_TC", "106"}, {"A", "x=y"}}, ONE_DEVICE),
	 HCA_ONE "NCCL_IB_TC=106 new;A=x=y new;", ""},
	{"config: extra alone", SETUP(ASKED, .no_hca = true, .extra = {{"A", "1"}}, ONE_DEVICE),
	 "A=1 new;", ""},
	{"config: all together",
	 SETUP(ASKED, .ifname = "rdma", .gid = "3", .gdr_level = "LOC", .extra = {{"A", "1"}}, TWO),
	 HCA_TWO "NCCL_SOCKET_IFNAME==net1,net2 new;NCCL_IB_GID_INDEX=3 new;"
		 "NCCL_NET_GDR_LEVEL=LOC new;A=1 new;",
	 ""},

	{"env: already says it", SETUP(ASKED, .env = {"NCCL_IB_HCA==mlx5_6"}, ONE_DEVICE),
	 "NCCL_IB_HCA==mlx5_6 present;", ""},
	{"env: says something else, which stays",
	 SETUP(ASKED, .env = {"NCCL_IB_HCA=mlx5_0"}, ONE_DEVICE), "NCCL_IB_HCA==mlx5_6 kept;",
	 "env_already_set"},
	{"env: says it without '=', which is something else",
	 SETUP(ASKED, .env = {"NCCL_IB_HCA=mlx5_6"}, ONE_DEVICE), "NCCL_IB_HCA==mlx5_6 kept;",
	 "env_already_set"},
	{"env: an empty value is something else", SETUP(ASKED, .env = {"NCCL_IB_HCA="}, ONE_DEVICE),
	 "NCCL_IB_HCA==mlx5_6 kept;", "env_already_set"},
	{"env: without '=' it is not set", SETUP(ASKED, .env = {"NCCL_IB_HCA"}, ONE_DEVICE),
	 HCA_ONE, ""},
	{"env: a longer name is another",
	 SETUP(ASKED, .env = {"NCCL_IB_HCA2=x", "XNCCL_IB_HCA=y"}, ONE_DEVICE), HCA_ONE, ""},
	{"env: of two the first holds",
	 SETUP(ASKED, .env = {"NCCL_IB_HCA==mlx5_6", "NCCL_IB_HCA=x"}, ONE_DEVICE),
	 "NCCL_IB_HCA==mlx5_6 present;", ""},
	{"env: each variable by itself",
	 SETUP(ASKED, .gdr_level = "SYS", .extra = {{"A", "1"}, {"B", "2"}}, .env = {"A=1", "B=3"},
	       ONE_DEVICE),
	 HCA_ONE "NCCL_NET_GDR_LEVEL=SYS new;A=1 present;B=2 kept;", "env_already_set"},

	{"tcp: both switches and eth0", SETUP(TCP_SETUP), TCP_OFF "NCCL_SOCKET_IFNAME==eth0 new;",
	 ""},
	{"tcp: the literal interface", SETUP(TCP_SETUP, .ifname = "=ens1"),
	 TCP_OFF "NCCL_SOCKET_IFNAME==ens1 new;", ""},
	{"tcp: not the rdma interfaces, which it does not have", SETUP(TCP_SETUP, .ifname = "rdma"),
	 TCP_OFF "NCCL_SOCKET_IFNAME==eth0 new;", ""},
	{"tcp: nothing that is for RDMA", SETUP(TCP_SETUP, .gdr_level = "SYS", .gid = "3"),
	 TCP_OFF "NCCL_SOCKET_IFNAME==eth0 new;", ""},
	{"tcp: the environment's stays",
	 SETUP(TCP_SETUP, .env = {"NCCL_SOCKET_IFNAME=eth1", "NCCL_IB_DISABLE=1"}),
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

/* nccl.conf's lines: ours, unless the environment has another value */
static void check_lines(struct bench *bench)
{
	const struct plan *plan = &bench->plan;
	const char *lines = plan_nccl_lines(&bench->arena, plan);
	size_t n = 0;

	for (size_t i = 0; i < plan->n_settings; i++) {
		const struct setting *s = &plan->settings[i];
		char *line = arena_printf(&bench->arena, "%s=%s\n", s->name, s->value);

		if (s->state != SETTING_KEPT)
			assert_has(lines, line);
		else
			assert_null(strstr(lines, line));
	}
	for (const char *c = lines; *c; c++)
		n += *c == '\n';
	assert_true(n <= plan->n_settings);
	assert_true(!lines[0] || lines[strlen(lines) - 1] == '\n');
}

UNIT_ROWS(setting_cases)
{
	cleanup_bench bench = plan_of(&row->setup);

	assert_string_equal(render(&bench.arena, &bench.plan), row->settings);
	assert_string_equal(unit_codes(&bench.arena, &bench.warnings), row->warnings);
	check_lines(&bench);
}

UNIT_TEST("env: the warning says what we would have said")
{
	static const struct setup setup = {ASKED, .env = {"NCCL_IB_HCA=mlx5_0"}, ONE_DEVICE};
	cleanup_bench bench = plan_of(&setup);

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
	size_t ports; /* two active, a third down */
	size_t items;
	bool warns;
} many_cases[] = {
	{"many: 32 devices are named", 32, 1, 32, false},
	{"many: of 33 devices NCCL reads 32, with a warning", 33, 1, 32, true},
	{"many: of 1024 devices too", 1024, 1, 32, true},
	{"many: 16 devices of two usable ports are 32 items", 16, 3, 32, false},
	{"many: 17 devices of two usable ports are 34 items", 17, 3, 32, true},
};

UNIT_ROWS(many_cases)
{
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

UNIT_TEST("many: all of 33 interfaces are named, of which NCCL reads 32")
{
	cleanup_bench bench = {0};

	many_devices(&bench, 33, 1, "mlx5_");
	bench.config.nccl.socket_ifname = "rdma";
	make_plan(&bench);
	assert_int_equal(bench.plan.n_settings, 2);
	assert_int_equal(count_items(bench.plan.settings[1].value), 33);
	assert_has(bench.plan.settings[1].value, "=net0,net1,");
}

/* Index 0 is not special. */
UNIT_TEST("GID: legacy, the index 0 differs from others")
{
	static const struct setup setup = {
		ASKED, .gid = "legacy",
		.devices = {{"mlx5_6", NULL, GID(3)}, {"mlx5_10", NULL, GID(3)}}};
	cleanup_bench bench = {0};

	set_up(&bench, &setup);
	bench.devices.item[0].port[0].gid_index = 0;
	make_plan(&bench);
	assert_string_equal(unit_codes(&bench.arena, &bench.warnings), "gid_index_differs");
}

/* NCCL's buffers hold this much. */
UNIT_TEST("many: a value may be 1023 bytes long")
{
	for (size_t len = 1023; len <= 1024; len++) {
		cleanup_bench bench = {0};
		struct setup setup = {ASKED, .no_hca = true, ONE_DEVICE};
		char value[1025] = "";

		memset(value, 'x', len);
		setup.extra[0] = (struct config_variable){"A", value};
		set_up(&bench, &setup);
		make_plan(&bench);
		assert_int_equal(bench.plan.n_settings, len == 1023);
		assert_string_equal(unit_codes(&bench.arena, &bench.warnings),
				    len == 1023 ? "" : "value_too_long");
	}
}

/* A cut list would silently select other devices. */
UNIT_TEST("many: a list that NCCL cannot read whole is not set")
{
	static const char *const prefix =
		"a_name_of_sixty_bytes_0123456789_0123456789_0123456789_012";
	cleanup_bench bench = {0};

	many_devices(&bench, 20, 1, prefix);
	make_plan(&bench);
	assert_int_equal(bench.plan.n_settings, 0);
	assert_string_equal(unit_codes(&bench.arena, &bench.warnings), "value_too_long");
	assert_true(bench.plan.memlock != 0);
}
