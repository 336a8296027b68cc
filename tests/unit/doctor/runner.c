/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that hang, crash or fail cost their own findings only. */
#include <pty.h>

#include "doctor/process/progress.h"
#include "doctor/runner.h"
#include "tests/unit/unit.h"

static int add_two(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	(void)doctor;
	(void)err;
	return findings_add(findings, "two", "a", FINDING_WARN, "do it", "first") < 0 ||
			       findings_add(findings, "two", "b", FINDING_OK, NULL, "second") < 0
		       ? -1
		       : 0;
}

static int fail_to_run(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	(void)doctor;
	(void)findings;
	return err_set(err, "it is not there");
}

static int hang(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	(void)doctor;
	(void)err;
	(void)findings_add(findings, "lost", NULL, FINDING_OK, NULL, "never told");
	(void)pause();
	return 0;
}

static int crash(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	(void)doctor;
	(void)findings;
	(void)err;
	abort();
}

/* As a library may do it to whoever calls it */
static int leave(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	(void)doctor;
	(void)findings;
	(void)err;
	exit(0);
}

static int move(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	(void)doctor;
	(void)err;
	return chdir("/proc") < 0
		       ? -1
		       : findings_add(findings, "moved", NULL, FINDING_OK, NULL, "there");
}

static struct findings run(struct arena *arena, const struct check *checks, size_t n,
			   bool container)
{
	struct doctor doctor = DOCTOR_NONE;
	struct findings findings = {.arena = arena};
	struct err err;

	doctor.location.container = container;
	assert_int_equal(runner_run(&doctor, checks, n, &findings, &err), 0);
	return findings;
}

static void assert_finding(const struct finding *finding, const char *id,
			   enum finding_status status, const char *evidence)
{
	assert_string_equal(finding->id, id);
	assert_int_equal(finding->status, status);
	assert_has(finding->evidence, evidence);
}

UNIT_TEST("findings come in the order of the checks, whole")
{
	static const struct check checks[] = {
		{"one", "fails", CHECK_EVERYWHERE, 5, fail_to_run},
		{"two", "adds two", CHECK_EVERYWHERE, 0, add_two},
	};
	cleanup_arena arena = {0};
	struct findings findings = run(&arena, checks, LENGTH(checks), false);

	assert_int_equal(findings.n, 3);
	assert_finding(&findings.item[0], "one", FINDING_UNCHECKED, "it is not there");
	assert_finding(&findings.item[1], "two", FINDING_WARN, "first");
	assert_string_equal(findings.item[1].subject, "a");
	assert_string_equal(findings.item[1].remedy, "do it");
	assert_finding(&findings.item[2], "two", FINDING_OK, "second");
}

UNIT_TEST("one that hangs, crashes or leaves is said, and the next is made")
{
	static const struct check checks[] = {
		{"hangs", "waits", CHECK_EVERYWHERE, 1, hang},
		{"crashes", "aborts", CHECK_EVERYWHERE, 5, crash},
		{"leaves", "ends", CHECK_EVERYWHERE, 5, leave},
		{"two", "adds two", CHECK_EVERYWHERE, 5, add_two},
	};
	cleanup_arena arena = {0};
	struct findings findings = run(&arena, checks, LENGTH(checks), false);

	assert_int_equal(findings.n, 5);
	assert_finding(&findings.item[0], "hangs", FINDING_UNCHECKED, "not finished after 1 s");
	assert_finding(&findings.item[1], "crashes", FINDING_UNCHECKED, "signal 6");
	assert_finding(&findings.item[2], "leaves", FINDING_UNCHECKED, "ended in the middle");
	assert_finding(&findings.item[3], "two", FINDING_WARN, "first");
}

UNIT_TEST("a check is made where it belongs")
{
	static const struct check checks[] = {
		{"node", "", CHECK_ON_NODE, 5, fail_to_run},
		{"container", "", CHECK_IN_CONTAINER, 5, fail_to_run},
	};
	cleanup_arena arena = {0};
	struct findings on_node = run(&arena, checks, LENGTH(checks), false);
	struct findings inside = run(&arena, checks, LENGTH(checks), true);

	assert_int_equal(on_node.n, 1);
	assert_string_equal(on_node.item[0].id, "node");
	assert_int_equal(inside.n, 1);
	assert_string_equal(inside.item[0].id, "container");
}

UNIT_TEST("what a check does to its process stays there")
{
	static const struct check checks[] = {{"moved", "moves", CHECK_EVERYWHERE, 5, move}};
	cleanup_arena arena = {0};
	char before[4096];
	char after[4096];

	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(run(&arena, checks, LENGTH(checks), false).n, 1);
	assert_non_null(getcwd(after, sizeof(after)));
	assert_string_equal(before, after);
}

/* Who sits at a terminal has a watching process, which a check that does not die must not keep: it
 * has what we had open when it was forked. */
UNIT_TEST("the progress at a terminal ends, also beside a check that does not die")
{
	struct progress progress = PROGRESS_NONE;
	cleanup_fd terminal = -1;
	cleanup_fd user = -1;
	cleanup_fd before = dup(STDERR_FILENO);
	pid_t stuck;

	assert_int_equal(openpty(&user, &terminal, NULL, NULL, NULL), 0);
	assert_true(dup2(terminal, STDERR_FILENO) >= 0);
	progress_start(&progress);
	assert_true(dup2(before, STDERR_FILENO) >= 0);
	assert_true(progress.out >= 0);
	stuck = fork();
	if (stuck == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)pause();
		_exit(0);
	}
	(void)alarm(UNIT_PATIENCE);
	progress_end(&progress);
	(void)alarm(0);
	(void)kill(stuck, SIGKILL);
	assert_int_equal(waitpid(stuck, NULL, 0), stuck);
}

int main(void)
{
	return unit_main("runner");
}
