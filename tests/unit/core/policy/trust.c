/* SPDX-License-Identifier: Apache-2.0 */
/* A policy that others than root can write is refused. */
#include <limits.h>

#include "core/base/fs.h"
#include "core/base/trust.h"
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

static int link_directory(int root)
{
	unit_write(root, "etc/real/config.json", "{}", 0644);
	return unlinkat(root, "etc/oci-rdma-hook", AT_REMOVEDIR) ||
	       symlinkat("real", root, "etc/oci-rdma-hook");
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
	mode_t file;           /* 0: by .make */
	int (*make)(int root); /* instead of a file */
	const char *error;     /* NULL: trusted */
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
	{"trust: a parent that everyone may write is refused", 0757, 0, 0644, NULL,
	 "etc is writable by others (mode 0757)"},
	{"trust: a sticky parent is fine", 01777, 0, 0644, NULL, NULL},
	{"trust: a sticky directory is fine", 0, 01777, 0644, NULL, NULL},
	{"trust: a symbolic link is refused", 0, 0, 0, link_file, "config.json is a symbolic link"},
	{"trust: a symbolic link as directory is refused", 0, 0, 0, link_directory,
	 "oci-rdma-hook is a symbolic link or not a directory"},
	{"trust: a file as directory is refused", 0, 0, 0, file_as_directory,
	 "oci-rdma-hook is a symbolic link or not a directory"},
	{"trust: a FIFO is refused and does not block", 0, 0, 0, put_fifo, "not a regular file"},
	{"trust: a directory is refused", 0, 0, 0, put_directory, "not a regular file"},
};

UNIT_ROWS(trust_cases)
{
	WITH_DIR(root);
	struct config config;
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
	status = config_load(&arena, root.fd, NULL, &config, &err);
	if (!row->error) {
		assert_string_equal(err.text, "");
		assert_int_equal(status, 0);
		return;
	}
	assert_int_equal(status, -1);
	assert_has(err.text, row->error);
	assert_has(err.text, FILE_NAME ": ");
}

static const struct owner_case {
	const char *name;
	uid_t uid;
	const char *error;
} owner_cases[] = {
	{"trust: another user's file or directory is refused", 12345,
	 " belongs to uid 12345, not to root: run chown root on it"},
	/* The kernel's overflow uid, here a real owner */
	{"trust: so is nobody's", 65534,
	 " belongs to uid 65534, not to root: run chown root on it"},
};

UNIT_ROWS_FOR_ROOT(owner_cases)
{
	static const char *const places[] = {CONFIG_PATH, "etc/oci-rdma-hook", "etc"};

	for (size_t i = 0; i < LENGTH(places); i++) {
		WITH_DIR(root);
		struct config config;

		unit_write(root.fd, CONFIG_PATH, "{}", 0644);
		assert_int_equal(fchownat(root.fd, places[i], row->uid, 0, 0), 0);
		assert_int_equal(config_load(&arena, root.fd, NULL, &config, &err), -1);
		assert_has(err.text, row->error);
	}
}

/* ---- in a user namespace ---- */

/* Exit statuses of the child */
enum { READ, REFUSED };

static const struct rootless_case {
	const char *name;
	bool named; /* --config outside /etc */
	uid_t uid;  /* the owner, on the node */
	const char *error;
} rootless_cases[] = {
	{"trust: rootless: root's file in /etc, which has no owner there, is trusted", false, 0,
	 NULL},
	{"trust: rootless: its user's own file in /etc is trusted", false, 12345, NULL},
	{"trust: rootless: one of another user of his is refused", false, 54321,
	 "config.json belongs to uid 1, not to root"},
	{"trust: rootless: a file elsewhere, on whose way is one without an owner, is refused",
	 true, 12345, "is not mapped into this user namespace"},
};

struct rootless {
	const struct rootless_case *row;
	const struct unit_dir *root;
};

