/* SPDX-License-Identifier: Apache-2.0 */
/* What libraries beside NCCL are told */
#include "suite.h"

static const struct gloo_case {
	const char *name;
	struct setup setup;
	const char *list; /* NULL: not set */
	const char *warnings;
} gloo_cases[] = {
	{"gloo: every interface, in the devices' order",
	 SETUP(ASKED, .gloo = true, .devices = {{"mlx5_6", "net2"}, {"mlx5_7", "net1"}}),
	 "net2,net1", ""},
	{"gloo: one is not known: none, since it opens all of its list",
	 SETUP(ASKED, .gloo = true,
	       .devices = {{"mlx5_6", "net1"}, {"mlx5_7", NULL}, {"a", "net3"}}),
	 NULL, "no_netdev_name"},
	{"gloo: an interface of two devices once",
	 SETUP(ASKED, .gloo = true, .devices = {{"a", "bond0"}, {"b", "net1"}, {"c", "bond0"}}),
	 "bond0,net1", ""},
	{"gloo: an interface whose name another begins with",
	 SETUP(ASKED, .gloo = true, .devices = {{"a", "net1"}, {"b", "net10"}}), "net1,net10", ""},
	{"gloo: names of one letter",
	 SETUP(ASKED, .gloo = true, .devices = {{"a", "x"}, {"b", "y"}}), "x,y", ""},
	{"gloo: not asked for", SETUP(ASKED, TWO), NULL, ""},
	{"gloo: the annotation says no", SETUP(ASKED, .gloo = true, .no_nccl = true, TWO), NULL,
	 ""},
	{"gloo: tcp", SETUP(TCP_SETUP, .gloo = true), NULL, ""},
};

UNIT_ROWS(gloo_cases)
{
	cleanup_bench bench = plan_of(&row->setup);
	const char *list = NULL;

	for (size_t i = 0; i < bench.plan.n_settings; i++) {
		if (strcmp(bench.plan.settings[i].name, "GLOO_SOCKET_IFNAME") == 0)
			list = bench.plan.settings[i].value;
	}
	if (row->list)
		assert_string_equal(list, row->list);
	else
		assert_null(list);
	assert_string_equal(unit_codes(&bench.arena, &bench.warnings), row->warnings);
}

static const struct port_list_case {
	const char *name;
	struct setup setup;
	const char *settings;
} port_list_cases[] = {
	{"UCX: each port", SETUP(ASKED, .ucx = true, TWO), "UCX_NET_DEVICES=mlx5_6:1,mlx5_10:1;"},
	{"UCX: two ports of one device, none of another that is known",
	 SETUP(ASKED, .ucx = true,
	       .devices = {{"a", NULL, {{"ACTIVE"}, {"DOWN"}}}, {"b"}, {"c", NULL, {{"ACTIVE"}}}}),
	 "UCX_NET_DEVICES=a:1,a:2,b:1,c:1;"},
	{"NVSHMEM: the list, and what makes it count", SETUP(ASKED, .nvshmem = true, ONE_DEVICE),
	 "NVSHMEM_HCA_LIST=mlx5_6:1;NVSHMEM_ENABLE_NIC_PE_MAPPING=1;"},
	{"frameworks: none is asked for", SETUP(ASKED, TWO), ""},
	{"frameworks: all",
	 SETUP(ASKED, .ucx = true, .nvshmem = true, .gloo = true, .devices = {{"a", "net1"}}),
	 "UCX_NET_DEVICES=a:1;NVSHMEM_HCA_LIST=a:1;NVSHMEM_ENABLE_NIC_PE_MAPPING=1;"
	 "GLOO_SOCKET_IFNAME=net1;"},
};

/* They read no nccl.conf: a line there would say what nobody reads. */
UNIT_ROWS(port_list_cases)
{
	cleanup_bench bench = {0};
	const char *text = "";

	set_up(&bench, &row->setup);
	bench.config.nccl.hca = false;
	make_plan(&bench);
	for (size_t i = 0; i < bench.plan.n_settings; i++)
		text = arena_printf(&bench.arena, "%s%s=%s;", text, bench.plan.settings[i].name,
				    bench.plan.settings[i].value);
	assert_string_equal(text, row->settings);
	assert_int_equal(plan_has_new_settings(&bench.plan), row->settings[0] != '\0');
	assert_string_equal(plan_nccl_lines(&bench.arena, &bench.plan), "");
}

UNIT_TEST("frameworks: what the environment has is not new")
{
	static const struct setup setup = {ASKED, ONE_DEVICE, .env = {"NCCL_IB_HCA==mlx5_6"}};
	cleanup_bench bench = plan_of(&setup);

	assert_int_equal(bench.plan.n_settings, 1);
	assert_false(plan_has_new_settings(&bench.plan));
}
