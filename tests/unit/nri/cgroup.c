/* SPDX-License-Identifier: Apache-2.0 */
/* A container's cgroup, and whose limits are raised there */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "nri/cgroup.h"
#include "tests/unit/nri/nri.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TOP "sys/fs/cgroup"
#define POD "kubepods-burstable-pod1.slice"
#define EXPANDED "/kubepods.slice/kubepods-burstable.slice/" POD "/cri-containerd-" ID ".scope"

/* ---- where it is ---- */

static const struct path_case {
	const char *name;
	const char *cgroups_path;
	const char *exists; /* NULL: only the cgroup file system */
	const char *path;
} path_cases[] = {
	{"cgroupfs", "/kubepods/pod1/" ID, NULL, TOP "/kubepods/pod1/" ID},
	{"cgroupfs, without a slash in front", "kubepods/" ID, NULL, TOP "/kubepods/" ID},
	{"systemd", POD ":cri-containerd:" ID, NULL, TOP EXPANDED},
	{"systemd, a slice of one part", "a.slice:crio:x", NULL, TOP "/a.slice/crio-x.scope"},
	{"cgroup v1", "/kubepods/" ID, TOP "/pids", TOP "/pids/kubepods/" ID},
	{"cgroup v1, systemd", POD ":cri-containerd:" ID, TOP "/pids", TOP "/pids" EXPANDED},
	{"systemd's path for an engine without its driver", POD ":cri-containerd:" ID,
	 TOP "/" POD ":cri-containerd:" ID, TOP "/" POD ":cri-containerd:" ID},
	{"none", NULL, NULL, ""},
};

UNIT_ROWS_AS("path: ", path_cases)
{
	cleanup_unit_dir dir = unit_dir_make();
	char path[CGROUP_PATH_SIZE];
	char file[CGROUP_PATH_SIZE + 32];

	snprintf(file, sizeof(file), "%s/cgroup.procs", row->exists ? row->exists : TOP);
	unit_write(dir.fd, file, "", 0600);
	cgroup_find(dir.fd, row->cgroups_path, path);
	assert_string_equal(path, row->path);
}

/* If a shorter one could be another's */
UNIT_TEST("path: what is too long is not known")
{
	cleanup_unit_dir dir = unit_dir_make();
	char path[CGROUP_PATH_SIZE];
	char text[2 * CGROUP_PATH_SIZE];

	memset(text, 'a', sizeof(text));
	text[0] = '/';
	text[CGROUP_PATH_SIZE - sizeof(TOP)] = '\0';
	cgroup_find(dir.fd, text, path);
	assert_int_equal(strlen(path), CGROUP_PATH_SIZE - 1);
	text[CGROUP_PATH_SIZE - sizeof(TOP)] = 'a';
	text[CGROUP_PATH_SIZE - sizeof(TOP) + 1] = '\0';
	cgroup_find(dir.fd, text, path);
	assert_string_equal(path, "");
	snprintf(text, sizeof(text), "%0300d-.slice:a:b", 1);
	cgroup_find(dir.fd, text, path);
	assert_string_equal(path, "");
}

static const struct gone_case {
	const char *name;
	const char *exists;
	const char *path;
	bool gone;
} gone_cases[] = {
	{"its cgroup is there", TOP "/a/" ID, TOP "/a/" ID, false},
	{"its cgroup is not there, and another one of that name is", TOP "/b/" ID, TOP "/a/" ID,
	 true},
	{"its cgroup is not known", TOP, "", false},
	{"no cgroup file system is seen", "other", TOP "/a/" ID, false},
};

UNIT_ROWS(gone_cases)
{
	cleanup_unit_dir dir = unit_dir_make();
	char file[CGROUP_PATH_SIZE];

	snprintf(file, sizeof(file), "%s/cgroup.procs", row->exists);
	unit_write(dir.fd, file, "", 0600);
	assert_int_equal(cgroup_is_gone(dir.fd, row->path), row->gone);
	assert_false(cgroup_is_gone(-1, row->path));
}

/* ---- whose limits are raised: as far as a process may itself, so that no right is needed ---- */

static void write_procs(const struct unit_dir *dir, const char *cgroup, pid_t pid)
{
	char path[CGROUP_PATH_SIZE];
	char text[64];

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	snprintf(text, sizeof(text), "0\n1\n%d\n", pid);
	unit_write(dir->fd, path, text, 0600);
}

static const struct place_case {
	const char *name;
	const char *place;
	bool raised;
} place_cases[] = {
	{"mend: a process of the cgroup", TOP "/a/" ID, true},
	{"mend: one below", TOP "/a/" ID "/b", true},
	{"mend: one eight below", TOP "/a/" ID "/1/2/3/4/5/6/7/8", true},
	{"mend: none deeper: a container may make any number", TOP "/a/" ID "/1/2/3/4/5/6/7/8/9",
	 false},
	{"mend: none above", TOP "/a", false},
	{"mend: none of a cgroup of the same name", TOP "/user.slice/" ID, false},
	{"mend: none of one whose name begins so", TOP "/a/" ID "0", false},
};

