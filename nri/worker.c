/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/worker.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "core/base/fs.h"

void children_reap(struct children *children)
{
	size_t kept = 0;

	for (size_t i = 0; i < children->n; i++) {
		if (waitpid(children->pid[i], NULL, WNOHANG) == 0)
			children->pid[kept++] = children->pid[i];
	}
	children->n = kept;
}

int children_start(struct children *children, struct child *child, child_work *work, void *context,
		   int limit_ms)
{
	struct err ignored;

	children_reap(children);
	if (children->n == CHILDREN_MAX)
		return -EAGAIN;
	if (child_start(child, children->closed, work, context, limit_ms, &ignored) < 0)
		return -1;
	children->pid[children->n++] = child->pid;
	return 0;
}

void children_finish(struct children *children)
{
	const struct timespec pause = {.tv_nsec = 5 * 1000000L};

	children_reap(children);
	for (int tries = 0; tries < 100 && children->n; tries++) {
		(void)nanosleep(&pause, NULL);
		children_reap(children);
	}
}

/* On the pipe. Two size_t: no padding */
struct head {
	size_t kind;
	size_t len;
};

int worker_send(int out, enum verdict_kind kind, const struct message *response)
{
	struct head head = {kind, response ? response->len : 0};

	if (fs_write(out, &head, sizeof(head)) < 0 ||
	    (head.len && fs_write(out, response->bytes, head.len) < 0))
		return -1;
	return 0;
}

static int worker_receive(const struct child *child, struct arena *arena, struct verdict *verdict)
{
	unsigned char *bytes;
	struct head head;
	int received;

	while ((received = child_read(child, &head, sizeof(head))) > 0 &&
	       (head.kind == VERDICT_MUST_FAIL || head.kind == VERDICT_MAY_START))
		verdict->must_fail = head.kind == VERDICT_MUST_FAIL;
	if (received <= 0)
		return received;
	bytes = head.len <= VERDICT_SIZE_MAX ? arena_alloc(arena, head.len) : NULL;
	received = bytes ? child_read(child, bytes, head.len) : 0;
	if (received > 0)
		verdict->response = (struct message){bytes, head.len};
	return received;
}

void worker_run(struct children *children, struct arena *arena, child_work *work, void *context,
		int patience_ms, struct verdict *ret_verdict)
{
	struct child child;
	int received = children_start(children, &child, work, context, patience_ms);

	*ret_verdict = (struct verdict){0};
	if (received == -EAGAIN)
		ret_verdict->reason =
			"too many other containers wait for the node's /sys or disks: "
			"check whether one of them hangs (dmesg)";
	else if (received < 0)
		ret_verdict->reason = "no child process could be started";
	if (received < 0)
		return;
	received = worker_receive(&child, arena, ret_verdict);
	cleanup_close_fd(&child.in);
	if (received == -ETIMEDOUT) {
		ret_verdict->reason = "not finished in time: check whether the node's /sys or one "
				      "of its disks hangs (dmesg)";
		(void)kill(child.pid, SIGKILL);
	} else if (received <= 0) {
		ret_verdict->reason = "the child process that decides ended without an answer";
	}
}
