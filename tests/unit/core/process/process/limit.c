/* SPDX-License-Identifier: Apache-2.0 */
/* Raising a container's limit, and whose root it has */
#include <poll.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "core/process/memlock.h"
#include "core/process/process.h"
#include "processes.h"

#define LOW ((struct rlimit64){1 << 16, 1 << 16})

static void drop_resource_capability(void)
{
	cap_t capabilities = cap_get_proc();
	cap_value_t value = CAP_SYS_RESOURCE;

	(void)cap_set_flag(capabilities, CAP_EFFECTIVE, 1, &value, CAP_CLEAR);
	(void)cap_set_proc(capabilities);
	(void)cap_free(capabilities);
}

struct limit_case {
	const char *name;
	struct rlimit64 before;
	uint64_t bytes;
	struct rlimit64 after;
	bool changed;
};

static const struct limit_case limit_cases[] = {
	{"limit: a soft one goes up to the hard one", {1 << 15, 1 << 16}, 1 << 16, LOW, true},
	{"limit: what is high enough stays", LOW, 1 << 16, LOW, false},
	{"limit: what is higher stays", LOW, 1 << 12, LOW, false},
};

UNIT_ROWS(limit_cases)
{
	struct rlimit64 limit;
	struct err err;
	bool changed = !row->changed;
	pid_t pid = unit_start(sleep_long, NULL);
	/* A test's child is not our runtime's: open it by hand. */
	cleanup_fd pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	assert_int_equal(prlimit64(pid, RLIMIT_MEMLOCK, &row->before, NULL), 0);
	assert_int_equal(process_raise_memlock(pid, pidfd, row->bytes, &changed, &err), 0);
	assert_int_equal(changed, row->changed);
	assert_int_equal(prlimit64(pid, RLIMIT_MEMLOCK, NULL, &limit), 0);
	assert_memory_equal(&limit, &row->after, sizeof(limit));
	end(pid);
	/* An ended process is no error. */
	assert_int_equal(process_raise_memlock(pid, pidfd, UINT64_MAX, &changed, &err), 0);
	assert_false(changed);
}

/* The test kills it before process_raise_memlock() looks again. */
static pid_t ends;

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	static int looks;

	if (ends && looks++)
		end(ends);
	return ppoll(fds, n, &(struct timespec){.tv_sec = timeout}, NULL);
}

UNIT_TEST("limit: of one that ends while it is changed, nobody knows whose it was")
{
	struct err err;
	bool changed = true;
	pid_t pid = ends = unit_start(sleep_long, NULL);
	cleanup_fd pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	assert_int_equal(prlimit64(pid, RLIMIT_MEMLOCK, &limit_cases[0].before, NULL), 0);
	assert_int_equal(process_raise_memlock(pid, pidfd, 1 << 16, &changed, &err), 0);
	assert_false(changed);
	ends = 0;
}

/* 0: refused, with a reason */
static int raise_without_the_right(const void *context)
{
	pid_t pid = *(const pid_t *)context;
	struct err err;
	bool changed = false;

	drop_resource_capability();
	if (process_raise_memlock(pid, -1, 1 << 20, &changed, &err) == 0 || changed)
		return 1;
	return strstr(err.text, "needs CAP_SYS_RESOURCE on the node") ? 0 : 2;
}

UNIT_TEST("without CAP_SYS_RESOURCE it is an error that says so")
{
	pid_t pid = unit_start(sleep_long, NULL);
	struct rlimit64 limit;

	assert_int_equal(prlimit64(pid, RLIMIT_MEMLOCK, &LOW, NULL), 0);
	assert_int_equal(unit_result_of(raise_without_the_right, &pid), 0);
	assert_int_equal(prlimit64(pid, RLIMIT_MEMLOCK, NULL, &limit), 0);
	assert_memory_equal(&limit, &LOW, sizeof(limit));
	end(pid);
}

/* Exits with 0 if prediction and kernel agree on each amount */
static int ask_and_try(const void *context)
{
	static const uint64_t amounts[] = {0, 1 << 16, (1 << 16) + 1, 1 << 20, UINT64_MAX};

	if (context)
		drop_resource_capability();
	if (prlimit64(0, RLIMIT_MEMLOCK, &LOW, NULL) < 0)
		return UNIT_NOT_HERE;
	for (size_t i = 0; i < LENGTH(amounts); i++) {
		struct rlimit64 limit = LOW;
		uint64_t max = own_memlock_max();
		int said = max && max < amounts[i] ? -1 : 0;

		(void)memlock_raise(&limit, amounts[i]);
		if (prlimit64(0, RLIMIT_MEMLOCK, &limit, NULL) != said)
			return 2;
		/* Anybody may lower it again. */
		(void)prlimit64(0, RLIMIT_MEMLOCK, &LOW, NULL);
	}
	return 0;
}

UNIT_TEST("what may be had is what the kernel gives")
{
	assert_int_equal(unit_result_of(ask_and_try, NULL), 0);
	assert_int_equal(unit_result_of(ask_and_try, &LOW), 0);
}

UNIT_TEST("the rights of a user namespace raise nothing")
{
	char map[32];

	snprintf(map, sizeof(map), "0 %u 1\n", geteuid());
	assert_int_equal(unit_exit_of(unit_start_mapped(ask_and_try, NULL, map, NULL)), 0);
}

/* With systemd's PrivateUsers=identity or full the map equals the first namespace's: same ids,
 * without the node's rights. */
UNIT_TEST_FOR_ROOT("nor do those of one that maps all ids to themselves")
{
	const char *map = "0 0 4294967295\n";

	assert_int_equal(unit_exit_of(unit_start_mapped(ask_and_try, NULL, map, NULL)), 0);
}

/* Requested capabilities that the bounding set lacks */
static int drop_and_ask(const void *context)
{
	uint64_t bounds = UINT64_C(1) << CAP_CHOWN | UINT64_C(1) << CAP_IPC_LOCK;

	(void)context;
	if (own_lacks_capabilities(bounds))
		return UNIT_NOT_HERE;
	if (prctl(PR_CAPBSET_DROP, CAP_IPC_LOCK, 0, 0, 0) < 0)
		return UNIT_NOT_HERE;
	if (own_lacks_capabilities(bounds) != UINT64_C(1) << CAP_IPC_LOCK)
		return 1;
	/* Nobody has an unknown one. */
	return own_lacks_capabilities(UINT64_C(1) << 63 | UINT64_C(1) << CAP_CHOWN) == UINT64_C(1)
											       << 63
		       ? 0
		       : 2;
}

UNIT_TEST_FOR_ROOT("capabilities that the bounding set lacks")
{
	assert_int_equal(unit_result_of(drop_and_ask, NULL), 0);
}

int main(void)
{
	return unit_main("limit");
}