UNIT_ROWS(place_cases)
{
	WITH_DIR(dir);
	pid_t pid = start_one();
	size_t n;
	int status;
	rlim_t soft;

	/* too deep; must not keep others from being raised */
	unit_write(dir.fd, TOP "/a/" ID "/other/2/3/4/5/6/7/8/9/10", "", 0600);
	write_procs(&dir, row->place, pid);
	status = cgroup_mend(dir.fd, TOP "/a/" ID, PLAN, &n, &err);
	soft = soft_of(pid);
	end_one(pid);
	assert_int_equal(soft, row->raised ? PLAN : SOFT);
	assert_int_equal(status, row->raised ? 0 : -1);
	assert_int_equal(n, row->raised);
	if (status < 0)
		assert_has(err.text, "no process is found in /" TOP "/a/" ID);
}

/* A limit that is already there counts as found, not as raised. */
UNIT_TEST("mend: what has the limit stays, and what has ended is nothing")
{
	WITH_DIR(dir);
	pid_t pid = start_one();
	size_t n = 1;

	write_procs(&dir, TOP "/a", pid);
	assert_int_equal(cgroup_mend(dir.fd, TOP "/a", SOFT / 2, &n, &err), 0);
	assert_int_equal(n, 0);
	assert_int_equal(soft_of(pid), SOFT);
	assert_int_equal(cgroup_first(dir.fd, TOP "/a/b"), 0);
	end_one(pid);
	assert_int_equal(cgroup_mend(dir.fd, TOP "/a", PLAN, &n, &err), 0);
	assert_int_equal(n, 0);
}

/* By then its number may be another's. This pipe answers once, and its reader keeps it. */
UNIT_TEST("mend: a process that is listed no more when it is held stays")
{
	WITH_DIR(dir);
	pid_t pid = start_one();
	cleanup_fd reader = -1;
	size_t n;

	unit_write(dir.fd, TOP "/a/other", "", 0600);
	assert_int_equal(mkfifoat(dir.fd, TOP "/a/cgroup.procs", 0600), 0);
	reader = openat(dir.fd, TOP "/a/cgroup.procs", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	write_procs(&dir, TOP "/a", pid);
	assert_int_equal(cgroup_mend(dir.fd, TOP "/a", PLAN, &n, &err), 0);
	assert_int_equal(n, 0);
	assert_int_equal(soft_of(pid), SOFT);
	end_one(pid);
}

static const struct without_case {
	const char *name;
	unsigned call;
	const char *says;
	int dir;
} without_cases[] = {
	{"mend: a process that cannot be held is a failure", SYS_pidfd_open, "pidfd_open", -1},
	{"mend: one whose limit cannot be raised, too", SYS_prlimit64, "RLIMIT_MEMLOCK", -1},
};

/* As on a kernel, or behind a filter, without the call */
static int mend_without(const void *context)
{
	const struct without_case *row = context;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, row->call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {LENGTH(code), code};
	struct err err = {0};
	size_t n;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
		return UNIT_NOT_HERE;
	return cgroup_mend(row->dir, TOP "/a", PLAN, &n, &err) != -1 ||
	       !strstr(err.text, row->says);
}

UNIT_ROWS(without_cases)
{
	cleanup_unit_dir dir = unit_dir_make();
	struct without_case here = *row;

	here.dir = dir.fd;
	write_procs(&dir, TOP "/a", getpid());
	assert_int_equal(unit_result_of(mend_without, &here), 0);
}

UNIT_TEST("mend: a link leads to no cgroup, nor does no path")
{
	WITH_DIR(dir);
	pid_t pid = start_one();
	size_t n;

	write_procs(&dir, TOP "/other", pid);
	write_procs(&dir, TOP "/a", 1);
	assert_int_equal(symlinkat("../other", dir.fd, TOP "/a/b"), 0);
	assert_int_equal(cgroup_mend(dir.fd, TOP "/a", PLAN, &n, &err), -1);
	assert_int_equal(cgroup_mend(dir.fd, "", PLAN, &n, &err), -1);
	assert_int_equal(soft_of(pid), SOFT);
	end_one(pid);
}

UNIT_TEST("the first process is found, also below")
{
	cleanup_unit_dir dir = unit_dir_make();

	unit_write(dir.fd, TOP "/a/cgroup.procs", "4711\n4712\n", 0600);
	unit_write(dir.fd, TOP "/a/b/cgroup.procs", "4713\n", 0600);
	unit_write(dir.fd, TOP "/c/d/cgroup.procs", "4714\n", 0600);
	assert_int_equal(cgroup_first(dir.fd, TOP "/a"), 4711);
	assert_int_equal(cgroup_first(dir.fd, TOP "/c"), 4714);
	assert_int_equal(cgroup_first(dir.fd, TOP "/e"), 0);
	assert_int_equal(cgroup_first(dir.fd, ""), 0);
}
