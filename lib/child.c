/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"

pid_t child_fork(const int *closed)
{
	pid_t parent = getpid();
	pid_t child = fork();

	if (child != 0)
		return child;
	if (closed)
		cleanup_close_fd(closed);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	return 0;
}

int child_start(struct child *child, const int *closed, child_work *work, void *context,
		int limit_ms, struct err *err)
{
	cleanup_fd in = -1;
	cleanup_fd out = -1;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	in = ends[0];
	out = ends[1];
	child->deadline = clock_ms() + limit_ms;
	child->pid = child_fork(closed);
	if (child->pid < 0)
		return err_sys(err, errno, "fork");
	if (child->pid == 0) {
		(void)close(in);
		work(context, out);
		_exit(0);
	}
	child->in = steal_fd(&in);
	return 0;
}

/* Returns 1 on data or end. The deadline holds even while the child writes */
static int wait_for_record(const struct child *child)
{
	struct pollfd wait = {.fd = child->in, .events = POLLIN};
	int64_t left;

	while ((left = child->deadline - clock_ms()) > 0) {
		int ready = poll(&wait, 1, (int)left);

		if (ready > 0)
			return 1;
		if (ready < 0 && errno != EINTR)
			return -errno;
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

/* Steps of 5 ms; the grace is for the child's own exit. */
#define GRACE 2
#define TRIES 200

int child_end(struct child *child)
{
	const struct timespec pause = {.tv_nsec = 5 * 1000000L};
	int status = 0;

	cleanup_close_fd(&child->in);
	for (int tries = 0; tries < TRIES; tries++) {
		pid_t pid = waitpid(child->pid, &status, WNOHANG);

		if (pid == child->pid)
			return status;
		if (pid < 0 && errno != EINTR)
			return 0;
		if (tries == GRACE)
			(void)kill(child->pid, SIGKILL);
		(void)nanosleep(&pause, NULL);
	}
	return -1;
}
