/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/fs.h"
#include "nri/child.h"

/* As it goes through the pipe: no byte of it is left unset between its members. */
struct head {
	size_t kind; /* enum verdict_kind */
	size_t len;
};

/* ---- in the child ---- */

int verdict_say(int out, enum verdict_kind kind, const struct message *response)
{
	struct head head = {kind, response ? response->len : 0};

	if (fs_write(out, (const char *)&head, sizeof(head)) < 0)
		return -1;
	return head.len && fs_write(out, (const char *)response->bytes, head.len) < 0 ? -1 : 0;
}

/* ---- in the parent ---- */

enum received {
	RECEIVED,
	RECEIVED_LATE,
	RECEIVED_LESS, /* the child has ended */
};

struct waiting {
	const struct verdict_children *children;
	int in;
	int64_t deadline;
};

/* As poll(), until the deadline. */
static int wait_for(const struct waiting *waiting)
{
	const struct verdict_children *children = waiting->children;
	struct pollfd wait = {.fd = waiting->in, .events = POLLIN};
	int64_t left;
	int ready = 0;

	while (ready == 0 && (left = waiting->deadline - clock_ms()) > 0) {
		if (children->idle && left > VERDICT_IDLE_MS)
			left = VERDICT_IDLE_MS;
		ready = poll(&wait, 1, (int)left);
		if (children->idle && ready == 0)
			children->idle(children->context);
	}
	return ready;
}

static enum received receive(const struct waiting *waiting, void *bytes, size_t size)
{
	size_t len = 0;

	while (len < size) {
		int ready = wait_for(waiting);
		ssize_t n;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return RECEIVED_LATE;
		n = read(waiting->in, (char *)bytes + len, size - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return RECEIVED_LESS;
		len += (size_t)n;
	}
	return RECEIVED;
}

static enum received receive_response(const struct waiting *waiting, struct arena *arena,
				      size_t len, struct message *ret_response)
{
	unsigned char *bytes = len <= VERDICT_SIZE_MAX ? arena_alloc(arena, len) : NULL;
	enum received received = bytes ? receive(waiting, bytes, len) : RECEIVED_LESS;

	if (received == RECEIVED)
		*ret_response = (struct message){bytes, len};
	return received;
}

static enum received await(const struct waiting *waiting, struct arena *arena,
			   struct verdict *verdict)
{
	struct head head;
	enum received received;

	for (;;) {
		received = receive(waiting, &head, sizeof(head));
		if (received != RECEIVED)
			return received;
		if (head.kind != VERDICT_MUST_FAIL && head.kind != VERDICT_MAY_START)
			break;
		verdict->must_fail = head.kind == VERDICT_MUST_FAIL;
	}
	received = receive_response(waiting, arena, head.len, &verdict->response);
	if (received == RECEIVED)
		verdict->kind = (enum verdict_kind)head.kind;
	return received;
}

/* Returns its process id, or -1; *ret_in is where it says its verdict. */
static pid_t start(struct verdict_children *children, verdict_work *work, void *context,
		   int *ret_in)
{
	cleanup_fd out = -1;
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	*ret_in = ends[0];
	out = ends[1];
	child = child_fork(children->not_inherited);
	if (child == 0) {
		(void)close(ends[0]);
		work(context, out);
		_exit(0);
	}
	if (child > 0)
		children->pid[children->n++] = child;
	return child;
}

static void lose(struct verdict *verdict, enum verdict_kind kind, const char *reason)
{
	verdict->kind = kind;
	verdict->reason = reason;
}

void verdict_find(struct verdict_children *children, struct arena *arena, verdict_work *work,
		  void *context, int patience_ms, struct verdict *ret_verdict)
{
	struct waiting waiting = {children, -1, clock_ms() + patience_ms};
	cleanup_fd in = -1;
	pid_t child = -1;

	*ret_verdict = (struct verdict){0};
	verdict_reap(children);
	if (children->n >= VERDICT_CHILDREN_MAX) {
		lose(ret_verdict, VERDICT_LATE,
		     "too many other containers wait for the node's /sys or disks: check whether "
		     "one of them hangs (dmesg)");
		return;
	}
	child = start(children, work, context, &in);
	if (child < 0) {
		lose(ret_verdict, VERDICT_LOST, "no child process could be started");
		return;
	}
	waiting.in = in;
	switch (await(&waiting, arena, ret_verdict)) {
	case RECEIVED:
		break;
	case RECEIVED_LATE:
		lose(ret_verdict, VERDICT_LATE,
		     "not finished in time: check whether the node's /sys or one of its disks "
		     "hangs (dmesg)");
		/* In a driver it may not die for long. It is not waited for. */
		(void)kill(child, SIGKILL);
		break;
	case RECEIVED_LESS:
		lose(ret_verdict, VERDICT_LOST,
		     "the child process that decides ended without an answer");
		break;
	}
}

/* One by one: the plugin has children for other things, and waits for these elsewhere. */
void verdict_reap(struct verdict_children *children)
{
	for (size_t i = 0; i < children->n;) {
		if (waitpid(children->pid[i], NULL, WNOHANG) == 0)
			i++;
		else
			children->pid[i] = children->pid[--children->n];
	}
}

void verdict_finish(struct verdict_children *children)
{
	const struct timespec pause = {.tv_nsec = 5 * 1000000L};

	verdict_reap(children);
	for (int tries = 0; tries < 100 && children->n; tries++) {
		(void)nanosleep(&pause, NULL);
		verdict_reap(children);
	}
}
