/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The container's first process: whose it is, told by real processes and their /proc, and what is
 * done to its limit. What happens at the same time is in test_races.c.
 */
#include "unit.h"

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/capability.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "core/plan/memlock.h"
#include "core/process/process.h"

#define ID "c0ffee"

/* What a child says that this machine does not let do what it tests */
#define NOT_HERE 77

/* ---- processes ---- */

static pid_t start(int (*body)(const void *), const void *context)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		int status = body(context);

		_exit(status);
	}
	return pid;
}

static void end(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

/* What body returns in a process of its own; skips the test if that is NOT_HERE. */
static int result_of(int (*body)(const void *), const void *context)
{
	pid_t pid = start(body, context);
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NOT_HERE)
		skip();
	return WEXITSTATUS(status);
}

static int sleep_long(const void *context)
{
	(void)context;
	(void)pause();
	return 0;
}

/* What was opened is that process, held until it is closed, and by nothing that we start. */
static bool is_held(struct process *process, pid_t pid)
{
	const int fds[] = {process->pidfd, process->proc};
	bool held = process->pid == pid && fcntl(fds[0], F_GETFD) == FD_CLOEXEC &&
		    fcntl(fds[1], F_GETFD) == FD_CLOEXEC;

	process_close(process);
	return held && fcntl(fds[0], F_GETFD) < 0 && fcntl(fds[1], F_GETFD) < 0;
}

/* process_open as an exit status: 0 ended, 1 the container's, 2 not the container's */
static int judge(pid_t pid, const char *cgroup)
{
	struct process process = PROCESS_NONE;
	struct err err;
	int found = process_open(pid, ID, cgroup, &process, &err);

	if (found == 1 && !is_held(&process, pid))
		return 5;

	if (found < 0)
		return strstr(err.text, "is not a process of container " ID ":") ? 2 : 3;
	return found;
}

/* ---- whose it is ---- */

static void pids_that_name_no_process_are_refused(void **state)
{
	static const int64_t pids[] = {INT64_MIN, -1, 0, 1, (int64_t)INT_MAX + 1, INT64_MAX};

	(void)state;
	for (size_t i = 0; i < LENGTH(pids); i++) {
		struct process process = PROCESS_NONE;
		struct err err;

		assert_int_equal(process_open(pids[i], ID, NULL, &process, &err), -1);
		assert_has(err.text, "is not the process of a container");
		assert_int_equal(process.pidfd, -1);
	}
}

static void one_that_has_ended_is_no_error(void **state)
{
	pid_t pid = start(sleep_long, NULL);

	(void)state;
	end(pid);
	assert_int_equal(judge(pid, NULL), 0);
}

/* A zombie still has a pid and a /proc: nobody is left there to be served. */
static void one_that_nobody_has_waited_for_has_ended(void **state)
{
	siginfo_t info;
	pid_t pid = start(sleep_long, NULL);

	(void)state;
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(judge(pid, NULL), 0);
	end(pid);
}

static int judge_child(const void *context)
{
	return judge(*(const pid_t *)context, NULL);
}

/* Opens that many descriptors more, and no other. 0: what does not open then is said */
static int judge_with(rlim_t descriptors, const char *reason)
{
	struct process process = PROCESS_NONE;
	cleanup_fd lowest = dup(STDIN_FILENO);
	rlim_t limit = (rlim_t)lowest + descriptors;
	pid_t pid = getppid();
	struct err err;

	(void)close(lowest);
	lowest = -1;
	if (prlimit64(0, RLIMIT_NOFILE, &(struct rlimit64){limit, limit}, NULL) < 0)
		return NOT_HERE;
	if (process_open(pid, ID, NULL, &process, &err) != -1)
		return 1;
	return strstr(err.text, reason) && strstr(err.text, "Too many open files") ? 0 : 2;
}

static int judge_without_a_descriptor(const void *context)
{
	(void)context;
	return judge_with(0, "pidfd_open of pid ");
}

