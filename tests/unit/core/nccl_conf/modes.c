/* SPDX-License-Identifier: Apache-2.0 */
/* Modes and owners of the file and of /etc */
#include "suite.h"

#include <sys/xattr.h>

static const struct umask_case {
	const char *name;
	mode_t mask;
} umask_cases[] = {
	{"mode: umask 0", 0},
	{"mode: umask 077", 077},
};

UNIT_ROWS(umask_cases)
{
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
	{"mode: an image's 0666 is closed", 0666},
	{"mode: an image's set-id bits go", 06755},
};

UNIT_ROWS(mode_cases)
{
	cleanup_unit_dir root = unit_dir_make();

	unit_write(root.fd, CONF, "A=1\n", row->mode);
	must_change(root.fd, LINES);
	assert_int_equal(unit_stat(root.fd, CONF).st_mode, S_IFREG | 0644);
}

UNIT_TEST("etc: is made only if there is something to say")
{
	cleanup_unit_dir root = unit_dir_make();

	must_not_change(root.fd, "");
	assert_int_equal(unit_entries(root.fd, "."), 0);
	must_change(root.fd, LINES);
	assert_int_equal(unit_entries(root.fd, "."), 1);
	assert_int_equal(unit_entries(root.fd, "etc"), 1);
}

UNIT_TEST("etc: an image's own keeps its mode")
{
	cleanup_unit_dir root = unit_dir_make();

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

/* In a user namespace the container's root is another id on the host. */
UNIT_TEST_FOR_ROOT("owner: that of the root, of the file and of an etc that is made")
{
	WITH_DIR(root);
	bool changed;

	assert_int_equal(fchown(root.fd, 100000, 200000), 0);
	assert_int_equal(nccl_conf_write(root.fd, LINES, &changed, &err), 0);
	check_owner(root.fd, "etc", 100000, 200000);
	check_owner(root.fd, CONF, 100000, 200000);
	assert_int_equal(fchown(root.fd, 300000, 400000), 0);
	assert_int_equal(nccl_conf_write(root.fd, OTHER_LINES, &changed, &err), 0);
	check_owner(root.fd, CONF, 300000, 400000);
	check_owner(root.fd, "etc", 100000, 200000);
	assert_int_equal(fchownat(root.fd, CONF, 1, 2, 0), 0);
	assert_int_equal(nccl_conf_write(root.fd, "", &changed, &err), 0);
	check_owner(root.fd, CONF, 300000, 400000);
}

/* 0: refused. An /etc of another owner is left alone. */
static int give_away(const void *context)
{
	const int root = *(const int *)context;
	struct err err;
	bool changed = true;

	if (fchown(root, 0, 0) < 0 || fchmodat(root, ".", 0777, 0) < 0 ||
	    setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
		return 1;
	if (nccl_conf_write(root, LINES, &changed, &err) != -1 || changed)
		return 2;
	return strcmp(err.text, "/etc of the container: Operation not permitted") != 0;
}

UNIT_TEST_FOR_ROOT("owner: an etc that cannot be given away is an error")
{
	cleanup_unit_dir root = unit_dir_make();

	assert_int_equal(unit_result_of(give_away, &root.fd), 0);
}

/* The file inherits no attribute of the hook's caller. */
UNIT_TEST_FOR_ROOT("attributes: none of what the hook was started with")
{
	cleanup_unit_dir root = unit_dir_make();
	int before = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
	char path[64];
	char value[8];
	int fd;
	int set;

	unit_write(root.fd, "stdin", "", 0644);
	fd = openat(root.fd, "stdin", O_RDONLY | O_CLOEXEC);
	set = fsetxattr(fd, "trusted.oci-rdma-hook", "x", 1, 0);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	(void)close(fd);
	if (set == 0)
		must_change(root.fd, LINES);
	(void)dup2(before, STDIN_FILENO);
	(void)close(before);
	if (set < 0)
		UNIT_SKIP("ACLs cannot be set here");
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", root.fd, CONF);
	assert_int_equal(getxattr(path, "trusted.oci-rdma-hook", value, sizeof(value)), -1);
	assert_int_equal(errno, ENODATA);
}
