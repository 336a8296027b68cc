/* SPDX-License-Identifier: Apache-2.0 */
/* The child with a deadline, and the status file */
#include "tests/unit/unit.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "core/nri_status.h"
#include "nri/serve.h"

/* ---- the verdict's child ---- */

static void says_in_parts(void *context, int out)
{
	static unsigned char large[300000];
	const struct message response = {large, sizeof(large)};

	(void)context;
	memset(large, 'x', sizeof(large));
	(void)verdict_say(out, VERDICT_MUST_FAIL, NULL);
	(void)verdict_say(out, VERDICT_GRANTED, &response);
}

static void says_nothing(void *context, int out)
{
	(void)context;
	(void)out;
}

static void dies(void *context, int out)
{
	(void)context;
	(void)verdict_say(out, VERDICT_MUST_FAIL, NULL);
	abort();
}

static void hangs(void *context, int out)
{
	(void)context;
	(void)verdict_say(out, VERDICT_MUST_FAIL, NULL);
	for (;;)
		(void)pause();
}

static void says_too_much(void *context, int out)
{
	const size_t head[] = {VERDICT_GRANTED, SIZE_MAX};

	(void)context;
	(void)!write(out, head, sizeof(head));
}

static const struct verdict_case {
	const char *name;
	verdict_work *work;
	enum verdict_kind kind;
	bool must_fail;
	int patience_ms;
} verdict_cases[] = {
	{"a verdict of 300,000 bytes comes whole", says_in_parts, VERDICT_GRANTED, true, 600000},
	{"a child that ends without a word is lost", says_nothing, VERDICT_LOST, false, 600000},
	{"a child that dies is lost; that it must fail is not", dies, VERDICT_LOST, true, 600000},
	{"a verdict that is too long is none", says_too_much, VERDICT_LOST, false, 600000},
};

static void verdict_is_found(void **state)
{
	const struct verdict_case *row = *state;
	struct verdict_children children = {0};
	cleanup_arena arena = {0};
	struct verdict verdict = {.must_fail = !row->must_fail, .reason = "another's"};

	verdict_find(&children, &arena, row->work, NULL, row->patience_ms, &verdict);
	assert_int_equal(verdict.kind, row->kind);
	assert_int_equal(verdict.must_fail, row->must_fail);
	assert_int_equal(verdict.reason != NULL, row->kind != VERDICT_GRANTED);
	assert_int_equal(verdict.response.len, row->kind == VERDICT_GRANTED ? 300000 : 0);
	assert_int_equal(children.n, 1);
	while (children.n)
		verdict_reap(&children);
}

/* With more patience each time, since a busy machine may not run the child before it is over. */
static void hanging_child_is_late(void **state)
{
	struct verdict verdict = {0};

	(void)state;
	for (int patience = 50; !verdict.must_fail && patience < 600000; patience *= 2) {
		struct verdict_children children = {0};
		cleanup_arena arena = {0};

		verdict_find(&children, &arena, hangs, NULL, patience, &verdict);
		assert_int_equal(verdict.kind, VERDICT_LATE);
		assert_non_null(verdict.reason);
		while (children.n)
			verdict_reap(&children);
	}
	assert_true(verdict.must_fail);
}

/* How many descriptors of this process are of the same pipe */
static size_t ends_of(int pipe)
{
	struct stat wanted = {0};
	struct stat st;
	size_t n = 0;

	(void)fstat(pipe, &wanted);
	for (int fd = 0; fd < 1024; fd++)
		n += fstat(fd, &st) == 0 && st.st_ino == wanted.st_ino &&
		     st.st_dev == wanted.st_dev;
	return n;
}