static int judge_with_one_descriptor(const void *context)
{
	(void)context;
	return judge_with(1, "/proc/");
}

/* Only of a process that is not there is it said that it has ended. */
static void one_that_cannot_be_opened_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(result_of(judge_without_a_descriptor, NULL), 0);
	assert_int_equal(result_of(judge_with_one_descriptor, NULL), 0);
}

/* The hook is our child, and so is the container: we are the runtime. */
static void a_child_of_the_runtime_is_the_containers(void **state)
{
	pid_t container = start(sleep_long, NULL);

	(void)state;
	assert_int_equal(result_of(judge_child, &container), 1);
	end(container);
}

/* As result_of, in a child, which tests nothing itself */
static int status_of(int (*body)(const void *), const void *context)
{
	pid_t pid = start(body, context);
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

static int run_hook(const void *context)
{
	return status_of(judge_child, context);
}

/* We are conmon: the runtime, which starts the hook, and the container are our children. */
static void so_is_a_child_of_the_runtimes_parent(void **state)
{
	pid_t container = start(sleep_long, NULL);

	(void)state;
	assert_int_equal(result_of(run_hook, &container), 1);
	end(container);
}

static int judge_runtime(const void *context)
{
	(void)context;
	return judge(getppid(), NULL);
}

/* In a process namespace of our own we are its init: whose parent has ended is our child, as what
 * the runtime has started is where its own has. */
static int judge_an_orphan(const void *context)
{
	const pid_t orphan = start(sleep_long, NULL);
	int judged;

	(void)context;
	if (mount("proc", "/proc", "proc", 0, NULL) < 0)
		return NOT_HERE;
	judged = status_of(run_hook, &orphan);
	end(orphan);
	return judged;
}

static int in_a_process_namespace(const void *context)
{
	if (unshare(CLONE_NEWNS | CLONE_NEWPID) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return NOT_HERE;
	return status_of(judge_an_orphan, context);
}

static void an_orphan_is_nobodys(void **state)
{
	(void)state;
	assert_int_equal(result_of(in_a_process_namespace, NULL), 2);
}

static void the_runtime_itself_is_not(void **state)
{
	(void)state;
	assert_int_equal(result_of(judge_runtime, NULL), 2);
}

/*
 * Takes a name that ends its line in /proc/PID/stat, which the kernel does not escape there
 * (fs/proc/array.c, proc_task_name): to a reader of that line it is the child of context.
 */
static int pretend_child(const void *context)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "x) R %d\n", *(const pid_t *)context);
	(void)prctl(PR_SET_NAME, name);
	(void)kill(getpid(), SIGSTOP);
	return sleep_long(NULL);
}

static int judge_a_pretended_child(const void *context)
{
	pid_t runtime = getppid();
	pid_t stranger = start(pretend_child, &runtime);
	int judged;
	int status;

	(void)context;
	(void)waitpid(stranger, &status, WUNTRACED);
	judged = judge(stranger, NULL);
	end(stranger);
	return judged;
}

static void nor_one_whose_name_says_so(void **state)
{
	(void)state;
	assert_int_equal(result_of(judge_a_pretended_child, NULL), 2);
}

static int judge_stranger(const void *context)
{
	pid_t stranger = start(sleep_long, NULL);
	int judged = judge(stranger, NULL);

	(void)context;
	end(stranger);
	return judged;
}

static void nor_is_what_the_hook_would_have_started(void **state)
{
	(void)state;
	assert_int_equal(result_of(judge_stranger, NULL), 2);
}

struct cgroup {
	const char *name;
	const char *text;   /* /proc/<pid>/cgroup */
	const char *cgroup; /* the last part of linux.cgroupsPath */
	int judged;
};

/* More than is read of it, although its first line would do */
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
	{"cgroup: the text begins with it", ID "/x\n", NULL, 2},
	{"cgroup: empty", "", NULL, 2},
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

