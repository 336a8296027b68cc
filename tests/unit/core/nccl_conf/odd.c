/* SPDX-License-Identifier: Apache-2.0 */
/* Not a file, too large, left by a killed run, or not writable */
#include "suite.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

static int put_fifo(int root)
{
	return mkfifoat(root, CONF, 0644);
}

static int put_directory(int root)
{
	return mkdirat(root, CONF, 0755);
}

static int put_socket(int root)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int status;

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", root, CONF);
	status = bind(fd, (struct sockaddr *)&address, sizeof(address));
	(void)close(fd);
	return status;
}

static int put_device(int root)
{
	return mknodat(root, CONF, S_IFCHR | 0666, makedev(1, 3));
}

static int put_nul(int root)
{
	int fd = openat(root, CONF, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	ssize_t n = write(fd, "A=1\n\0B=2\n", 9);

	(void)close(fd);
	return n == 9 ? 0 : -1;
}

static const struct odd_case {
	const char *name;
	int (*put)(int root);
	const char *reason;
} odd_cases[] = {
	{"odd: a FIFO is left alone, and does not block", put_fifo, "not a regular file"},
	{"odd: a directory is left alone", put_directory, "not a regular file"},
	{"odd: a socket is left alone", put_socket, "not a regular file"},
	{"odd: a file with a NUL is left alone", put_nul, "contains a NUL"},
	{"odd: a device is left alone", put_device, "not a regular file"},
};

UNIT_ROWS(odd_cases)
{
	WITH_DIR(root);
	struct stat before;
	struct stat after;

	if (row->put == put_device && geteuid() != 0)
		UNIT_SKIP("only root can make a device");
	unit_write(root.fd, "etc/hosts", "", 0644);
	assert_int_equal(row->put(root.fd), 0);
	before = unit_stat(root.fd, CONF);
	assert_true(before.st_mode != 0);
	must_fail(root.fd, row->reason);
	assert_int_equal(clear_conf(root.fd, &err), -1);
	assert_has(err.text, row->reason);
	after = unit_stat(root.fd, CONF);
	assert_true(before.st_ino == after.st_ino);
	assert_int_equal(before.st_mode, after.st_mode);
	assert_int_equal(unit_entries(root.fd, "etc"), 2);
}

UNIT_TEST("odd: /etc that is a file is an error")
{
	cleanup_unit_dir root = unit_dir_make();

	unit_write(root.fd, "etc", "x", 0644);
	must_fail(root.fd, "Not a directory");
	assert_int_equal(unit_entries(root.fd, "."), 1);
}

/* Only a missing /etc means that there is nothing to clear. */
UNIT_TEST("odd: an etc that is a file, and no values")
{
	WITH_DIR(root);
	bool changed = true;

	unit_write(root.fd, "etc", "x", 0644);
	assert_int_equal(write_conf(root.fd, "", &changed, &err), -1);
	assert_has(err.text, "/etc of the container: Not a directory");
	assert_false(changed);
	assert_int_equal(clear_conf(root.fd, &err), -1);
}

UNIT_TEST("odd: 1 MiB is read, one byte more is left alone")
{
	const size_t max = 1024 * 1024;

	for (size_t size = max; size <= max + 1; size++) {
		WITH_DIR(root);
		char *text = arena_alloc(&arena, size + 1);

		memset(text, '\n', size);
		unit_write(root.fd, CONF, text, 0644);
		if (size <= max) {
			must_change(root.fd, LINES);
			continue;
		}
		must_fail(root.fd, "larger than 1048576 bytes");
		assert_int_equal(unit_stat(root.fd, CONF).st_size, size);
	}
}

/* ---- what cannot be written ---- */

/* RLIMIT_FSIZE stands in for a full disk. */
UNIT_TEST("full: what cannot be written changes nothing")
{
	WITH_DIR(root);
	struct rlimit before;
	struct rlimit none;
	bool changed = true;
	int status;

	unit_write(root.fd, CONF, "A=1\n", 0644);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){.rlim_cur = 8, .rlim_max = before.rlim_max};
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	status = write_conf(root.fd, LINES, &changed, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	(void)signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(status, -1);
	assert_has(err.text, "File too large");
	assert_has(err.text, "/etc/nccl.conf of the container");
	assert_false(changed);
	assert_string_equal(unit_read(&arena, root.fd, CONF), "A=1\n");
	assert_int_equal(unit_entries(root.fd, "etc"), 1);
}
