/* SPDX-License-Identifier: Apache-2.0 */
/* Concurrent changes: an image swaps /etc for a link to the host, a container ends while the hook
 * works, a pid is reused. */
#include <linux/sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "core/nccl_conf.h"
#include "core/node/node.h"
#include "core/process/memlock.h"
#include "processes.h"

#define ROUNDS 500

/* ---- a root file system that changes ---- */

struct swapped {
	struct unit_dir dir; /* root/etc, root/other -> ../outside, outside */
	int root;
	pid_t swapper;
};

/* Keeps swapping root/etc between a directory of the image and a link to a host's. */
static struct swapped begin_swapping(void)
{
	struct swapped s = {.dir = unit_dir_make()};

	unit_write(s.dir.fd, "root/etc/x", "", 0644);
	unit_write(s.dir.fd, "outside/x", "", 0644);
	assert_int_equal(symlinkat("../outside", s.dir.fd, "root/other"), 0);
	s.root = openat(s.dir.fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	s.swapper = unit_fork();
	if (s.swapper == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			(void)renameat2(s.root, "etc", s.root, "other", RENAME_EXCHANGE);
	}
	return s;
}

static void end_swapping(struct swapped *s)
{
	(void)kill(s->swapper, SIGKILL);
	(void)waitpid(s->swapper, NULL, 0);
	(void)close(s->root);
	unit_dir_remove(&s->dir);
}

UNIT_TEST("swap: nothing is written outside of the root")
{
	struct swapped s = begin_swapping();
	int written = 0;
	int rounds = 0;

	/* Until both were seen: on a busy machine the swapper may stall for many rounds. */
	for (int i = 0; i < 1000 * ROUNDS && (i < ROUNDS || written == 0 || written == i); i++) {
		char lines[32];
		struct err err;
		bool changed;

		snprintf(lines, sizeof(lines), "NCCL_IB_TC=%d\n", i);
		if (nccl_conf_write(s.root, lines, &changed, &err) == 0)
			written++;
		else
			assert_one_line(&err);
		rounds++;
	}
	(void)kill(s.swapper, SIGSTOP);
	assert_int_equal(unit_stat(s.dir.fd, "outside/nccl.conf").st_ino, 0);
	/* Both were seen. */
	assert_in_range(written, 1, rounds - 1);
	end_swapping(&s);
}

UNIT_TEST("swap: the control, who looks first and opens then, is caught")
{
	struct swapped s = begin_swapping();
	time_t end = time(NULL) + UNIT_PATIENCE;
	bool caught = false;

	/* They rarely meet on one processor. */
	while (!caught && time(NULL) < end) {
		int fd = -1;

		if (S_ISDIR(unit_stat(s.root, "etc").st_mode))
			fd = openat(s.root, "etc/nccl.conf", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		if (fd >= 0)
			(void)close(fd);
		caught = unit_stat(s.dir.fd, "outside/nccl.conf").st_ino != 0;
	}
	assert_true(caught);
	end_swapping(&s);
}

/* ---- a process that ends ---- */

static int live_for(const void *context)
{
	for (volatile int i = *(const int *)context; i > 0; i--)
		;
	return 0;
}

/* The hook: its parent is also the process' parent. Exits with 1 if it found the process alive. */
static int raise_limit(const void *context)
{
	pid_t pid = *(const pid_t *)context;
	int pidfd;
	struct err err;
	bool changed;
	int alive = process_open(pid, "a-container", NULL, &pidfd, &err);

	if (alive > 0 && process_raise_memlock(pid, pidfd, 1, &changed, &err) < 0)
		alive = -1;
	return alive < 0 ? 2 : alive;
}

UNIT_TEST("end: containers that end meanwhile are no error")
{
	int counts[3] = {0};
	int rounds = 0;

	/* Until both were seen: either can be rare on a busy machine or one processor, where a
	 * process is only met alive if it outlives its time slice. */
	for (int i = 0; i < ROUNDS || (i < 100 * ROUNDS && (counts[0] == 0 || counts[0] == i));
	     i++) {
		int loops = i % 50 * 2000 << (i / ROUNDS < 12 ? i / ROUNDS : 12);
		pid_t container = unit_start(live_for, &loops);
		pid_t hook = unit_start(raise_limit, &container);
		int status;

		/* Reap it while the hook works, which frees the pid. */
		assert_int_equal(waitpid(container, NULL, 0), container);
		assert_int_equal(waitpid(hook, &status, 0), hook);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 2);
		counts[WEXITSTATUS(status)]++;
		rounds++;
	}
	assert_int_equal(counts[2], 0);
	assert_in_range(counts[0], 1, rounds - 1);
}

/* ---- a pid that means another process ---- */

/* fork(2) with that pid; -1 if it is taken, or we may not choose */
static pid_t fork_as(pid_t pid)
{
	struct clone_args how = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1};