/* A stranger whose cgroup the kernel says as the row does */
static int judge_cgroup(const void *context)
{
	const struct forgery *forgery = context;
	char path[64];
	pid_t stranger;
	int judged = NOT_HERE;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return NOT_HERE;
	stranger = start(sleep_long, NULL);
	(void)snprintf(path, sizeof(path), "/proc/%d/cgroup", stranger);
	if (mount(forgery->file, path, NULL, MS_BIND, NULL) == 0)
		judged = judge(stranger, forgery->row->cgroup);
	end(stranger);
	return judged;
}

static void its_cgroup_says_whose_it_is(void **state)
{
	const struct cgroup *row = *state;
	cleanup_unit_dir dir = unit_dir_make();
	char file[512];

	(void)snprintf(file, sizeof(file), "%s/cgroup", dir.path);
	unit_write(dir.fd, "cgroup", row->text, 0644);
	assert_int_equal(result_of(judge_cgroup, &(struct forgery){row, file}), row->judged);
}

/* ---- its limit ---- */

#define LOW ((struct rlimit64){1 << 16, 1 << 16})

static void drop_resource_capability(void)
{
	cap_t capabilities = cap_get_proc();
	cap_value_t value = CAP_SYS_RESOURCE;

	(void)cap_set_flag(capabilities, CAP_EFFECTIVE, 1, &value, CAP_CLEAR);
	(void)cap_set_proc(capabilities);
	(void)cap_free(capabilities);
}

struct limit_case {
	const char *name;
	struct rlimit64 before;
	uint64_t bytes;
	struct rlimit64 after;
	bool changed;
};

static const struct limit_case limit_cases[] = {
	{"limit: a soft one goes up to the hard one", {1 << 15, 1 << 16}, 1 << 16, LOW, true},
	{"limit: what is high enough stays", LOW, 1 << 16, LOW, false},
	{"limit: what is higher stays", LOW, 1 << 12, LOW, false},
};

static void a_limit_is_only_ever_raised(void **state)
{
	const struct limit_case *row = *state;
	struct process process = PROCESS_NONE;
	struct rlimit64 limit;
	struct err err;
	bool changed = !row->changed;
	pid_t pid = start(sleep_long, NULL);

	assert_int_equal(prlimit64(pid, RLIMIT_MEMLOCK, &row->before, NULL), 0);
	/* Our own child is not "started by our runtime" for us: held here by hand. */
	process.pid = pid;
	process.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	assert_int_equal(process_raise_memlock(&process, row->bytes, &changed, &err), 0);
	assert_int_equal(changed, row->changed);
	assert_int_equal(prlimit64(pid, RLIMIT_MEMLOCK, NULL, &limit), 0);
	assert_memory_equal(&limit, &row->after, sizeof(limit));
	end(pid);
	/* Its end is no error, whatever the limit would have been. */
	assert_int_equal(process_raise_memlock(&process, UINT64_MAX, &changed, &err), 0);
	assert_false(changed);
	process_close(&process);
}

/* 0: refused, and said why */
static int raise_without_the_right(const void *context)
{
	struct process process = {.pid = *(const pid_t *)context, .pidfd = -1, .proc = -1};
	struct err err;
	bool changed = false;

	drop_resource_capability();
	if (process_raise_memlock(&process, 1 << 20, &changed, &err) == 0 || changed)
		return 1;
	return strstr(err.text, "needs CAP_SYS_RESOURCE on the node") ? 0 : 2;
}

static void without_the_right_it_is_an_error(void **state)
{
	pid_t pid = start(sleep_long, NULL);
	struct rlimit64 limit;

	(void)state;
	assert_int_equal(prlimit64(pid, RLIMIT_MEMLOCK, &LOW, NULL), 0);
	assert_int_equal(result_of(raise_without_the_right, &pid), 0);
	assert_int_equal(prlimit64(pid, RLIMIT_MEMLOCK, NULL, &limit), 0);
	assert_memory_equal(&limit, &LOW, sizeof(limit));
	end(pid);
}