/* The namespace's root is user 12345, its user 54321. */
static int load_as(const void *context)
{
	const struct rootless_case *row = ((const struct rootless *)context)->row;
	const struct unit_dir *root = ((const struct rootless *)context)->root;
	WITH_ARENA;
	struct config config;
	const char *path = row->named ? arena_printf(&arena, "%s/" CONFIG_PATH, root->path) : NULL;

	if (setresuid(0, 0, 0) < 0)
		return UNIT_NOT_HERE;
	if (config_load(&arena, root->fd, path, &config, &err) == 0)
		return READ;
	return row->error && strstr(err.text, row->error) ? REFUSED : -1;
}

UNIT_ROWS_FOR_ROOT(rootless_cases)
{
	cleanup_unit_dir root = unit_dir_make();
	pid_t pid;

	unit_write(root.fd, CONFIG_PATH, "{}", 0644);
	assert_int_equal(fchownat(root.fd, CONFIG_PATH, row->uid, 0, 0), 0);
	pid = unit_start_mapped(load_as, &(struct rootless){row, &root}, "0 12345 1\n1 54321 1\n",
				NULL);
	assert_int_equal(unit_exit_of(pid), row->error ? REFUSED : READ);
}

static int load_as_nobody(const void *path)
{
	WITH_ARENA;
	struct config config;

	return setresuid(65534, 65534, 65534) < 0
		       ? UNIT_NOT_HERE
		       : config_load(&arena, AT_FDCWD, path, &config, &err);
}

UNIT_TEST_FOR_ROOT(
	"trust: its own file is trusted also by the user who has the unmapped ids' number")
{
	WITH_DIR(root);

	unit_write(root.fd, CONFIG_PATH, "{}", 0644);
	assert_int_equal(fchmod(root.fd, 0755), 0);
	assert_int_equal(fchownat(root.fd, CONFIG_PATH, 65534, 65534, 0), 0);
	assert_int_equal(
		unit_result_of(load_as_nobody, arena_printf(&arena, "%s/" CONFIG_PATH, root.path)),
		0);
}

/* The caller need not be able to read directories. */
UNIT_TEST_FOR_ROOT("trust: a directory may be one to enter only")
{
	WITH_DIR(root);
	struct config config;
	int status;

	unit_write(root.fd, CONFIG_PATH, "{}", 0644);
	assert_int_equal(fchmodat(root.fd, "etc", 0711, 0), 0);
	assert_int_equal(seteuid(12345), 0);
	status = config_load(&arena, root.fd, NULL, &config, &err);
	assert_int_equal(seteuid(0), 0);
	assert_string_equal(err.text, "");
	assert_int_equal(status, 0);
	assert_int_equal(fchmodat(root.fd, "etc", 0700, 0), 0);
	assert_int_equal(seteuid(12345), 0);
	status = config_load(&arena, root.fd, NULL, &config, &err);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(status, -1);
	assert_string_equal(err.text, FILE_NAME ": oci-rdma-hook: Permission denied");
}

/* A named file can be anywhere: every directory is checked. */
UNIT_TEST("trust: a named path is checked on its whole way")
{
	WITH_DIR(root);
	struct config config;
	const char *path = arena_printf(&arena, "%s/a//b/./c.json", root.path);

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

/* No file name: do not take the directory for one. */
UNIT_TEST("trust: a path that ends in a slash is no file")
{
	WITH_DIR(root);

	unit_write(root.fd, CONFIG_PATH, "{}", 0644);
	assert_int_equal(trust_open(root.fd, "etc/oci-rdma-hook/", true, "hook/", &err), -ENOENT);
	assert_string_equal(err.text, "hook/: No such file or directory");
}

UNIT_TEST("trust: a path has its bound")
{
	static char path[PATH_MAX + 1];
	WITH_DIR(root);
	cleanup_fd fd = -1;

	unit_write(root.fd, "etc/x", "{}", 0644);
	memset(path, '/', sizeof(path) - 1);
	memcpy(path, "etc", strlen("etc"));
	path[PATH_MAX - 1] = 'x';
	assert_int_equal(trust_open(root.fd, path, true, "what", &err), -1);
	assert_string_equal(err.text, "what: File name too long");
	path[PATH_MAX - 2] = 'x';
	path[PATH_MAX - 1] = '\0';
	fd = trust_open(root.fd, path, true, "what", &err);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK), O_RDONLY | O_NONBLOCK);
}
