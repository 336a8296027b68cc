/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

static const struct memlock_case {
	const char *name;
	struct setup setup;
	uint64_t memlock;
	bool adds;
} memlock_cases[] = {
	{"memlock: unlimited, the spec says nothing", SETUP(ASKED, ONE_DEVICE), UNLIMITED, true},
	{"memlock: the config's", SETUP(ASKED, .memlock = 64 * MI, ONE_DEVICE), 64 * MI, true},
	{"memlock: an annotation reduces unlimited", SETUP(ASKED, .less_memlock = MI, ONE_DEVICE),
	 MI, true},
	{"memlock: an annotation reduces the config's",
	 SETUP(ASKED, .memlock = 64 * MI, .less_memlock = MI, ONE_DEVICE), MI, true},
	{"memlock: an annotation never raises",
	 SETUP(ASKED, .memlock = MI, .less_memlock = 64 * MI, ONE_DEVICE), MI, true},
	{"memlock: the spec has as much",
	 SETUP(ASKED, .memlock = MI, .has_memlock = true, .soft = MI, .hard = MI, ONE_DEVICE), MI,
	 false},
	{"memlock: the spec has more",
	 SETUP(ASKED, .memlock = MI, .has_memlock = true, .soft = 2 * MI, .hard = UNLIMITED,
	       ONE_DEVICE),
	 MI, false},
	{"memlock: the spec has less",
	 SETUP(ASKED, .memlock = MI, .has_memlock = true, .soft = 1, .hard = 1, ONE_DEVICE), MI,
	 true},
	{"memlock: the spec's soft limit is less",
	 SETUP(ASKED, .memlock = MI, .has_memlock = true, .soft = 1, .hard = UNLIMITED, ONE_DEVICE),
	 MI, true},
	{"memlock: the spec's hard limit is less",
	 SETUP(ASKED, .memlock = MI, .has_memlock = true, .soft = UNLIMITED, .hard = 1, ONE_DEVICE),
	 MI, true},
	{"memlock: the spec has unlimited",
	 SETUP(ASKED, .has_memlock = true, .soft = UNLIMITED, .hard = UNLIMITED, ONE_DEVICE),
	 UNLIMITED, false},
	{"memlock: the spec has 2^64-2, unlimited is asked",
	 SETUP(ASKED, .has_memlock = true, .soft = UNLIMITED - 1, .hard = UNLIMITED - 1,
	       ONE_DEVICE),
	 UNLIMITED, true},
};

UNIT_ROWS(memlock_cases)
{
	cleanup_bench bench = plan_of(&row->setup);

	assert_true(bench.plan.memlock != 0);
	assert_true(bench.plan.memlock == row->memlock);
	assert_int_equal(bench.plan.adds_rlimit, row->adds);
}

static const struct shortage_case {
	const char *name;
	struct setup setup;
	uint64_t memlock;
	bool is_short;
} shortage_cases[] = {
	{"rootless: the hard limit, and why it is no more",
	 SETUP(ASKED, ONE_DEVICE, .memlock_max = 8 * MI), 8 * MI, true},
	{"rootless: the config's is less",
	 SETUP(ASKED, ONE_DEVICE, .memlock_max = 8 * MI, .memlock = MI), MI, false},
	{"rootless: the config's is as much",
	 SETUP(ASKED, ONE_DEVICE, .memlock_max = 8 * MI, .memlock = 8 * MI), 8 * MI, false},
	{"rootless: an annotation reduces it below",
	 SETUP(ASKED, ONE_DEVICE, .memlock_max = 8 * MI, .less_memlock = MI), MI, false},
	{"rootless: no hard limit", SETUP(ASKED, ONE_DEVICE), UNLIMITED, false},
};

UNIT_ROWS(shortage_cases)
{
	cleanup_bench bench = plan_of(&row->setup);

	assert_true(bench.plan.memlock == row->memlock);
	assert_int_equal(bench.plan.low_limit_reason != NULL, row->is_short);
	assert_string_equal(unit_codes(&bench.arena, &bench.warnings),
			    row->is_short ? "rootless_memlock" : "");
}

/* ---- capabilities ---- */

#define EVERYWHERE(bits) LIST((bits), (bits), (bits), (bits), (bits))

