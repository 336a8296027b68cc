/* SPDX-License-Identifier: Apache-2.0 */
/* The child with a deadline, and the status file */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "core/nri_status.h"
#include "nri/counters.h"
#include "nri/verdict.h"

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
	struct verdict verdict;

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

/* What it says of itself: nothing, if all is as it should be */
static void examines_itself(void *context, int out)
{
	static const unsigned char wrong = '!';
	const int *closed = context;
	int signal = 0;

	(void)prctl(PR_GET_PDEATHSIG, &signal);
	if (signal == SIGKILL && fcntl(closed[0], F_GETFD) < 0 && fcntl(closed[1], F_GETFD) < 0)
		(void)verdict_say(out, VERDICT_GRANTED, NULL);
	else
		(void)verdict_say(out, VERDICT_DENIED, &(struct message){&wrong, 1});
}

/* The connection and the lock are closed in it, and it goes with the plugin, or when it is done. */
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

static void children_are_bounded(void **state)
{
	struct verdict_children children = {.n = VERDICT_CHILDREN_MAX};
	cleanup_arena arena = {0};
	struct verdict verdict;

	(void)state;
	verdict_find(&children, &arena, says_in_parts, NULL, 600000, &verdict);
	assert_int_equal(verdict.kind, VERDICT_LATE);
	assert_int_equal(children.n, VERDICT_CHILDREN_MAX);
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
	assert_int_equal(nri_status_read(&arena, dir.fd, &read, &err), -ENOENT);
	unit_write(dir.fd, NRI_STATUS_PATH, nri_status_text(&arena, &status, &len), 0644);
	assert_int_equal(nri_status_read(&arena, dir.fd, &read, &err), 0);
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
	assert_int_equal(nri_status_read(&arena, dir.fd, &read, &err), -1);
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
	unit_add(&suite, "a child holds neither the connection nor the lock, and ends",
		 a_child_holds_nothing, NULL);
	unit_add(&suite, "a verdict that is not heard is not said", what_is_not_heard_is_not_said,
		 NULL);
	unit_add(&suite, "children that hang are bounded", children_are_bounded, NULL);
	unit_add(&suite, "the status file is read as it was written", status_is_read_as_written,
		 NULL);
	unit_add(&suite, "a process is known by its start", process_start_is_read, NULL);
	return unit_run(&suite, "nri_verdict");
}
