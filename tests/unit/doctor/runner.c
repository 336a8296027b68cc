/* SPDX-License-Identifier: Apache-2.0 */
/* A check that hangs, crashes or fails costs only its own findings. */
#include "doctor/runner.h"
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/resource.h>

#define CHECK(name)                                                                                \
	static int name(UNUSED const struct doctor *doctor, UNUSED struct findings *findings)

CHECK(add_two)
{
	if (findings_add(findings, "two", "a", FINDING_WARN, "do it", "first") < 0)
		return -1;
	return findings_add(findings, "two", "b", FINDING_OK, NULL, "second");
}

CHECK(fail_to_run)
{
	return err_set(&findings->err, "it is not there");
}

CHECK(lack_memory)
{
	return -1;
}

CHECK(hang)
{
	(void)findings_add(findings, "lost", NULL, FINDING_OK, NULL, "never told");
	return pause();
}

CHECK(crash)
{
	abort();
}

/* A library could do this to its caller. */
CHECK(leave)
{
	exit(0);
}

CHECK(move)
{
	if (chdir("/proc") < 0)
		return -1;
	return findings_add(findings, "moved", NULL, FINDING_OK, NULL, "there");
}

#define PLACES                                                                                     \
	LIST({"node", "", CHECK_ON_NODE, 5, fail_to_run},                                          \
	     {"container", "", CHECK_IN_CONTAINER, 5, fail_to_run})

static const struct run_case {
	const char *name;
	bool container;
	struct check checks[5];
	const char *told; /* each finding as "id subject status evidence -> remedy" */
} run_cases[] = {
	{"findings come in the order of the checks, whole", false,
	 LIST({"one", "fails", CHECK_EVERYWHERE, 5, fail_to_run},
	      {"two", "adds two", CHECK_EVERYWHERE, 0, add_two}),
	 "one  not checkable it is not there\ntwo a warn first -> do it\ntwo b ok second\n"},
	{"one that hangs, crashes or leaves is said, and the next is made", false,
	 LIST({"hangs", "waits", CHECK_EVERYWHERE, 1, hang},
	      {"crashes", "aborts", CHECK_EVERYWHERE, 5, crash},
	      {"leaves", "ends", CHECK_EVERYWHERE, 5, leave},
	      {"two", "adds two", CHECK_EVERYWHERE, 5, add_two}),
	 "hangs  not checkable not finished after 1 s (waits)\n"
	 "crashes  not checkable ended by signal 6 (aborts)\n"
	 "leaves  not checkable ended in the middle (ends)\n"
	 "two a warn first -> do it\ntwo b ok second\n"},
	{"a check is made where it belongs: on a node", false, PLACES,
	 "node  not checkable it is not there\n"},
	{"a check is made where it belongs: in a container", true, PLACES,
	 "container  not checkable it is not there\n"},
	{"a check that says no reason had no memory", false,
	 LIST({"lacks", "", CHECK_EVERYWHERE, 5, lack_memory}),
	 "lacks  not checkable out of memory\n"},
	{"what a check does to its process stays there", false,
	 LIST({"moved", "moves", CHECK_EVERYWHERE, 5, move}), "moved  ok there\n"},
};

UNIT_ROWS(run_cases)
{
	WITH_ARENA;
	struct doctor doctor = DOCTOR_NONE;
	struct findings findings = {.arena = &arena};
	char before[4096], after[4096];
	const char *told = "";
	size_t n = 0;

	while (n < LENGTH(row->checks) && row->checks[n].id)
		n++;
	doctor.location.container = row->container;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(runner_run(&doctor, row->checks, n, &findings), 0);
	assert_non_null(getcwd(after, sizeof(after)));
	assert_string_equal(before, after);
	for (size_t i = 0; i < findings.n; i++) {
		const struct finding *one = &findings.item[i];

		told = arena_printf(&arena, "%s%s %s %s %s%s%s\n", told, one->id, one->subject,
				    finding_status_name(one->status), one->evidence,
				    one->status == FINDING_WARN ? " -> " : "",
				    one->status == FINDING_WARN ? one->remedy : "");
	}
	assert_string_equal(told, row->told);
}

CHECK(look_around)
{
	struct rlimit core = {1, 1};
	struct stat null = {0};
	struct stat st = {0};
	sigset_t mask;
	int n = 0;

	(void)getrlimit(RLIMIT_CORE, &core);
	(void)stat("/dev/null", &null);
	for (int fd = 0; fd < 3; fd++)
		n += fstat(fd, &st) == 0 && st.st_rdev == null.st_rdev;
	(void)sigprocmask(SIG_SETMASK, NULL, &mask);
	return findings_add(findings, "around", NULL, FINDING_OK, NULL, "%d null, core %d, mask %d",
			    n, core.rlim_max != 0, sigismember(&mask, SIGTERM));
}

UNIT_TEST("a check has no streams, no core file and no signal blocked")
{
	static const struct check check = {"around", "looks", CHECK_EVERYWHERE, 5, look_around};
	WITH_ARENA;
	struct doctor doctor = DOCTOR_NONE;
	struct findings findings = {.arena = &arena};
	struct rlimit core;
	sigset_t term;
	sigset_t before;

	/* The hard limit: with 0 from the start, the test would prove nothing. */
	assert_int_equal(getrlimit(RLIMIT_CORE, &core), 0);
	core.rlim_cur = core.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_CORE, &core), 0);
	(void)sigemptyset(&term);
	(void)sigaddset(&term, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &term, &before), 0);
	assert_int_equal(runner_run(&doctor, &check, 1, &findings), 0);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
	assert_int_equal(findings.n, 1);
	assert_string_equal(findings.item[0].evidence, "3 null, core 0, mask 0");
}

int main(void)
{
	return unit_main("runner");
}
