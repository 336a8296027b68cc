/* SPDX-License-Identifier: Apache-2.0 */
/* A container's root, and kernels that cannot confine us below it */
#include "suite.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "core/container/container.h"

static const struct root_case {
	const char *name;
	const char *path;  /* '%': the bundle; '?' first: not known */
	const char *error; /* NULL: opened */
} root_cases[] = {
	{"root: below the bundle", "rootfs", NULL},
	{"root: absolute", "%/rootfs", NULL},
	{"root: over a link", "link", NULL},
	{"root: empty", "", "root.path is empty"},
	{"root: missing", NULL, "root.path is empty"},
	{"root: the node's own", "/", "root.path / is the node's own root: refused"},
	{"root: the node's own, by '..'", "/../tmp/..", "is the node's own root: refused"},
	{"root: the node's own, over a link", "host", "is the node's own root: refused"},
	{"root: the node's own, over /proc", "/proc/1/root/proc/self/root", "root.path"},
	{"root: absent", "absent", "root.path absent: No such file or directory"},
	{"root: relative, its bundle is not known", "?rootfs", "root.path rootfs is relative"},
	{"root: a file", "file", "root.path file: Not a directory"},
};

UNIT_ROWS(root_cases)
{
	WITH_DIR(bundle);
	struct container container = CONTAINER_NONE;
	const char *path = row->path;
	struct stat st;
	int root;

	unit_write(bundle.fd, "rootfs/x", "", 0644);
	unit_write(bundle.fd, "file", "", 0644);
	assert_int_equal(symlinkat("rootfs", bundle.fd, "link"), 0);
	assert_int_equal(symlinkat("/", bundle.fd, "host"), 0);
	if (path && path[0] == '%')
		path = arena_printf(&arena, "%s%s", bundle.path, path + 1);
	container.bundle = path && path[0] == '?' ? -1 : bundle.fd;
	container.spec.root = container.bundle < 0 ? path + 1 : path;
	root = container_open_root(&container, &err);
	if (row->error) {
		assert_int_equal(root, -1);
		assert_has(err.text, row->error);
		return;
	}
	assert_true(root >= 0);
	assert_int_equal(fstat(root, &st), 0);
	assert_true(st.st_ino == unit_stat(bundle.fd, "rootfs").st_ino);
	assert_true(fcntl(root, F_GETFD) & FD_CLOEXEC);
	(void)close(root);
}

/* ---- a filter that hides openat2, as a kernel before 5.6 lacks it ---- */

/* Disables openat2 for this process. */
static bool forget_openat2(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = LENGTH(code), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int write_without_openat2(const void *context)
{
	const int root = *(const int *)context;
	struct err err = {0};
	bool changed = false;

	if (!forget_openat2())
		return 2;
	if (nccl_conf_write(root, LINES, &changed, &err) != -1 || changed)
		return 3;
	return strstr(err.text, "/etc of the container: a filter of system calls hides openat2(2)")
		       ? 0
		       : 4;
}

/* Without openat2 a lookup can leave the root: refuse. */
UNIT_TEST("openat2: without it nothing is written")
{
	cleanup_unit_dir root = unit_dir_make();

	unit_write(root.fd, "etc/hosts", "", 0644);
	assert_int_equal(unit_result_of(write_without_openat2, &root.fd), 0);
	assert_int_equal(unit_entries(root.fd, "etc"), 1);
}