/* 0: it may not even be asked for, and that is said */
static int raise_anothers(const void *context)
{
	struct process process = {.pid = *(const pid_t *)context, .pidfd = -1, .proc = -1};
	struct err err;
	bool changed = true;

	if (setresuid(65534, 65534, 65534) < 0)
		return NOT_HERE;
	if (process_raise_memlock(&process, 1 << 20, &changed, &err) == 0 || changed)
		return 1;
	return strstr(err.text, "RLIMIT_MEMLOCK of pid ") ? 0 : 2;
}

static void what_another_users_is_cannot_be_told(void **state)
{
	pid_t pid = start(sleep_long, NULL);

	(void)state;
	assert_int_equal(result_of(raise_anothers, &pid), 0);
	end(pid);
}

/* What the kernel lets us do is what we say of it. Exits with 0 if both agree on all amounts. */
static int ask_and_try(const void *context)
{
	static const uint64_t amounts[] = {0, 1 << 16, (1 << 16) + 1, 1 << 20, UINT64_MAX};
	struct err err;

	if (context)
		drop_resource_capability();
	if (prlimit64(0, RLIMIT_MEMLOCK, &LOW, NULL) < 0)
		return NOT_HERE;
	for (size_t i = 0; i < LENGTH(amounts); i++) {
		struct rlimit64 limit = LOW;
		int said = process_may_have_memlock(amounts[i], &err);

		if (said < 0 && !strstr(err.text, "cannot be raised above 65536 bytes"))
			return 1;
		(void)memlock_raise(&limit, amounts[i]);
		if (prlimit64(0, RLIMIT_MEMLOCK, &limit, NULL) != said)
			return 2;
		/* Down again, which everybody may */
		(void)prlimit64(0, RLIMIT_MEMLOCK, &LOW, NULL);
	}
	return 0;
}

/* All capabilities, but of a user namespace */
static int ask_and_try_in_a_user_namespace(const void *context)
{
	uid_t outside = geteuid();
	int fd;

	if (unshare(CLONE_NEWUSER) < 0)
		return NOT_HERE;
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || dprintf(fd, "0 %u 1\n", outside) < 0)
		return NOT_HERE;
	(void)close(fd);
	return ask_and_try(context);
}

static void what_may_be_had_is_what_the_kernel_gives(void **state)
{
	(void)state;
	assert_int_equal(result_of(ask_and_try, NULL), 0);
	assert_int_equal(result_of(ask_and_try, &LOW), 0);
}

static void the_rights_of_a_user_namespace_raise_nothing(void **state)
{
	(void)state;
	assert_int_equal(result_of(ask_and_try_in_a_user_namespace, NULL), 0);
}

/* ---- the ids of its root ---- */

struct mapping {
	const char *name;
	const char *uid_map;
	const char *gid_map;
	int64_t uid; /* -1: no root */
	int64_t gid;
};

static const struct mapping mappings[] = {
	{"ids of root: podman's", "0 100000 65536\n", "0 200000 65536\n", 100000, 200000},
	{"ids of root: in a second line", "1 300000 10\n0 1000 1\n", "5 100000 2\n0 1001 1\n", 1000,
	 1001},
	{"ids of root: no root", "1 100000 65536\n", "0 100000 65536\n", -1, -1},
	{"ids of root: no group of root's", "0 100000 65536\n", "1 100000 65536\n", -1, -1},
	{"ids of root: nothing is mapped yet", NULL, NULL, -1, -1},
};

static int live_in_a_user_namespace(const void *context)
{
	int ready = *(const int *)context;

	if (unshare(CLONE_NEWUSER) < 0)
		return NOT_HERE;
	(void)!write(ready, "x", 1);
	(void)pause();
	return 0;
}

static void map(pid_t pid, const char *which, const char *text)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, which);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	(void)close(fd);
}

