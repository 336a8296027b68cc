/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/serve.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/child.h"

/* As it goes through the pipe: no byte of it is left unset between its members. */
struct head {
	size_t kind; /* enum verdict_kind */
	size_t len;
};

/* ---- in the child ---- */

int verdict_say(int out, enum verdict_kind kind, const struct message *response)
{
	struct head head = {kind, response ? response->len : 0};

	if (child_tell(out, &head, sizeof(head)) < 0)
		return -1;
	return head.len ? child_tell(out, response->bytes, head.len) : 0;
}

/* ---- in the parent ---- */

/* Both return as child_read(). */
static int receive_response(const struct child *child, struct arena *arena, size_t len,
			    struct message *ret_response)
{
	unsigned char *bytes = len <= VERDICT_SIZE_MAX ? arena_alloc(arena, len) : NULL;
	int received = bytes ? child_read(child, bytes, len) : 0;

	if (received > 0)
		*ret_response = (struct message){bytes, len};
	return received;
}

static int await(const struct child *child, struct arena *arena, struct verdict *verdict)
{
	struct head head;
	int received;

	for (;;) {
		received = child_read(child, &head, sizeof(head));
		if (received <= 0)
			return received;
		if (head.kind != VERDICT_MUST_FAIL && head.kind != VERDICT_MAY_START)
			break;
		verdict->must_fail = head.kind == VERDICT_MUST_FAIL;
	}
	received = receive_response(child, arena, head.len, &verdict->response);
	if (received > 0)
		verdict->kind = (enum verdict_kind)head.kind;
	return received;
}

static void lose(struct verdict *verdict, enum verdict_kind kind, const char *reason)
{
	verdict->kind = kind;
	verdict->reason = reason;
}

/* Returns whether it ends by itself. */
static bool await_child(struct child *child, struct arena *arena, struct verdict *verdict)
{
	int received = await(child, arena, verdict);

	if (received == -ETIMEDOUT) {
		lose(verdict, VERDICT_LATE,
		     "not finished in time: check whether the node's /sys or one of its disks "
		     "hangs (dmesg)");
		/* In a driver it may not die for long. It is not waited for. */
		(void)kill(child->pid, SIGKILL);
	} else if (received <= 0) {
		lose(verdict, VERDICT_LOST,
		     "the child process that decides ended without an answer");
	}
	cleanup_close_fd(&child->in);
	return received != -ETIMEDOUT;
}

static void pause_and_reap(struct verdict_children *children)
{
	const struct timespec pause = {.tv_nsec = 5 * 1000000L};

	(void)nanosleep(&pause, NULL);
	verdict_reap(children);
}

static bool one_ends(const struct verdict_children *children)
{
	for (size_t i = 0; i < children->n; i++) {
		if (children->ends[i])
			return true;
	}
	return false;
}

/*
 * Children that have answered write their line and note yet. On a busy machine many of them may be
 * about to end, which is no reason to give up the next container. Those that hang are not waited
 * for.
 */
static bool make_room(struct verdict_children *children, int64_t end)
{
	int64_t idle_at = clock_ms() + CHILD_IDLE_MS;

	verdict_reap(children);
	while (children->n >= VERDICT_CHILDREN_MAX && one_ends(children) && clock_ms() < end) {
		pause_and_reap(children);
		if (children->idle && clock_ms() >= idle_at) {
			children->idle(children->context);
			idle_at = clock_ms() + CHILD_IDLE_MS;
		}
	}
	return children->n < VERDICT_CHILDREN_MAX;
}

void verdict_find(struct verdict_children *children, struct arena *arena, verdict_work *work,
		  void *context, int patience_ms, struct verdict *ret_verdict)
{
	const struct child_setup setup = {
		.closed = children->not_inherited,
		.idle = children->idle,
		.idle_context = children->context,
	};
	int64_t end = clock_ms() + patience_ms;
	struct child child;
	struct err ignored;

	*ret_verdict = (struct verdict){0};
	if (!make_room(children, end)) {
		lose(ret_verdict, VERDICT_LATE,
		     "too many other containers wait for the node's /sys or disks: check whether "
		     "one of them hangs (dmesg)");
		return;
	}
	if (child_start(&child, &setup, work, context, (int)(end - clock_ms()), &ignored) < 0) {
		lose(ret_verdict, VERDICT_LOST, "no child process could be started");
		return;
	}
	children->pid[children->n] = child.pid;
	children->ends[children->n++] = await_child(&child, arena, ret_verdict);
}

/* One by one: the plugin has children for other things, and waits for these elsewhere. */
void verdict_reap(struct verdict_children *children)
{
	for (size_t i = 0; i < children->n;) {
		if (waitpid(children->pid[i], NULL, WNOHANG) == 0) {
			i++;
			continue;
		}
		children->n--;
		children->pid[i] = children->pid[children->n];
		children->ends[i] = children->ends[children->n];
	}
}

void verdict_finish(struct verdict_children *children)
{
	verdict_reap(children);
	for (int tries = 0; tries < 100 && children->n; tries++)
		pause_and_reap(children);
}
