/* SPDX-License-Identifier: Apache-2.0 */
/* Whose is a process? With real processes and /proc; concurrency: races.c */
#include "processes.h"

#include <limits.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* The descriptor holds a living process and is close-on-exec. */
static bool is_held(int pidfd)
{
	return fcntl(pidfd, F_GETFD) == FD_CLOEXEC &&
	       syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == 0;
}

/* process_open as an exit status: 0 ended, 1 the container's, 2 not the container's */
static int judge(pid_t pid, const char *cgroup)
{
	cleanup_fd pidfd = -1;
	struct err err;
	int found = process_open(pid, ID, cgroup, &pidfd, &err);

	if (found == 1 && !is_held(pidfd))
		return 5;
	if (found < 0)
		return strstr(err.text, "is not a process of container " ID ":") ? 2 : 3;
	return found;
}

UNIT_TEST("pids that name no container's process are refused")
{
	static const int64_t pids[] = {INT64_MIN, -1, 0, 1, (int64_t)INT_MAX + 1, INT64_MAX};

	for (size_t i = 0; i < LENGTH(pids); i++) {
		int pidfd = -1;
		struct err err;

		assert_int_equal(process_open(pids[i], ID, NULL, &pidfd, &err), -1);
		assert_has(err.text, "is not the process of a container");
		assert_int_equal(pidfd, -1);
	}
}

UNIT_TEST("one that has ended is no error")
{
	pid_t pid = unit_start(sleep_long, NULL);

	end(pid);
	assert_int_equal(judge(pid, NULL), 0);
}

/* A zombie has a pid and /proc, but needs no limit. */
UNIT_TEST("one that nobody has waited for has ended")
{
	siginfo_t info;
	pid_t pid = unit_start(sleep_long, NULL);

	(void)kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(judge(pid, NULL), 0);
	end(pid);
}

static int judge_child(const void *context)
{
	return judge(*(const pid_t *)context, NULL);
}

/* Opens this many more descriptors. 0: the failed open is reported */
static int judge_with(rlim_t descriptors, const char *reason)
{
	int pidfd;
	cleanup_fd lowest = dup(STDIN_FILENO);
	rlim_t limit = (rlim_t)lowest + descriptors;
	pid_t pid = getppid();
	struct err err;

	(void)close(lowest);
	lowest = -1;
	if (prlimit64(0, RLIMIT_NOFILE, &(struct rlimit64){limit, limit}, NULL) < 0)
		return UNIT_NOT_HERE;
	if (process_open(pid, ID, NULL, &pidfd, &err) != -1)
		return 1;
	return strstr(err.text, reason) && strstr(err.text, "Too many open files") ? 0 : 2;
}

static int judge_without_a_descriptor(UNUSED const void *context)
{
	return judge_with(0, "pidfd_open of pid ");
}

static int judge_with_one_descriptor(UNUSED const void *context)
{
	return judge_with(1, "/proc/");
}

/* "has ended" only if the process does not exist */
UNIT_TEST("one that cannot be opened is an error")
{
	assert_int_equal(unit_result_of(judge_without_a_descriptor, NULL), 0);
	assert_int_equal(unit_result_of(judge_with_one_descriptor, NULL), 0);
}

/* We play the runtime: hook and container are our children. */
UNIT_TEST("a child of the runtime is the container's")
{
	pid_t container = unit_start(sleep_long, NULL);

	assert_int_equal(unit_result_of(judge_child, &container), 1);
	end(container);
}