	return (pid_t)syscall(SYS_clone3, &how, sizeof(how));
}

/* Pid 1 is taken; without the right to choose, the error differs. */
static bool may_choose_pids(void)
{
	return fork_as(1) < 0 && errno == EEXIST;
}

/* The kernel hands out all other pids first. */
static pid_t start_as(pid_t pid)
{
	pid_t got = fork_as(pid);

	if (got == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			(void)pause();
	}
	return got;
}

UNIT_TEST_IF(may_choose_pids(), "pid: what a reused one means now is left alone")
{
	const struct rlimit64 low = {1 << 16, 1 << 16};
	int pidfd;
	struct rlimit64 limit;
	struct err err;
	bool changed = true;
	pid_t container = unit_start(sleep_long, NULL);

	pidfd = (int)syscall(SYS_pidfd_open, container, 0);
	assert_true(pidfd >= 0);
	(void)kill(container, SIGKILL);
	assert_int_equal(waitpid(container, NULL, 0), container);
	assert_int_equal(start_as(container), container);
	assert_int_equal(prlimit64(container, RLIMIT_MEMLOCK, &low, NULL), 0);
	assert_int_equal(process_raise_memlock(container, pidfd, 1 << 20, &changed, &err), 0);
	assert_false(changed);
	assert_int_equal(prlimit64(container, RLIMIT_MEMLOCK, NULL, &limit), 0);
	assert_int_equal(limit.rlim_cur, 1 << 16);
	/* A later look does not take it for the container either. */
	assert_int_equal(process_open(container, "a-container", NULL, &pidfd, &err), -1);
	assert_has(err.text, "is not a process of container");
	end(container);
	(void)close(pidfd);
}

/* ---- what is mounted over the kernel's files ---- */

/* In a mount namespace of its own: 0 correct, 1 if a faked mount was believed, UNIT_NOT_HERE if the
 * mount is not allowed */
static int look_at_forged_files(UNUSED const void *context)
{
	int pidfd;
	struct node node = NODE_NONE;
	struct err err;
	char path[64];
	bool refused;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("forged", "/proc", "tmpfs", 0, NULL) < 0 ||
	    mount("forged", "/sys", "tmpfs", 0, NULL) < 0)
		return UNIT_NOT_HERE;
	snprintf(path, sizeof(path), "/proc/%d", getppid());
	(void)mkdir(path, 0755);
	(void)mkdir("/sys/dev", 0755);
	(void)mkdir("/sys/dev/char", 0755);
	refused = process_open(getppid(), "a-container", NULL, &pidfd, &err) == -1 &&
		  strstr(err.text, "Operation not supported") && node_open("/", &node, &err) < 0 &&
		  strstr(err.text, "is not sysfs");
	return !refused;
}

UNIT_TEST_FOR_ROOT("/proc, /sys: what is mounted over them is not believed")
{
	assert_int_equal(unit_result_of(look_at_forged_files, NULL), 0);
}

int main(void)
{
	return unit_main("races");
}
