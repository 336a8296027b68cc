/* SPDX-License-Identifier: Apache-2.0 */
/* Who may write it, and the directories on its way */
#include "suite.h"

static int put_fifo(int root)
{
	return mkfifoat(root, CONFIG_PATH, 0600);
}

static int put_directory(int root)
{
	return mkdirat(root, CONFIG_PATH, 0755);
}

static int link_file(int root)
{
	unit_write(root, "etc/oci-rdma-hook/target.json", "{}", 0644);
	return symlinkat("target.json", root, CONFIG_PATH);
}

static int link_to_nothing(int root)
{
	return symlinkat("absent.json", root, CONFIG_PATH);
}

static int link_directory(int root)
{
	unit_write(root, "etc/real/config.json", "{}", 0644);
	return unlinkat(root, "etc/oci-rdma-hook", AT_REMOVEDIR) ||
	       symlinkat("real", root, "etc/oci-rdma-hook");
}

static int link_first_directory(int root)
{
	unit_write(root, "real/oci-rdma-hook/config.json", "{}", 0644);
	return unlinkat(root, "etc/oci-rdma-hook", AT_REMOVEDIR) ||
	       unlinkat(root, "etc", AT_REMOVEDIR) || symlinkat("real", root, "etc");
}

static int file_as_directory(int root)
{
	if (unlinkat(root, "etc/oci-rdma-hook", AT_REMOVEDIR))
		return -1;
	unit_write(root, "etc/oci-rdma-hook", "x", 0644);
	return 0;
}

static int hard_link(int root)
{
	unit_write(root, "etc/other.json", "{}", 0644);
	return linkat(root, "etc/other.json", root, CONFIG_PATH, 0);
}

static const struct trust_case {
	const char *name;
	mode_t etc; /* 0: 0755 */
	mode_t dir;
	mode_t file;           /* 0: made by make */
	int (*make)(int root); /* in place of a file */
	const char *error;     /* NULL: it is trusted */
} trust_cases[] = {
	{"trust: 0644", 0, 0, 0644, NULL, NULL},
	{"trust: 0600 and directories 0700", 0700, 0700, 0600, NULL, NULL},
	{"trust: a hard link of root's is a file", 0, 0, 0, hard_link, NULL},
	{"trust: a file that everyone may write is refused", 0, 0, 0646, NULL,
	 "config.json is writable by others (mode 0646): run chmod go-w on it"},
	{"trust: a file that its group may write is refused", 0, 0, 0664, NULL,
	 "config.json is writable by others (mode 0664)"},
	{"trust: a sticky file that others may write is refused", 0, 0, 01666, NULL,
	 "config.json is writable by others (mode 1666)"},
	{"trust: a directory that everyone may write is refused", 0, 0777, 0644, NULL,
	 "oci-rdma-hook is writable by others (mode 0777)"},
	{"trust: a directory that its group may write is refused", 0, 0775, 0644, NULL,
	 "oci-rdma-hook is writable by others (mode 0775)"},
	{"trust: a parent that everyone may write is refused", 0757, 0, 0644, NULL,
	 "etc is writable by others (mode 0757)"},
	{"trust: a sticky parent is fine", 01777, 0, 0644, NULL, NULL},
	{"trust: a sticky directory is fine", 0, 01777, 0644, NULL, NULL},
	{"trust: a symbolic link is refused", 0, 0, 0, link_file, "config.json is a symbolic link"},
	{"trust: a dangling symbolic link is refused", 0, 0, 0, link_to_nothing,
	 "config.json is a symbolic link"},
	{"trust: a symbolic link as directory is refused", 0, 0, 0, link_directory,
	 "oci-rdma-hook is a symbolic link or not a directory"},
	{"trust: a symbolic link as first directory is refused", 0, 0, 0, link_first_directory,
	 "etc is a symbolic link or not a directory"},
	{"trust: a file as directory is refused", 0, 0, 0, file_as_directory,
	 "oci-rdma-hook is a symbolic link or not a directory"},
	{"trust: a FIFO is refused and does not block", 0, 0, 0, put_fifo, "not a regular file"},
	{"trust: a directory is refused", 0, 0, 0, put_directory, "not a regular file"},
};