/* result_of() in a child, which runs no checks itself */
static int status_of(int (*body)(const void *), const void *context)
{
	pid_t pid = unit_start(body, context);
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

static int run_hook(const void *context)
{
	return status_of(judge_child, context);
}

/* We play conmon: runtime (which starts the hook) and container are our children. */
UNIT_TEST("so is a child of the runtime's parent, conmon")
{
	pid_t container = unit_start(sleep_long, NULL);

	assert_int_equal(unit_result_of(run_hook, &container), 1);
	end(container);
}

static int judge_runtime(UNUSED const void *context)
{
	return judge(getppid(), NULL);
}

/* We are init of a pid namespace: parent of an orphan, and of the runtime. */
static int judge_an_orphan(UNUSED const void *context)
{
	const pid_t orphan = unit_start(sleep_long, NULL);
	int judged;

	if (mount("proc", "/proc", "proc", 0, NULL) < 0)
		return UNIT_NOT_HERE;
	judged = status_of(run_hook, &orphan);
	end(orphan);
	return judged;
}

static int in_a_process_namespace(const void *context)
{
	if (unshare(CLONE_NEWNS | CLONE_NEWPID) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return UNIT_NOT_HERE;
	return status_of(judge_an_orphan, context);
}

UNIT_TEST_FOR_ROOT("an orphan is not, although the runtime's parent is init, too")
{
	assert_int_equal(unit_result_of(in_a_process_namespace, NULL), 2);
}

UNIT_TEST("the runtime itself is not")
{
	assert_int_equal(unit_result_of(judge_runtime, NULL), 2);
}

/* Takes a name that fakes the rest of /proc/PID/stat, where the kernel does not escape it
 * (fs/proc/array.c, proc_task_name): a naive reader sees a child of context. */
static int pretend_child(const void *context)
{
	char name[16];

	snprintf(name, sizeof(name), "x) R %d\n", *(const pid_t *)context);
	(void)prctl(PR_SET_NAME, name);
	(void)kill(getpid(), SIGSTOP);
	return sleep_long(NULL);
}

static int judge_a_pretended_child(UNUSED const void *context)
{
	pid_t runtime = getppid();
	pid_t stranger = unit_start(pretend_child, &runtime);
	int judged;
	int status;

	(void)waitpid(stranger, &status, WUNTRACED);
	judged = judge(stranger, NULL);
	end(stranger);
	return judged;
}

UNIT_TEST("nor is a process whose name says that it is the runtime's child")
{
	assert_int_equal(unit_result_of(judge_a_pretended_child, NULL), 2);
}

struct cgroup {
	const char *name;
	const char *text;   /* /proc/<pid>/cgroup */
	const char *cgroup; /* the last part of linux.cgroupsPath */
	int judged;
};

/* Longer than we read, though the first line would suffice */
static char long_cgroup[64 * 1024 + 2];

static const struct cgroup cgroups[] = {
	{"cgroup of CRI-O, systemd", "0::/kubepods.slice/kubepods-pod1.slice/crio-" ID ".scope\n",
	 NULL, 1},
	{"cgroup of CRI-O, below the container's own",
	 "0::/kubepods.slice/crio-" ID ".scope/container\n", NULL, 1},
	{"cgroup of podman", "0::/machine.slice/libpod-" ID ".scope/container\n", NULL, 1},
	{"cgroup by cgroupfs", "0::/kubepods/besteffort/pod1/" ID "\n", NULL, 1},
	{"cgroup v1, one of several lines", "9:name=systemd:/a\n8:pids:/kubepods/" ID "\n0::/\n",
	 NULL, 1},
	{"cgroup: no line's end", "0::/kubepods/" ID, NULL, 1},
	{"cgroup: named by linux.cgroupsPath alone", "0::/user.slice/mine.scope\n", "mine", 1},
	{"cgroup: another container", "0::/kubepods.slice/crio-decaf.scope\n", NULL, 2},
	{"cgroup: another, and linux.cgroupsPath another still", "0::/user.slice/mine.scope\n",
	 "yours", 2},
	{"cgroup: an id that goes on", "0::/kubepods.slice/crio-" ID "1.scope\n", NULL, 2},
	{"cgroup: an id within a word", "0::/kubepods.slice/crio-1" ID ".scope\n", NULL, 2},
	{"cgroup: within a word first, and then whole", "0::/x" ID "/crio-" ID ".scope\n", NULL, 1},
	{"cgroup: a service that is called so", "0::/system.slice/crio-" ID ".service\n", NULL, 2},
	{"cgroup: longer than what is read", long_cgroup, NULL, 2},
};

static void fill_long_cgroup(void)
{
	static const char line[] = "0::/machine.slice/libpod-" ID ".scope\n";

	memset(long_cgroup, '\n', sizeof(long_cgroup) - 1);
	memcpy(long_cgroup, line, strlen(line));
}

struct forgery {
	const struct cgroup *row;
	const char *file;
};

/* A stranger with the row's cgroup */
static int judge_cgroup(const void *context)
{
	const struct forgery *forgery = context;
	char path[64];
	pid_t stranger;
	int judged = UNIT_NOT_HERE;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return UNIT_NOT_HERE;
	stranger = unit_start(sleep_long, NULL);
	snprintf(path, sizeof(path), "/proc/%d/cgroup", stranger);
	if (mount(forgery->file, path, NULL, MS_BIND, NULL) == 0)
		judged = judge(stranger, forgery->row->cgroup);
	end(stranger);
	return judged;
}

UNIT_ROWS_FOR_ROOT(cgroups)
{
	cleanup_unit_dir dir = unit_dir_make();
	char file[512];

	snprintf(file, sizeof(file), "%s/cgroup", dir.path);
	unit_write(dir.fd, "cgroup", row->text, 0644);
	assert_int_equal(unit_result_of(judge_cgroup, &(struct forgery){row, file}), row->judged);
}

int main(void)
{
	fill_long_cgroup();
	return unit_main("owner");
}