/* What it says of itself: nothing, if all is as it should be */
static void examines_itself(void *context, int out)
{
	static const unsigned char wrong = '!';
	const int *closed = context;
	int signal = 0;

	(void)prctl(PR_GET_PDEATHSIG, &signal);
	/* With the end that the plugin reads it would not hear that nobody listens any more. */
	if (signal == SIGKILL && fcntl(closed[0], F_GETFD) < 0 && fcntl(closed[1], F_GETFD) < 0 &&
	    ends_of(out) == 1)
		(void)verdict_say(out, VERDICT_GRANTED, NULL);
	else
		(void)verdict_say(out, VERDICT_DENIED, &(struct message){&wrong, 1});
}

/* The connection is closed in it, and it goes with the plugin, or when it is done. */
static void a_child_holds_nothing(void **state)
{
	const pid_t plugin = getpid();
	int *came_back = mmap(NULL, sizeof(*came_back), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fds[2];
	struct verdict_children children = {.not_inherited = {&fds[0], &fds[1]}};
	cleanup_arena arena = {0};
	struct verdict verdict;

	(void)state;
	assert_true(came_back != MAP_FAILED);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	verdict_find(&children, &arena, examines_itself, fds, 600000, &verdict);
	if (getpid() != plugin) {
		*came_back = 1;
		_exit(0);
	}
	assert_int_equal(verdict.kind, VERDICT_GRANTED);
	assert_int_equal(verdict.response.len, 0);
	while (children.n)
		verdict_reap(&children);
	assert_int_equal(*came_back, 0);
	(void)close(fds[0]);
	(void)close(fds[1]);
	(void)munmap(came_back, sizeof(*came_back));
}

/* Then nothing was done, and nothing of it is to be logged. */
static void what_is_not_heard_is_not_said(void **state)
{
	static const unsigned char large[1 << 20];
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	int ends[2];

	(void)state;
	assert_true(full >= 0);
	assert_int_equal(verdict_say(full, VERDICT_GRANTED, NULL), -1);
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(verdict_say(ends[1], VERDICT_GRANTED, NULL), 0);
	assert_int_equal(
		verdict_say(ends[1], VERDICT_GRANTED, &(struct message){large, sizeof(large)}), -1);
	(void)close(full);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static pid_t begin_to_hang(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			(void)pause();
	}
	assert_true(pid > 0);
	return pid;
}

static void children_are_bounded(void **state)
{
	struct verdict_children children = {0};
	cleanup_arena arena = {0};
	struct verdict verdict;

	(void)state;
	while (children.n < VERDICT_CHILDREN_MAX)
		children.pid[children.n++] = begin_to_hang();
	(void)alarm(UNIT_PATIENCE);
	verdict_find(&children, &arena, says_in_parts, NULL, 600000000, &verdict);
	(void)alarm(0);
	assert_int_equal(verdict.kind, VERDICT_LATE);
	assert_int_equal(children.n, VERDICT_CHILDREN_MAX);
	for (size_t i = 0; i < children.n; i++)
		assert_int_equal(kill(children.pid[i], SIGKILL), 0);
	while (children.n)
		verdict_reap(&children);
}

static pid_t end_at_once(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_true(pid > 0);
	return pid;
}

/* Those that have ended make room, also for requests that came together. */
static void children_that_have_ended_do_not_count(void **state)
{
	struct verdict_children children = {0};
	cleanup_arena arena = {0};
	siginfo_t info;
	struct verdict verdict;

	(void)state;
	for (; children.n < VERDICT_CHILDREN_MAX; children.n++) {
		children.pid[children.n] = end_at_once();
		assert_int_equal(
			waitid(P_PID, (id_t)children.pid[children.n], &info, WEXITED | WNOWAIT), 0);
	}
	verdict_find(&children, &arena, says_in_parts, NULL, 600000, &verdict);
	assert_int_equal(verdict.kind, VERDICT_GRANTED);
	assert_int_equal(children.n, 1);
	while (children.n)
		verdict_reap(&children);
}

/* One that came with the process, from who started it, is not among them. */
static void a_child_of_anothers_is_not_counted(void **state)
{
	struct verdict_children children = {0};
	pid_t pid = end_at_once();
	siginfo_t info;

	(void)state;
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	verdict_reap(&children);
	assert_int_equal(children.n, 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* ---- those that have answered, and write their line yet ---- */

static int holds[2]; /* the end of a pipe that keeps them */

static void says_and_is_held(void *context, int out)
{
	char end;

	(void)context;
	(void)close(holds[1]);
	(void)verdict_say(out, VERDICT_GRANTED, NULL);
	(void)!read(holds[0], &end, 1);
}

static void fill_with_held(struct verdict_children *children)
{
	cleanup_arena arena = {0};
	struct verdict verdict;

	assert_int_equal(pipe2(holds, O_CLOEXEC), 0);
	while (children->n < VERDICT_CHILDREN_MAX) {
		verdict_find(children, &arena, says_and_is_held, NULL, 600000, &verdict);
		assert_int_equal(verdict.kind, VERDICT_GRANTED);
	}
}

static void let_go(void *context)
{
	int *calls = context;

	if (++*calls == 1)
		(void)close(holds[1]);
}

/* On a busy machine many may be about to end. The next one waits for them; meanwhile the plugin
 * does not hang. */
static void children_that_have_answered_are_waited_for(void **state)
{
	int calls = 0;
	struct verdict_children children = {.context = &calls};
	cleanup_arena arena = {0};
	struct verdict verdict;

	(void)state;
	fill_with_held(&children);
	children.idle = let_go;
	(void)alarm(UNIT_PATIENCE);
	verdict_find(&children, &arena, says_in_parts, NULL, 600000, &verdict);
	(void)alarm(0);
	assert_int_equal(verdict.kind, VERDICT_GRANTED);
	assert_in_range(calls, 1, INT_MAX);
	(void)close(holds[0]);
	while (children.n)
		verdict_reap(&children);
}

static void but_not_longer_than_for_the_verdict(void **state)
{
	struct verdict_children children = {0};
	cleanup_arena arena = {0};
	struct verdict verdict;

	(void)state;
	fill_with_held(&children);
	(void)alarm(UNIT_PATIENCE);
	verdict_find(&children, &arena, says_in_parts, NULL, 50, &verdict);
	(void)alarm(0);
	assert_int_equal(verdict.kind, VERDICT_LATE);
	assert_int_equal(children.n, VERDICT_CHILDREN_MAX);
	(void)close(holds[0]);
	(void)close(holds[1]);
	while (children.n)
		verdict_reap(&children);
}

static void count_idle(void *context)
{
	++*(int *)context;
}

/* A plugin that waits for a disk does not hang itself. */
static void while_one_is_awaited_the_plugin_is_called(void **state)
{
	int calls = 0;
	struct verdict_children children = {.idle = count_idle, .context = &calls};
	cleanup_arena arena = {0};
	struct verdict verdict;

	(void)state;
	verdict_find(&children, &arena, hangs, NULL, 4 * CHILD_IDLE_MS, &verdict);
	assert_int_equal(verdict.kind, VERDICT_LATE);
	assert_true(verdict.must_fail);
	assert_in_range(calls, 1, 4);
	while (children.n)
		verdict_reap(&children);
}

static void without_a_child_the_verdict_is_lost(void **state)
{
	struct verdict_children children = {0};
	cleanup_arena arena = {0};
	struct verdict verdict = {0};
	struct rlimit before;
	struct rlimit none;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	verdict_find(&children, &arena, says_in_parts, NULL, 600000, &verdict);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(verdict.kind, VERDICT_LOST);
	assert_string_equal(verdict.reason, "no child process could be started");
	assert_int_equal(children.n, 0);
}

static volatile sig_atomic_t *interruptions; /* shared with the child */

static void on_alarm(int signal)
{
	(void)signal;
	++*interruptions;
}

static void waits_for_interruptions(void *context, int out)
{
	(void)context;
	while (*interruptions < 5)
		(void)usleep(1000);
	(void)verdict_say(out, VERDICT_GRANTED, NULL);
}

static void a_signal_does_not_end_the_wait(void **state)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval often = {{0, 1000}, {0, 1000}};
	struct itimerval never = {0};
	struct verdict_children children = {0};
	cleanup_arena arena = {0};
	struct verdict verdict;

	(void)state;
	interruptions = mmap(NULL, sizeof(*interruptions), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true((void *)interruptions != MAP_FAILED);
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	verdict_find(&children, &arena, waits_for_interruptions, NULL, 600000, &verdict);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	(void)signal(SIGALRM, SIG_DFL);
	assert_int_equal(verdict.kind, VERDICT_GRANTED);
	while (children.n)
		verdict_reap(&children);
}

/* ---- the end ---- */

static pid_t said_pid(const struct verdict *verdict)
{
	pid_t pid;

	assert_int_equal(verdict->response.len, sizeof(pid));
	memcpy(&pid, verdict->response.bytes, sizeof(pid));
	return pid;
}

static void say_pid(int out)
{
	const pid_t self = getpid();

	(void)verdict_say(out, VERDICT_GRANTED,
			  &(struct message){(const void *)&self, sizeof(self)});
}

static void kill_and_reap(struct verdict_children *children, pid_t child)
{
	assert_int_equal(kill(child, SIGKILL), 0);
	while (children->n)
		verdict_reap(children);
}

static volatile sig_atomic_t *finishing; /* shared with the child */

/* The plugin waits: it is neither before the end nor between two looks at its children. */
static bool plugin_sleeps(void)
{
	char path[32];
	char state = '?';
	FILE *stat;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", getppid());
	stat = fopen(path, "re");
	if (!stat)
		return false;
	if (fscanf(stat, "%*d %*[^)]) %c", &state) != 1)
		state = '?';
	(void)fclose(stat);
	return *finishing && state == 'S';
}

/* As one that logs what it has said, until then */
static void goes_on_until_the_plugin_waits(void *context, int out)
{
	(void)context;
	say_pid(out);
	while (!plugin_sleeps())
		(void)usleep(100);
}

/* A busy machine may need another try: without a wait none would be enough. */
static void the_end_waits_for_children(void **state)
{
	size_t left = 1;

	(void)state;
	finishing = mmap(NULL, sizeof(*finishing), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true((void *)finishing != MAP_FAILED);
	for (int tries = 0; left && tries < 100; tries++) {
		struct verdict_children children = {0};
		cleanup_arena arena = {0};
		struct verdict verdict;

		*finishing = 0;
		verdict_find(&children, &arena, goes_on_until_the_plugin_waits, NULL, 600000,
			     &verdict);
		assert_int_equal(children.n, 1);
		*finishing = 1;
		verdict_finish(&children);
		left = children.n;
		if (left)
			kill_and_reap(&children, said_pid(&verdict));
	}
	assert_int_equal(left, 0);
}

static int64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Once is enough to see that it does not sleep, however busy the machine is. */
static void the_end_waits_for_nobody_else(void **state)
{
	struct verdict_children children = {0};
	int64_t took = 500;

	(void)state;
	for (int tries = 0; took >= 500 && tries < 100; tries++) {
		int64_t begin = now_ms();

		verdict_finish(&children);
		took = now_ms() - begin;
	}
	assert_true(took < 500);
}

static void says_and_hangs(void *context, int out)
{
	(void)context;
	say_pid(out);
	for (;;)
		(void)pause();
}

static void the_end_does_not_wait_for_ever(void **state)
{
	struct verdict_children children = {0};
	cleanup_arena arena = {0};
	struct verdict verdict;

	(void)state;
	verdict_find(&children, &arena, says_and_hangs, NULL, 600000, &verdict);
	(void)alarm(UNIT_PATIENCE);
	verdict_finish(&children);
	(void)alarm(0);
	assert_int_equal(children.n, 1);
	kill_and_reap(&children, said_pid(&verdict));
}

/* ---- the status file ---- */

static void status_is_read_as_written(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_arena arena = {0};
	struct nri_status status = {.pid = 12,
				    .started = UINT64_MAX,
				    .socket = "/x \"y\"",
				    .since = "2026-11-21T20:22:43Z",
				    .runtime = "containerd",
				    .version = "2.1.9"};
	struct nri_status read;
	size_t len;
	struct err err;

	(void)state;
	counters_answered(&status.counters, 1500);
	counters_answered(&status.counters, 3000000);
	status.counters.granted = 1;
	assert_int_equal(nri_status_read(&arena, dir.fd, "nri.json", &read, &err), -ENOENT);
	unit_write(dir.fd, NRI_STATUS_PATH, nri_status_text(&arena, &status, &len), 0644);
	assert_int_equal(nri_status_read(&arena, dir.fd, "nri.json", &read, &err), 0);
	assert_int_equal(read.pid, 12);
	assert_true(read.started == UINT64_MAX);
	assert_string_equal(read.socket, status.socket);
	assert_string_equal(read.since, status.since);
	assert_null(read.trouble);
	assert_string_equal(read.runtime, "containerd");
	assert_string_equal(read.version, "2.1.9");
	assert_int_equal(read.counters.containers, 2);
	assert_int_equal(read.counters.granted, 1);
	assert_int_equal(read.counters.slowest_us, 3000000);
	assert_int_equal(status.counters.within[3], 1);
	assert_int_equal(status.counters.within[NRI_COUNTERS_N_BOUNDS], 1);
	unit_write(dir.fd, NRI_STATUS_PATH, "{\"pid\": \"x\"}", 0644);
	assert_int_equal(nri_status_read(&arena, dir.fd, "nri.json", &read, &err), -1);
	assert_one_line(&err);
}

static void process_start_is_read(void **state)
{
	(void)state;
	assert_true(nri_status_start_of(getpid()) > 0);
	assert_true(nri_status_start_of(getpid()) == nri_status_start_of(getpid()));
	assert_true(nri_status_start_of(0) == 0);
	assert_true(nri_status_start_of(-1) == 0);
	assert_true(nri_status_start_of(INT64_MAX) == 0);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE(&suite, verdict_is_found, verdict_cases);
	unit_add(&suite, "a child that hangs is late; that it must fail is known",
		 hanging_child_is_late, NULL);
	unit_add(&suite, "a child does not hold the connection, and ends", a_child_holds_nothing,
		 NULL);
	unit_add(&suite, "a verdict that is not heard is not said", what_is_not_heard_is_not_said,
		 NULL);
	unit_add(&suite, "children that hang are bounded", children_are_bounded, NULL);
	unit_add(&suite, "children that have answered, and are about to end, are waited for",
		 children_that_have_answered_are_waited_for, NULL);
	unit_add(&suite, "…but not longer than for the verdict",
		 but_not_longer_than_for_the_verdict, NULL);
	unit_add(&suite, "while a child is awaited, the plugin can say that it works",
		 while_one_is_awaited_the_plugin_is_called, NULL);
	unit_add(&suite, "children that have ended do not count",
		 children_that_have_ended_do_not_count, NULL);
	unit_add(&suite, "a child of another's is not counted", a_child_of_anothers_is_not_counted,
		 NULL);
	unit_add(&suite, "without a child the verdict is lost", without_a_child_the_verdict_is_lost,
		 NULL);
	unit_add(&suite, "a signal does not end the wait", a_signal_does_not_end_the_wait, NULL);
	unit_add(&suite, "the end waits for children that still log", the_end_waits_for_children,
		 NULL);
	unit_add(&suite, "the end waits for nobody else", the_end_waits_for_nobody_else, NULL);
	unit_add(&suite, "the end does not wait for ever", the_end_does_not_wait_for_ever, NULL);
	unit_add(&suite, "the status file is read as it was written", status_is_read_as_written,
		 NULL);
	unit_add(&suite, "a process is known by its start", process_start_is_read, NULL);
	return unit_run(&suite, "nri_verdict");
}