static void the_ids_of_root_are_the_hosts(void **state)
{
	const struct mapping *row = *state;
	struct process process = PROCESS_NONE;
	uid_t uid = 1;
	gid_t gid = 1;
	struct err err;
	char path[32];
	char byte;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	process.pid = start(live_in_a_user_namespace, &ends[1]);
	(void)close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		skip(); /* user namespaces are not allowed here */
	(void)close(ends[0]);
	if (row->uid_map)
		map(process.pid, "uid_map", row->uid_map);
	if (row->gid_map)
		map(process.pid, "gid_map", row->gid_map);
	(void)snprintf(path, sizeof(path), "/proc/%d", process.pid);
	process.proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(process_root_ids(&process, &uid, &gid, &err), row->uid < 0 ? -1 : 0);
	if (row->uid < 0) {
		assert_has(err.text, "has no mapping for root");
		assert_one_line(&err);
	} else {
		assert_int_equal(uid, row->uid);
		assert_int_equal(gid, row->gid);
	}
	end(process.pid);
	/* Of a process that has ended */
	assert_int_equal(process_root_ids(&process, &uid, &gid, &err), -1);
	process_close(&process);
}

/* ---- its runtime's command line and environment ---- */

/* What the runtime runs until it is ended: by then its line has been read. */
#define WAIT "echo; read line"

struct started {
	int (*execute)(const void *);
	const void *context;
	int says[2];
	int waits[2];
};

static int execute(const void *context)
{
	const struct started *runtime = context;

	if (dup2(runtime->waits[0], STDIN_FILENO) < 0 || dup2(runtime->says[1], STDOUT_FILENO) < 0)
		return NOT_HERE;
	return runtime->execute(runtime->context);
}

/* Returns when the shell runs: before, not all of /proc is its own. */
static pid_t start_shell(int (*body)(const void *), const void *context)
{
	struct started runtime = {.execute = body, .context = context};
	pid_t pid;
	char byte;

	assert_int_equal(pipe(runtime.says), 0);
	assert_int_equal(pipe(runtime.waits), 0);
	pid = start(execute, &runtime);
	(void)close(runtime.says[1]);
	assert_int_equal(read(runtime.says[0], &byte, 1), 1);
	(void)close(runtime.says[0]);
	(void)close(runtime.waits[0]);
	/* It holds the other end of what it waits for, too. */
	(void)close(runtime.waits[1]);
	return pid;
}

struct command_line {
	const char *name;
	const char *argument[6];
	const char *bundle; /* NULL: it names none */
};

static const struct command_line command_lines[] = {
	{"--bundle DIR", {"create", "--bundle", "/b/1", "id"}, "/b/1"},
	{"--bundle=DIR", {"--root=/r", "create", "--bundle=/b/2", "id"}, "/b/2"},
	{"-b DIR", {"create", "-b", "/b/3", "id"}, "/b/3"},
	{"the first counts", {"create", "-b", "/b/4", "--bundle=/b/5"}, "/b/4"},
	{"none", {"create", "id", "--bundles", "/b/6"}, NULL},
	{"nothing behind it", {"create", "--bundle"}, NULL},
	{"longer than there is room", {"create", "--bundle", "/b/789"}, NULL},
};

static int run_command(const void *context)
{
	const struct command_line *row = context;
	const char *argv[10] = {"runtime", "-c", WAIT, NULL};

	for (size_t i = 0; i < LENGTH(row->argument) && row->argument[i]; i++)
		argv[3 + i] = row->argument[i];
	(void)execv("/bin/sh", (char **)argv);
	return NOT_HERE;
}

static void the_bundle_is_on_the_runtimes_command_line(void **state)
{
	const struct command_line *row = *state;
	pid_t shell = start_shell(run_command, row);
	char path[6] = "";

	assert_int_equal(process_bundle_argument(shell, path, sizeof(path)), row->bundle != NULL);
	if (row->bundle)
		assert_string_equal(path, row->bundle);
	end(shell);
	assert_false(process_bundle_argument(shell, path, sizeof(path)));
}

