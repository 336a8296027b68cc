/* SPDX-License-Identifier: Apache-2.0 */
/* A second plan adds nothing; planning changes no fact. */
#include "suite.h"

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
	{"twice: a grant", SETUP(ASKED, TWO)},
	{"twice: all that a config can set",
	 SETUP(ASKED, .memlock = 64 * MI, .capabilities = IPC_LOCK | RESOURCE, .ifname = "rdma",
	       .gid = "3", .gdr_level = "SYS", .extra = {{"A", "1"}},
	       .sets = {CHOWN, 0, IPC_LOCK, 0, 0}, .has_memlock = true, .soft = 1, .hard = 2, TWO)},
	{"twice: beside what the environment keeps",
	 SETUP(ASKED, .gdr_level = "SYS", .env = {"NCCL_IB_HCA=mlx5_0"}, ONE_DEVICE)},
	{"twice: tcp", SETUP(TCP_SETUP)},
	{"twice: denied", SETUP(ASKED, .require_memory_limit = true, ONE_DEVICE)},
};

UNIT_ROWS(twice_cases)
{
	cleanup_bench bench = plan_of(&row->setup);
	enum decision decision;

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

UNIT_TEST("facts: a plan changes none of them")
{
	static const struct setup setup = {ASKED, .ifname = "rdma", .gid = "legacy", .env = {"A=1"},
					   TWO};
	cleanup_bench bench = {0};
	struct spec spec;
	struct config config;
	struct request request;
	struct device device[2];

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
