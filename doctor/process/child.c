/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/process/child.h"

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
#include "core/base/fs.h"

int64_t child_clock(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

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

int child_start(struct child *child, void (*work)(void *context, int out), void *context,
		int limit_ms, struct err *err)
{
	const struct rlimit no_core = {0};
	pid_t parent = getpid();
	cleanup_fd in = -1;
	cleanup_fd out = -1;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	in = ends[0];
	out = ends[1];
	child->deadline = child_clock() + limit_ms;
	child->pid = fork();
	if (child->pid < 0)
		return err_sys(err, errno, "fork");
	if (child->pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
		(void)setrlimit(RLIMIT_CORE, &no_core);
		reset_signals();
		close_streams();
		work(context, out);
		_exit(0);
	}
	child->in = take_fd(&in);
	return 0;
}

/* Returns 1 when there is something to read, or the end. */
static int wait_for(const struct child *child)
{
	struct pollfd wait = {.fd = child->in, .events = POLLIN};

	for (;;) {
		int64_t left = child->deadline - child_clock();
		int ready;

		/* Also one that talks all the time has no more of it. */
		if (left <= 0)
			return -ETIMEDOUT;
		ready = poll(&wait, 1, (int)left);
		if (ready > 0)
			return 1;
		if (ready < 0 && errno != EINTR)
			return -errno;
	}
}

int child_read(const struct child *child, void *record, size_t size)
{
	char *bytes = record;
	size_t len = 0;

	while (len < size) {
		int status = wait_for(child);
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

int child_end(struct child *child)
{
	const struct timespec pause = {.tv_nsec = 5 * 1000000L};
	int status = 0;

	cleanup_close_fd(&child->in);
	child->in = -1;
	/* One that ends by itself says by it how: it gets a moment. */
	for (int tries = 0; tries < 200; tries++) {
		pid_t pid = waitpid(child->pid, &status, WNOHANG);

		if (pid == child->pid)
			return status;
		if (pid < 0 && errno != EINTR)
			return 0;
		if (tries == 2)
			(void)kill(child->pid, SIGKILL);
		(void)nanosleep(&pause, NULL);
	}
	return -1;
}

void child_tell(int out, const void *record, size_t size)
{
	(void)fs_write(out, record, size);
}
