/* SPDX-License-Identifier: Apache-2.0 */
/* A child that answers through a pipe: what it keeps of its parent's, how long it has, how it ends
 */
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/resource.h>

#include "core/base/clock.h"
#include "nri/child.h"

struct traces {
	struct rlimit core;
	bool null[3]; /* are the standard streams /dev/null? */
};

static const struct child_setup foreign = {.foreign = true};

static void leave_traces(UNUSED void *context, int out)
{
	struct traces traces = {0};
	struct stat null = {0};
	struct stat st = {0};

	(void)getrlimit(RLIMIT_CORE, &traces.core);
	(void)stat("/dev/null", &null);
	for (int fd = 0; fd < 3; fd++)
		traces.null[fd] = fstat(fd, &st) == 0 && st.st_rdev == null.st_rdev;
	(void)child_tell(out, &traces, sizeof(traces));
	(void)child_tell(out, "x", 1);
}

UNIT_TEST("child: no core file, no streams, no half record")
{
	struct traces traces = {0};
	struct err err = {0};
	struct rlimit core;
	struct child child;

	/* As large as we may have it: with 0 from the start the test would show nothing. */
	assert_int_equal(getrlimit(RLIMIT_CORE, &core), 0);
	core.rlim_cur = core.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_CORE, &core), 0);
	assert_int_equal(
		child_start(&child, &foreign, leave_traces, NULL, UNIT_PATIENCE * 1000, &err), 0);
	assert_int_equal(child_read(&child, &traces, sizeof(traces)), 1);
	assert_int_equal(traces.core.rlim_max, 0);
	assert_true(traces.null[0] && traces.null[1] && traces.null[2]);
	/* Then a part of a record, and no more. */
	assert_int_equal(child_read(&child, &traces, sizeof(traces)), -EPROTO);
	assert_int_equal(child_end(&child), 0);
}

static void say_and_stay(UNUSED void *context, int out)
{
	for (int i = 0; i < 100; i++)
		(void)child_tell(out, "x", 1);
	(void)pause();
}

/* Whoever talks all the time would never be at the end of its time, if what waits went first. */
UNIT_TEST("child: what it says after its time is not read")
{
	struct err err = {0};
	struct child child;
	int limit = 300;
	char record;

	/* On a busy machine the first record may come too late. */
	for (;; limit *= 2) {
		assert_int_equal(child_start(&child, &foreign, say_and_stay, NULL, limit, &err), 0);
		if (child_read(&child, &record, 1) == 1)
			break;
		(void)child_end(&child);
		assert_true(limit < UNIT_PATIENCE * 1000);
	}
	(void)usleep((useconds_t)(limit + 1) * 1000);
	assert_int_equal(child_read(&child, &record, 1), -ETIMEDOUT);
	(void)child_end(&child);
}

static void stay(UNUSED void *context, int out)
{
	pid_t pid = getpid();

	(void)child_tell(out, &pid, sizeof(pid));
	for (;;)
		(void)pause();
}

/* A doctor that is killed leaves no child behind that holds a GPU. */
UNIT_TEST("child: dies with its parent")
{
	struct err err = {0};
	struct child child;
	pid_t parent;
	pid_t pid = 0;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	parent = unit_fork();
	if (parent == 0) {
		if (child_start(&child, &foreign, stay, NULL, UNIT_PATIENCE * 1000, &err) == 0 &&
		    child_read(&child, &pid, sizeof(pid)) == 1)
			(void)!write(ends[1], &pid, sizeof(pid));
		(void)raise(SIGKILL);
	}
	assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	(void)close(ends[0]);
	(void)close(ends[1]);
	for (int tries = 0; tries < UNIT_PATIENCE * 100; tries++) {
		char path[64];
		char line[256] = "";
		int fd;

		(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return;
		(void)!read(fd, line, sizeof(line) - 1);
		(void)close(fd);
		if (strstr(line, ") Z "))
			return;
		(void)usleep(10000);
	}
	fail_msg("%d still lives", pid);
}

static void say_mask(void *context, int out)
{
	sigset_t mask;
	char blocked;

	(void)context;
	(void)sigprocmask(SIG_SETMASK, NULL, &mask);
	blocked = (char)sigismember(&mask, SIGTERM);
	(void)child_tell(out, &blocked, sizeof(blocked));
}

UNIT_TEST("child: no signal that the parent blocks is blocked")
{
	struct child child;
	struct err err;
	sigset_t term;
	sigset_t before;
	char blocked = 1;

	(void)sigemptyset(&term);
	(void)sigaddset(&term, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &term, &before), 0);
	assert_int_equal(child_start(&child, &foreign, say_mask, NULL, UNIT_PATIENCE * 1000, &err),
			 0);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
	assert_int_equal(child_read(&child, &blocked, sizeof(blocked)), 1);
	(void)child_end(&child);
	assert_int_equal(blocked, 0);
}

/* ---- our own code in a child ---- */

static void say_what_is_open(void *context, int out)
{
	const int *fds = context;
	char open_fds[2] = {0};

	for (int i = 0; i < 2; i++)
		open_fds[i] = fcntl(fds[i], F_GETFD) >= 0;
	(void)child_tell(out, open_fds, sizeof(open_fds));
}

/* Streams stay, since it logs; what must end with the parent is closed. */
UNIT_TEST("child: ours keeps all but what is closed")
{
	cleanup_fd kept = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int ended = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int fds[2] = {kept, ended};
	const int *const closed[CHILD_CLOSED] = {&ended};
	const struct child_setup setup = {.closed = closed};
	struct child child;
	struct err err;
	char open_fds[2];

	assert_int_equal(
		child_start(&child, &setup, say_what_is_open, fds, UNIT_PATIENCE * 1000, &err), 0);
	assert_int_equal(child_read(&child, open_fds, sizeof(open_fds)), 1);
	assert_int_equal(open_fds[0], 1);
	assert_int_equal(open_fds[1], 0);
	(void)child_end(&child);
	assert_true(fcntl(ended, F_GETFD) >= 0);
	(void)close(ended);
}

/* It is killed at once: what it has to say is said. */
UNIT_TEST("child: ours is gone when it is ended")
{
	struct child child;
	struct err err;
	pid_t pid;
	int status;

	assert_int_equal(child_start(&child, NULL, stay, NULL, UNIT_PATIENCE * 1000, &err), 0);
	assert_int_equal(child_read(&child, &pid, sizeof(pid)), 1);
	assert_int_equal(pid, child.pid);
	while ((status = child_end(&child)) < 0)
		continue; /* a busy machine */
	assert_true(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
}

static void count(void *context)
{
	++*(int *)context;
}

UNIT_TEST("child: a parent that is watched is told that it waits")
{
	int calls = 0;
	const struct child_setup setup = {.idle = count, .idle_context = &calls};
	struct child child;
	struct err err;
	char byte[2];

	assert_int_equal(child_start(&child, &setup, say_and_stay, NULL, 5 * CHILD_IDLE_MS, &err),
			 0);
	while (child_read(&child, byte, 1) > 0)
		continue;
	assert_int_equal(child_read(&child, byte, 1), -ETIMEDOUT);
	(void)child_end(&child);
	assert_true(calls > 0);
}

int main(void)
{
	return unit_main("child");
}
