/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"

uint64_t process_stat_read(int dir, const char *path, int field)
{
	cleanup_fd fd = fs_open(dir, path, O_RDONLY, RESOLVE_IN_ROOT);
	/* At most 52 fields of 20 digits and a name of 63 bytes, in one read (fs/seq_file.c). No
	 * allocation: a failure would look like another process. */
	static char text[2048];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	const char *at;

	if (n < 0 || (size_t)n == sizeof(text))
		return 0;
	text[n] = '\0';
	at = strrchr(text, ')');
	for (int passed = 2; at && passed < field; passed++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

/* Is it a podman pod's (libpod/runtime_pod_linux.go)? from: the text's start */
static bool is_pods(const char *from, const char *id)
{
	static const char *const before[] = {"/libpod_parent/", "libpod_pod_"};

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		size_t len = strlen(before[i]);

		if ((size_t)(id - from) >= len && memcmp(id - len, before[i], len) == 0)
			return true;
	}
	return false;
}

const char *cgroup_find_id(const char *from, const char *to)
{
	for (const char *at = from; at < to;) {
		size_t len = strspn(at, "0123456789abcdef");

		if (len == CGROUP_ID_LENGTH && at + len <= to && !is_pods(from, at))
			return at;
		at += len + 1;
	}
	return NULL;
}

bool cgroup_names(const char *cgroups, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = cgroups; (at = strstr(at, name)); at++) {
		const char *end = at + len;
		const char *line = memrchr(cgroups, '\n', (size_t)(at - cgroups));
		const char *part = memrchr(cgroups, '/', (size_t)(at - cgroups));

		/* With writable cgroups it can make any name, but only below its own. */
		if (part && strchr("/-", at[-1]) &&
		    (strchr("/\n", *end) || text_starts_with(end, ".scope")) &&
		    !cgroup_find_id(line ? line : cgroups, part))
			return true;
	}
	return false;
}

int process_open_proc(pid_t pid)
{
	char path[32];
	struct statfs fs;
	cleanup_fd fd = -1;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	fd = openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return fstatfs(fd, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC ? -ENOTSUP : steal_fd(&fd);
}

static bool in_cgroup(int proc, const char *id, const char *cgroup)
{
	cleanup_arena arena = {0};
	cleanup_fd fd = fs_open(proc, "cgroup", O_RDONLY, RESOLVE_BENEATH);
	struct fs_text text;
	static struct err ignored;

	if (fd < 0 || fs_read(&arena, fd, 64 * 1024, "cgroup", &text, &ignored) < 0)
		return false;
	return cgroup_names(text.bytes, id) || (cgroup && cgroup_names(text.bytes, cgroup));
}

/* The init is our parent's child; with a user namespace crun forks again, and it falls to our
 * parent's parent, conmon. */
static bool started_by_our_runtime(pid_t pid, int proc)
{
	cleanup_fd runtime = process_open_proc(getppid());
	uint64_t parent = process_stat_read(proc, "stat", PROCESS_STAT_PARENT);

	return pid != getppid() && parent > 1 &&
	       (parent == (uint64_t)getppid() ||
		(runtime >= 0 &&
		 parent == process_stat_read(runtime, "stat", PROCESS_STAT_PARENT)));
}

bool process_has_ended(int pidfd)
{
	struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};

	/* If poll fails, assume it lives: prlimit(2) would fail. */
	return poll(&poll_fd, 1, 0) > 0 && poll_fd.revents & POLLIN;
}

int process_open(int64_t pid, const char *id, const char *cgroup, int *ret_pidfd, struct err *err)
{
	cleanup_fd pidfd = -1;
	cleanup_fd proc = -1;
	bool proven;

	/* 0 is ourselves for prlimit(2), and crun's createContainer sends it. 1 is init. */
	if (pid <= 1 || pid > INT_MAX)
		return err_set(err, "pid %lld in the state JSON is not the process of a container",
			       (long long)pid);
	pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	if (pidfd < 0 && errno == ESRCH)
		return 0;
	if (pidfd < 0)
		return err_sys(err, errno, "pidfd_open of pid %d", (pid_t)pid);
	proc = process_open_proc((pid_t)pid);
	if (proc < 0 && proc != -ENOENT)
		return err_sys(err, -proc, "/proc/%d", (pid_t)pid);
	proven = proc >= 0 &&
		 (in_cgroup(proc, id, cgroup) || started_by_our_runtime((pid_t)pid, proc));
	/* If alive now, /proc/<pid> was its own. */
	if (proc < 0 || process_has_ended(pidfd))
		return 0;
	if (!proven)
		return err_set(err,
			       "pid %d is not a process of container %.80s: neither its cgroup nor "
			       "its parent process belongs to that container",
			       (pid_t)pid, id);
	*ret_pidfd = steal_fd(&pidfd);
	return 1;
}

uint64_t own_lacks_capabilities(uint64_t capabilities)
{
	uint64_t lacking = 0;

	for (int number = 0; number < 64; number++) {
		uint64_t bit = UINT64_C(1) << number;

		if (capabilities & bit && prctl(PR_CAPBSET_READ, number, 0, 0, 0) != 1)
			lacking |= bit;
	}
	return lacking;
}
