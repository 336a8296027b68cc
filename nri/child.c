/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/fs.h"

static void close_streams(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (null >= 0)
			(void)dup2(null, fd);
		else
			(void)close(fd);
	}
}

/* Handlers and mask are the parent's: a crash here is not to run what it has for its own. */
static void reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void become_foreign(void)
{
	const struct rlimit no_core = {0};

	(void)setrlimit(RLIMIT_CORE, &no_core);
	reset_signals();
	close_streams();
}

pid_t child_fork(const int *const *closed)
{
	pid_t parent = getpid();
	pid_t child = fork();

	if (child != 0)
		return child;
	for (size_t i = 0; closed && i < CHILD_CLOSED; i++) {
		if (closed[i])
			cleanup_close_fd(closed[i]);
	}
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	return 0;
}

int child_start(struct child *child, const struct child_setup *setup,
		void (*work)(void *context, int out), void *context, int limit_ms, struct err *err)
{
	cleanup_fd in = -1;
	cleanup_fd out = -1;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	in = ends[0];
	out = ends[1];
	child->setup = setup ? *setup : (struct child_setup){0};
	child->deadline = clock_ms() + limit_ms;
	child->pid = child_fork(child->setup.closed);
	if (child->pid < 0)
		return err_sys(err, errno, "fork");
	if (child->pid == 0) {
		(void)close(in);
		if (child->setup.foreign)
			become_foreign();
		work(context, out);
		_exit(0);
	}
	child->in = take_fd(&in);
	return 0;
}

/* How long one poll waits; at most 0 when the time is up, also for a child that talks all the time
 */
static int64_t patience(const struct child *child)
{
	int64_t left = child->deadline - clock_ms();

	return child->setup.idle && left > CHILD_IDLE_MS ? CHILD_IDLE_MS : left;
}

/* Returns 1 when there is something to read, or the end. */
static int wait_for_record(const struct child *child)
{
	struct pollfd wait = {.fd = child->in, .events = POLLIN};
	int64_t left;

	while ((left = patience(child)) > 0) {
		int ready = poll(&wait, 1, (int)left);

		if (ready > 0)
			return 1;
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready == 0 && child->setup.idle)
			child->setup.idle(child->setup.idle_context);
	}
	return -ETIMEDOUT;
}

int child_read(const struct child *child, void *record, size_t size)
{
	char *bytes = record;
	size_t len = 0;

	while (len < size) {
		int status = wait_for_record(child);
		ssize_t n;

		if (status < 0)
			return status;
		n = read(child->in, bytes + len, size - len);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return len ? -EPROTO : 0;
		if (n > 0)
			len += (size_t)n;
	}
	return 1;
}

/* Tries of 5 ms: a foreign child may need a moment to end, and longer to die. */
#define GRACE 2
#define FOREIGN_TRIES 200
#define OUR_TRIES 20

int child_end(struct child *child)
{
	const struct timespec pause = {.tv_nsec = 5 * 1000000L};
	const int grace = child->setup.foreign ? GRACE : -1;
	const int max = child->setup.foreign ? FOREIGN_TRIES : OUR_TRIES;
	int status = 0;

	cleanup_close_fd(&child->in);
	child->in = -1;
	if (grace < 0)
		(void)kill(child->pid, SIGKILL);
	for (int tries = 0; tries < max; tries++) {
		pid_t pid = waitpid(child->pid, &status, WNOHANG);

		if (pid == child->pid)
			return status;
		if (pid < 0 && errno != EINTR)
			return 0;
		if (tries == grace)
			(void)kill(child->pid, SIGKILL);
		(void)nanosleep(&pause, NULL);
	}
	return -1;
}

int child_tell(int out, const void *record, size_t size)
{
	return fs_write(out, record, size) < 0 ? -1 : 0;
}
