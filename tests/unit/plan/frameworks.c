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
	 {ASKED, .gloo = true, .devices = {{"mlx5_6", "net2"}, {"mlx5_7", "net1"}}},
	 "net2,net1",
	 ""},
	{"gloo: one is not known: none, since it opens all of its list",
	 {ASKED, .gloo = true, .devices = {{"mlx5_6", "net1"}, {"mlx5_7", NULL}, {"a", "net3"}}},
	 NULL,
	 "no_netdev_name"},
	{"gloo: an interface of two devices once",
	 {ASKED, .gloo = true, .devices = {{"a", "bond0"}, {"b", "net1"}, {"c", "bond0"}}},
	 "bond0,net1",
	 ""},
	{"gloo: an interface whose name another begins with",
	 {ASKED, .gloo = true, .devices = {{"a", "net1"}, {"b", "net10"}}},
	 "net1,net10",
	 ""},
	{"gloo: not asked for", {ASKED, TWO}, NULL, ""},
};

static void gloo_is_told_all_or_nothing(void **state)
{
	const struct gloo_case *row = *state;
	cleanup_bench bench = {0};
	const char *list = NULL;

	set_up(&bench, &row->setup);
	make_plan(&bench);
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

void add_framework_tests(struct unit_suite *suite)
{
	UNIT_TABLE(suite, gloo_is_told_all_or_nothing, gloo_cases);
}