static const struct capability_case {
	const char *name;
	struct setup setup;
	uint64_t adds;
	const char *missing_capabilities_reason; /* NULL: none */
} capability_cases[] = {
	{"capabilities: CAP_IPC_LOCK by default", SETUP(ASKED, ONE_DEVICE), IPC_LOCK, NULL},
	{"capabilities: the config's",
	 SETUP(ASKED, .capabilities = IPC_LOCK | RESOURCE, ONE_DEVICE), IPC_LOCK | RESOURCE, NULL},
	{"capabilities: none by default beside a finite limit",
	 SETUP(ASKED, .memlock = 64 * MI, ONE_DEVICE), 0, NULL},
	{"capabilities: none by default beside a limit that an annotation makes finite",
	 SETUP(ASKED, .less_memlock = MI, ONE_DEVICE), 0, NULL},
	{"capabilities: the config's beside a finite limit",
	 SETUP(ASKED, .memlock = 64 * MI, .capabilities = IPC_LOCK, ONE_DEVICE), IPC_LOCK, NULL},
	{"capabilities: by default beside the limit of a rootless engine",
	 SETUP(ASKED, .memlock_max = MI, ONE_DEVICE), IPC_LOCK, NULL},
	{"capabilities: none by the config",
	 SETUP(ASKED, .capabilities = NO_CAPABILITY, ONE_DEVICE), 0, NULL},
	{"capabilities: present in all five sets",
	 SETUP(ASKED, .sets = EVERYWHERE(IPC_LOCK | CHOWN), ONE_DEVICE), 0, NULL},
	{"capabilities: missing in the ambient set alone",
	 SETUP(ASKED, .sets = {IPC_LOCK, IPC_LOCK, IPC_LOCK, IPC_LOCK, 0}, ONE_DEVICE), IPC_LOCK,
	 NULL},
	{"capabilities: missing in the bounding set alone",
	 SETUP(ASKED, .sets = {0, IPC_LOCK, IPC_LOCK, IPC_LOCK, IPC_LOCK}, ONE_DEVICE), IPC_LOCK,
	 NULL},
	{"capabilities: missing in the inheritable set alone",
	 SETUP(ASKED, .sets = {IPC_LOCK, IPC_LOCK, IPC_LOCK, CHOWN, IPC_LOCK}, ONE_DEVICE),
	 IPC_LOCK, NULL},
	{"capabilities: one of two is there",
	 SETUP(ASKED, .capabilities = IPC_LOCK | RESOURCE, .sets = EVERYWHERE(IPC_LOCK),
	       ONE_DEVICE),
	 RESOURCE, NULL},
	{"capabilities: what the container has besides is not ours to say",
	 SETUP(ASKED, .sets = EVERYWHERE(CHOWN), ONE_DEVICE), IPC_LOCK, NULL},
	{"capabilities: one of two is not the engine's to give",
	 SETUP(ASKED, .capabilities = IPC_LOCK | RESOURCE, .lacking = RESOURCE, ONE_DEVICE),
	 IPC_LOCK, "this engine cannot give CAP_SYS_RESOURCE, which"},
	{"capabilities: nor are both",
	 SETUP(ASKED, .capabilities = IPC_LOCK | RESOURCE, .lacking = RESOURCE | IPC_LOCK,
	       ONE_DEVICE),
	 0, "this engine cannot give CAP_IPC_LOCK CAP_SYS_RESOURCE, which"},
	{"capabilities: what the spec has need not be given",
	 SETUP(ASKED, .sets = EVERYWHERE(IPC_LOCK), .lacking = IPC_LOCK, ONE_DEVICE), 0, NULL},
	{"capabilities: in a user namespace an engine lacks none",
	 SETUP(ASKED, .user_namespace = true, .lacking = IPC_LOCK, ONE_DEVICE), IPC_LOCK, NULL},
	{"capabilities: another one than is granted", SETUP(ASKED, .lacking = CHOWN, ONE_DEVICE),
	 IPC_LOCK, NULL},
};

UNIT_ROWS(capability_cases)
{
	cleanup_bench bench = plan_of(&row->setup);

	assert_true(bench.plan.capabilities == row->adds);
	assert_int_equal(bench.plan.granted & bench.plan.capabilities, row->adds);
	assert_int_equal(bench.plan.missing_capabilities_reason != NULL,
			 row->missing_capabilities_reason != NULL);
	if (row->missing_capabilities_reason) {
		assert_has(bench.plan.missing_capabilities_reason,
			   row->missing_capabilities_reason);
		assert_true((bench.plan.granted & row->setup.lacking) == 0);
	}
}

/* ---- vfio ---- */

#define EVERYTHING                                                                                 \
	.amend_seccomp = true, .seccomp = {.refused = 1, .by_default = 1},                         \
	.capabilities = IPC_LOCK | RESOURCE, .extra = {{"NCCL_IB_TC", "106"}}, .ucx = true,        \
	.gloo = true, .ifname = "rdma", .gdr_level = "SYS"

UNIT_TEST("vfio: the limit, whatever else the policy gives")
{
	cleanup_bench bench = plan_of(&(struct setup){ASKED, .vfio = {"vfio/57"}, EVERYTHING});

	assert_true(bench.plan.memlock && bench.plan.adds_rlimit);
	assert_true(bench.plan.memlock == UNLIMITED);
	assert_true(bench.plan.granted == 0 && bench.plan.capabilities == 0);
	assert_int_equal(bench.plan.seccomp, 0);
	assert_int_equal(bench.plan.n_settings, 0);
	assert_string_equal(unit_codes(&bench.arena, &bench.warnings), "");
}

UNIT_TEST("vfio: a verbs device beside it is given all that it is given alone")
{
	cleanup_bench alone = plan_of(&(struct setup){ASKED, TWO, EVERYTHING});
	cleanup_bench beside =
		plan_of(&(struct setup){ASKED, TWO, .vfio = {"vfio/57"}, EVERYTHING});

	assert_true(alone.plan.granted && alone.plan.seccomp && alone.plan.n_settings > 3);
	assert_true(beside.plan.granted == alone.plan.granted);
	assert_int_equal(beside.plan.seccomp, alone.plan.seccomp);
	assert_int_equal(beside.plan.n_settings, alone.plan.n_settings);
}
