/* SPDX-License-Identifier: Apache-2.0 */
/* The image's /etc/nccl.conf, and a mount over it */
#include "suite.h"

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
	{"mount: below a hidden directory", {"/.etc/etc/nccl.conf"}, false},
	{"mount: in a hidden directory", {"/.etc/nccl.conf"}, false},
	{"mount: a longer name", {"/etc/nccl.confx"}, false},
	{"mount: without the slash between", {"/etcnccl.conf"}, false},
	{"mount: a shorter name", {"/etc/nccl.con"}, false},
	{"mount: a longer directory", {"/etcetera"}, false},
	{"mount: a shorter directory", {"/et"}, false},
	{"mount: the name elsewhere", {"/opt/etc/nccl.conf"}, false},
	{"mount: the name at the root", {"/nccl.conf"}, false},
	{"mount: the root", {"/"}, false},
	{"mount: nothing", {""}, false},
	{"mount: a dot", {"."}, false},
};

UNIT_ROWS(mount_cases)
{
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
	/* Another entry point may still set the variables. */
	assert_int_equal(bench.plan.n_settings, 1);
}

UNIT_TEST("mount: does not matter without values")
{
	static const struct setup setup = {ASKED, .no_nccl = true, .mounts = {"/etc/nccl.conf"},
					   ONE_DEVICE};
	cleanup_bench bench = plan_of(&setup);

	assert_string_equal(unit_codes(&bench.arena, &bench.warnings), "");
}

/* ---- the image's own ---- */

#define HCA "NCCL_IB_HCA==mlx5_0\n"

static const struct image_case {
	const char *name;
	struct setup setup;
	size_t n_settings;
	const char *codes;
} image_cases[] = {
	{"image: what it sets is left out, with a warning",
	 SETUP(ASKED, .image_conf = "X=1\n" HCA, ONE_DEVICE), 0, "conf_already_set"},
	{"image: the same value needs none",
	 SETUP(ASKED, .image_conf = "NCCL_IB_HCA==mlx5_6", ONE_DEVICE), 0, ""},
	{"image: what it does not set is given", SETUP(ASKED, .image_conf = "X=1\n", ONE_DEVICE), 1,
	 ""},
	{"image: what the environment sets comes first",
	 SETUP(ASKED, .image_conf = HCA, .env = {"NCCL_IB_HCA==mlx5_9"}, ONE_DEVICE), 1,
	 "env_already_set"},
	{"image: UCX does not read it",
	 SETUP(ASKED, .image_conf = "UCX_NET_DEVICES=x\n", .ucx = true, ONE_DEVICE), 2, ""},
	{"image: a mount hides it", SETUP(ASKED, .image_conf = HCA, .mounts = {"/etc"}, ONE_DEVICE),
	 1, "nccl_conf_mounted"},
};

UNIT_ROWS(image_cases)
{
	cleanup_bench bench = plan_of(&row->setup);

	assert_int_equal(bench.plan.n_settings, row->n_settings);
	assert_string_equal(unit_codes(&bench.arena, &bench.warnings), row->codes);
}
