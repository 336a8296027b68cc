/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of libraries other than NCCL */
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

#define BRIDGE(bus) "sys/devices/pci0000:" bus
#define H100 "0x2330"

static const struct deepep_case {
	const char *name;
	struct setup setup;
	const char *map; /* NULL: not set */
	const char *warnings;
} deepep_cases[] = {
	{"DeepEP: each GPU's nearest, in the GPUs' order",
	 SETUP(ASKED, .deepep = true,
	       .devices = {{"a", .path = BRIDGE("3a") "/1/a"}, {"b", .path = BRIDGE("5c") "/1/b"}},
	       .gpus = {{BRIDGE("5c") "/1/x", H100}, {BRIDGE("3a") "/1/y", H100}}),
	 "0:b:1,1:a:1", ""},
	{"DeepEP: two GPUs and two HCAs of one switch are two pairs",
	 SETUP(ASKED, .deepep = true,
	       .devices = {{"a", .path = BRIDGE("3a") "/1/a"}, {"b", .path = BRIDGE("3a") "/1/b"}},
	       .gpus = {{BRIDGE("3a") "/1/x", H100}, {BRIDGE("3a") "/1/y", H100}}),
	 "0:a:1,1:b:1", ""},
	{"DeepEP: nearer counts, however many have taken it",
	 SETUP(ASKED, .deepep = true,
	       .devices = {{"a", .path = BRIDGE("3a") "/2/a"}, {"b", .path = BRIDGE("3a") "/1/b"}},
	       .gpus = {{BRIDGE("3a") "/1/x", H100}, {BRIDGE("3a") "/1/y", H100}}),
	 "0:b:1,1:b:1", ""},
	{"DeepEP: more GPUs than HCAs",
	 SETUP(ASKED, .deepep = true,
	       .devices = {{"a", .path = BRIDGE("3a") "/1/a"}, {"b", .path = BRIDGE("3a") "/1/b"}},
	       .gpus = {{BRIDGE("3a") "/1/x", H100},
			{BRIDGE("3a") "/1/y", H100},
			{BRIDGE("3a") "/1/z", H100}}),
	 "0:a:1,1:b:1,2:a:1", ""},
	{"DeepEP: one HCA, wherever it is",
	 SETUP(ASKED, .deepep = true, .devices = {{"a", .path = BRIDGE("3a") "/a"}},
	       .gpus = {{BRIDGE("5c") "/x", H100}}),
	 "0:a:1", ""},
	{"DeepEP: one HCA that is no PCI function",
	 SETUP(ASKED, .deepep = true, .devices = {{"a"}}, .gpus = {{BRIDGE("5c") "/x", H100}}),
	 "0:a:1", ""},
	{"DeepEP: several HCAs, none on the GPU's NUMA node: nothing",
	 SETUP(ASKED, .deepep = true,
	       .devices = {{"a", .path = BRIDGE("3a") "/a"}, {"b", .path = BRIDGE("3b") "/b"}},
	       .gpus = {{BRIDGE("5c") "/x", H100}}),
	 NULL, "no_gpu_map"},
	{"DeepEP: several that are no PCI functions: nothing",
	 SETUP(ASKED, .deepep = true, TWO, .gpus = {{BRIDGE("5c") "/x", H100}}), NULL,
	 "no_gpu_map"},
	{"DeepEP: GPUs of two models: nothing",
	 SETUP(ASKED, .deepep = true, .devices = {{"a", .path = BRIDGE("3a") "/1/a"}},
	       .gpus = {{BRIDGE("3a") "/1/x", H100}, {BRIDGE("3a") "/1/y", "0x20b0"}}),
	 NULL, "no_gpu_map"},
	{"DeepEP: a GPU of a model that is not known: nothing",
	 SETUP(ASKED, .deepep = true, ONE_DEVICE, .gpus = {{BRIDGE("3a") "/1/x"}}), NULL,
	 "no_gpu_map"},
	{"DeepEP: no GPU that is known: nothing", SETUP(ASKED, .deepep = true, TWO), NULL,
	 "no_gpu_map"},
	{"DeepEP: the first port that is active",
	 SETUP(ASKED, .deepep = true,
	       .devices = {{"a", NULL, {{"DOWN"}, {"ACTIVE"}}, BRIDGE("3a") "/1/a"}},
	       .gpus = {{BRIDGE("3a") "/1/x", H100}}),
	 "0:a:2", ""},
	{"DeepEP: no port is active",
	 SETUP(ASKED, .deepep = true,
	       .devices = {{"a", NULL, {{"DOWN"}, {"DOWN"}}, BRIDGE("3a") "/1/a"}},
	       .gpus = {{BRIDGE("3a") "/1/x", H100}}),
	 "0:a:1", ""},
	{"DeepEP: not asked for",
	 SETUP(ASKED, .devices = {{"a", .path = BRIDGE("3a") "/1/a"}},
	       .gpus = {{BRIDGE("3a") "/1/x", H100}}),
	 NULL, ""},
};

UNIT_ROWS(deepep_cases)
{
	cleanup_bench bench = plan_of(&row->setup);
	const char *map = NULL;

	for (size_t i = 0; i < bench.plan.n_settings; i++) {
		if (strcmp(bench.plan.settings[i].name, "DEEP_EP_DEVICE_TO_HCA_MAPPING") == 0)
			map = bench.plan.settings[i].value;
	}
	if (row->map)
		assert_string_equal(map, row->map);
	else
		assert_null(map);
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
	{"NVSHMEM: nothing, since it takes the nearest of those that it can open",
	 SETUP(ASKED, .nvshmem = true, TWO), ""},
	{"NVSHMEM: privileged: its own of all that it can open",
	 SETUP(ASKED, .nvshmem = true, .every_device = true, TWO),
	 "NVSHMEM_HCA_PE_MAPPING=mlx5_6:1:1,mlx5_10:1:1;"},
	{"NVSHMEM: privileged, with a list, beside which ours would be ignored",
	 SETUP(ASKED, .nvshmem = true, .every_device = true, .env = {"NVSHMEM_HCA_LIST=x"}, TWO),
	 ""},
	{"frameworks: none is asked for", SETUP(ASKED, TWO), ""},
	{"frameworks: all",
	 SETUP(ASKED, .ucx = true, .nvshmem = true, .deepep = true, .gloo = true,
	       .every_device = true, .devices = {{"a", "net1", .path = BRIDGE("3a") "/a"}},
	       .gpus = {{BRIDGE("3a") "/x", H100}}),
	 "UCX_NET_DEVICES=a:1;NVSHMEM_HCA_PE_MAPPING=a:1:1;DEEP_EP_DEVICE_TO_HCA_MAPPING=0:a:1;"
	 "GLOO_SOCKET_IFNAME=net1;"},
};

/* These libraries do not read nccl.conf. */
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
	assert_int_equal(bench.plan.new_settings, row->settings[0] != '\0');
	assert_string_equal(plan_nccl_lines(&bench.arena, &bench.plan), "");
}

UNIT_TEST("frameworks: what the environment has is not new")
{
	static const struct setup setup = {ASKED, ONE_DEVICE, .env = {"NCCL_IB_HCA==mlx5_6"}};
	cleanup_bench bench = plan_of(&setup);

	assert_int_equal(bench.plan.n_settings, 1);
	assert_false(bench.plan.new_settings);
}