static void is_trusted_or_not(void **state)
{
	const struct trust_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};
	struct config config;
	struct err err = {0};
	int status;

	unit_write(root.fd, CONFIG_PATH, "{}", row->file ? row->file : 0644);
	if (row->make) {
		assert_int_equal(unlinkat(root.fd, CONFIG_PATH, 0), 0);
		assert_int_equal(row->make(root.fd), 0);
	}
	if (row->dir)
		assert_int_equal(fchmodat(root.fd, "etc/oci-rdma-hook", row->dir, 0), 0);
	if (row->etc)
		assert_int_equal(fchmodat(root.fd, "etc", row->etc, 0), 0);
	(void)alarm(UNIT_PATIENCE);
	status = config_load(&arena, root.fd, NULL, &config, &err);
	(void)alarm(0);
	if (!row->error) {
		assert_string_equal(err.text, "");
		assert_int_equal(status, 0);
		return;
	}
	assert_int_equal(status, -1);
	assert_has(err.text, row->error);
	assert_has(err.text, FILE_NAME ": ");
}

/* Another user's file grants nothing. */
static void a_file_of_another_user_is_refused(void **state)
{
	static const char *const places[] = {CONFIG_PATH, "etc/oci-rdma-hook", "etc"};

	(void)state;
	for (size_t i = 0; i < LENGTH(places); i++) {
		cleanup_unit_dir root = unit_dir_make();
		cleanup_arena arena = {0};
		struct config config;
		struct err err = {0};

		unit_write(root.fd, CONFIG_PATH, "{}", 0644);
		assert_int_equal(fchownat(root.fd, places[i], 12345, 0, 0), 0);
		assert_int_equal(config_load(&arena, root.fd, NULL, &config, &err), -1);
		assert_has(err.text, " belongs to uid 12345, not to root");
	}
}

static void a_group_alone_does_not_matter(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};
	struct config config;
	struct err err = {0};

	(void)state;
	unit_write(root.fd, CONFIG_PATH, "{}", 0640);
	assert_int_equal(fchownat(root.fd, CONFIG_PATH, (uid_t)-1, 12345, 0), 0);
	assert_int_equal(config_load(&arena, root.fd, NULL, &config, &err), 0);
}

/* A file that may be named anywhere: each directory on the way is looked at. */
static void a_named_path_is_checked_on_its_whole_way(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};
	struct config config;
	struct err err = {0};
	const char *path = arena_printf(&arena, "%s/a//b/./c.json", root.path);

	(void)state;
	unit_write(root.fd, "a/b/c.json", "{}", 0644);
	assert_int_equal(config_load(&arena, -1, path, &config, &err), 0);
	assert_int_equal(fchmodat(root.fd, "a", 0777, 0), 0);
	assert_int_equal(config_load(&arena, -1, path, &config, &err), -1);
	assert_has(err.text, "a is writable by others");
	assert_int_equal(fchmodat(root.fd, "a", 0755, 0), 0);
	assert_int_equal(symlinkat("a", root.fd, "l"), 0);
	path = arena_printf(&arena, "%s/l/b/c.json", root.path);
	assert_int_equal(config_load(&arena, -1, path, &config, &err), -1);
	assert_has(err.text, "l is a symbolic link");
}

void add_trust_tests(struct unit_suite *suite)
{

	UNIT_TABLE(suite, is_trusted_or_not, trust_cases);
	unit_add_for_root(suite, "trust: another user's file or directory is refused",
			  a_file_of_another_user_is_refused, NULL);
	unit_add_for_root(suite, "trust: another group that may only read is fine",
			  a_group_alone_does_not_matter, NULL);
	unit_add(suite, "trust: a named path is checked on its whole way",
		 a_named_path_is_checked_on_its_whole_way, NULL);
}
