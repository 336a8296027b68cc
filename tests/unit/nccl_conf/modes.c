/* SPDX-License-Identifier: Apache-2.0 */
/* Modes and owners of the file and of /etc */
#include "suite.h"

static const struct umask_case {
	const char *name;
	mode_t mask;
} umask_cases[] = {
	{"mode: umask 0", 0},
	{"mode: umask 077", 077},
	{"mode: umask 022", 022},
};

static void modes_do_not_depend_on_the_umask(void **state)
{
	const struct umask_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();
	mode_t before = umask(row->mask);

	must_change(root.fd, LINES);
	(void)umask(before);
	assert_int_equal(unit_stat(root.fd, "etc").st_mode, S_IFDIR | 0755);
	assert_int_equal(unit_stat(root.fd, CONF).st_mode, S_IFREG | 0644);
}

static const struct mode_case {
	const char *name;
	mode_t mode;
} mode_cases[] = {
	{"mode: an image's 0600 becomes readable", 0600},
	{"mode: an image's 0400 becomes readable", 0400},
	{"mode: an image's 0666 is closed", 0666},
	{"mode: an image's set-id bits go", 06755},
};

static void the_file_is_0644(void **state)
{
	const struct mode_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();

	unit_write(root.fd, CONF, "A=1\n", row->mode);
	must_change(root.fd, LINES);
	assert_int_equal(unit_stat(root.fd, CONF).st_mode, S_IFREG | 0644);
}

static void etc_is_made_only_if_needed(void **state)
{
	cleanup_unit_dir root = unit_dir_make();

	(void)state;
	must_not_change(root.fd, "");
	must_hold(root.fd, ".", 0);
	must_change(root.fd, LINES);
	must_hold(root.fd, ".", 1);
	must_hold(root.fd, "etc", 1);
}

static void an_images_etc_keeps_its_mode(void **state)
{
	cleanup_unit_dir root = unit_dir_make();

	(void)state;
	unit_write(root.fd, "etc/hosts", "", 0644);
	assert_int_equal(fchmodat(root.fd, "etc", 0700, 0), 0);
	must_change(root.fd, LINES);
	assert_int_equal(unit_stat(root.fd, "etc").st_mode, S_IFDIR | 0700);
}

static void check_owner(int root, const char *path, uid_t uid, gid_t gid)
{
	struct stat st = unit_stat(root, path);

	assert_int_equal(st.st_uid, uid);
	assert_int_equal(st.st_gid, gid);
}

/* In a user namespace the container's root is another id of the host. */
static void what_is_made_belongs_to_the_containers_root(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	struct nccl_conf_owner owner = {100000, 200000};
	struct nccl_conf_owner other = {300000, 400000};
	struct err err = {0};
	bool changed;

	(void)state;
	assert_int_equal(nccl_conf_write(root.fd, LINES, &owner, &changed, &err), 0);
	check_owner(root.fd, "etc", 100000, 200000);
	check_owner(root.fd, CONF, 100000, 200000);
	assert_int_equal(nccl_conf_write(root.fd, OTHER_LINES, &other, &changed, &err), 0);
	check_owner(root.fd, CONF, 300000, 400000);
	check_owner(root.fd, "etc", 100000, 200000);
	check_owner(root.fd, ".", geteuid(), getegid());
}

void add_mode_tests(struct unit_suite *suite)
{

	UNIT_TABLE(suite, modes_do_not_depend_on_the_umask, umask_cases);
	UNIT_TABLE(suite, the_file_is_0644, mode_cases);
	unit_add(suite, "etc: is made only if there is something to say",
		 etc_is_made_only_if_needed, NULL);
	unit_add(suite, "etc: an image's own keeps its mode", an_images_etc_keeps_its_mode, NULL);
	unit_add_for_root(suite,
			  "owner: the container's root, of the file and of an etc that is made",
			  what_is_made_belongs_to_the_containers_root, NULL);
}
