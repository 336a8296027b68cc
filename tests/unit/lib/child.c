/* SPDX-License-Identifier: Apache-2.0 */
/* A child that answers through a pipe: its deadline and its end */
#include "tests/unit/unit.h"

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "lib/child.h"

static void say_one_and_a_half(UNUSED void *context, int out)
{
	(void)fs_write(out, "abc", 3);
}

UNIT_TEST("child: no half record")
{
	struct err err = {0};
	struct child child;
	char record[2];

	assert_int_equal(
		child_start(&child, NULL, say_one_and_a_half, NULL, UNIT_PATIENCE * 1000, &err), 0);
	assert_int_equal(child_read(&child, record, sizeof(record)), 1);
	assert_memory_equal(record, "ab", 2);
	assert_int_equal(child_read(&child, record, sizeof(record)), -EPROTO);
	assert_int_equal(child_end(&child), 0);
}

static void say_and_stay(UNUSED void *context, int out)
{
	for (int i = 0; i < 100; i++)
		(void)fs_write(out, "x", 1);
	(void)pause();
}

/* Even a child that keeps writing is killed: the deadline comes first. */
UNIT_TEST("child: what it says after its time is not read")
{
	struct err err = {0};
	struct child child;
	int limit = 300;
	char record;

	/* On a busy machine the first record may be late. */
	for (;; limit *= 2) {
		assert_int_equal(child_start(&child, NULL, say_and_stay, NULL, limit, &err), 0);
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

	(void)fs_write(out, &pid, sizeof(pid));
	for (;;)
		(void)pause();
}

/* A killed doctor leaves no child that holds a GPU. */
static void tell_death_signal(UNUSED void *context, int out)
{
	int number = 0;

	(void)prctl(PR_GET_PDEATHSIG, &number);
	(void)!write(out, &number, sizeof(number));
}

UNIT_TEST("child: dies with its parent")
{
	struct err err = {0};
	struct child child;
	int number;

	assert_int_equal(
		child_start(&child, NULL, tell_death_signal, NULL, UNIT_PATIENCE * 1000, &err), 0);
	assert_int_equal(child_read(&child, &number, sizeof(number)), 1);
	(void)child_end(&child);
	assert_int_equal(number, SIGKILL);
}

/* A child that does not end is killed. */
UNIT_TEST("child: it is gone when it is ended")
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

int main(void)
{
	return unit_main("child");
}