struct environment {
	const char *name;
	const char *variable[4];
	bool has; /* one called MARK */
};

static const struct environment environments[] = {
	{"the first", {"MARK=1", "B=2"}, true},
	{"the last", {"A=1", "B=2", "MARK=1"}, true},
	{"without a value", {"MARK="}, true},
	{"a longer name", {"MARKS=1"}, false},
	{"a shorter name", {"MAR=1", "MAR=K=1"}, false},
	{"another name", {"MARC=1"}, false},
	{"in another's value", {"A=MARK=1", "B=2"}, false},
	{"no variable at all", {"MARK"}, false},
	{"an empty one", {NULL}, false},
};

static int run_in_environment(const void *context)
{
	const struct environment *row = context;
	const char *argv[] = {"runtime", "-c", WAIT, NULL};

	(void)execve("/bin/sh", (char **)argv, (char **)row->variable);
	return NOT_HERE;
}

static void its_environment_is_what_it_was_started_with(void **state)
{
	const struct environment *row = *state;
	pid_t shell = start_shell(run_in_environment, row);

	assert_int_equal(process_has_variable(shell, "MARK"), row->has);
	end(shell);
	assert_false(process_has_variable(shell, "MARK"));
}

int main(void)
{
	static struct unit_suite suite;

	unit_add(&suite, "pids that name no container's process are refused",
		 pids_that_name_no_process_are_refused, NULL);
	unit_add(&suite, "one that has ended is no error", one_that_has_ended_is_no_error, NULL);
	unit_add(&suite, "one that nobody has waited for has ended",
		 one_that_nobody_has_waited_for_has_ended, NULL);
	unit_add(&suite, "a child of the runtime is the container's",
		 a_child_of_the_runtime_is_the_containers, NULL);
	unit_add(&suite, "so is a child of the runtime's parent, conmon",
		 so_is_a_child_of_the_runtimes_parent, NULL);
	unit_add_for_root(&suite, "an orphan is not, although the runtime's parent is init, too",
			  an_orphan_is_nobodys, NULL);
	unit_add(&suite, "the runtime itself is not", the_runtime_itself_is_not, NULL);
	unit_add(&suite, "nor is a process whose name says that it is the runtime's child",
		 nor_one_whose_name_says_so, NULL);
	unit_add(&suite, "nor is what the hook would have started",
		 nor_is_what_the_hook_would_have_started, NULL);
	unit_add(&suite, "one that cannot be opened is an error",
		 one_that_cannot_be_opened_is_an_error, NULL);
	fill_long_cgroup();
	for (size_t i = 0; i < LENGTH(cgroups); i++)
		unit_add_for_root(&suite, cgroups[i].name, its_cgroup_says_whose_it_is,
				  &cgroups[i]);
	UNIT_TABLE(&suite, a_limit_is_only_ever_raised, limit_cases);
	unit_add(&suite, "without CAP_SYS_RESOURCE it is an error that says so",
		 without_the_right_it_is_an_error, NULL);
	unit_add_for_root(&suite, "a limit that cannot be read is an error, too",
			  what_another_users_is_cannot_be_told, NULL);
	unit_add(&suite, "what may be had is what the kernel gives",
		 what_may_be_had_is_what_the_kernel_gives, NULL);
	unit_add(&suite, "the rights of a user namespace raise nothing",
		 the_rights_of_a_user_namespace_raise_nothing, NULL);
	for (size_t i = 0; i < LENGTH(mappings); i++)
		unit_add_for_root(&suite, mappings[i].name, the_ids_of_root_are_the_hosts,
				  &mappings[i]);
	UNIT_TABLE_AS(&suite, "bundle: ", the_bundle_is_on_the_runtimes_command_line,
		      command_lines);
	UNIT_TABLE_AS(&suite, "environment: ", its_environment_is_what_it_was_started_with,
		      environments);
	return unit_run(&suite, "process");
}
