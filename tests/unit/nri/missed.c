/* SPDX-License-Identifier: Apache-2.0 */
/* Counting and naming missed containers, and when to look again */
#include "nri/session.h"
#include "tests/unit/nri/nri.h"

#include "core/base/clock.h"
#include "nri/missed.h"
#include "nri/missed_check.h"

static uint64_t unseen;
static struct children children;
static struct missed missed = {.children = &children, .unseen = &unseen, .child.in = -1};

static const struct options nowhere = {.sysroot = "/nonexistent"};

/* ---- which there are ---- */

static void leave_record(struct unit_dir *dir, const char *name, const char *members)
{
	char path[128];

	snprintf(path, sizeof(path), RECORD_DIR "/%s.json", name);
	unit_write(dir->fd, path, members, 0600);
	assert_int_equal(fchmodat(dir->fd, RECORD_DIR, 0700, 0), 0);
}

#define RECORD(id, result, more)                                                                   \
	"{\"id\":\"" id "\",\"reason\":\"r\",\"entry_point\":\"nri\",\"result\":\"" result         \
	"\"" more "}"
#define IN(name) ",\"cgroup\":\"sys/fs/cgroup/a/" name "\""

UNIT_TEST("missed: those that run, by their records")
{
	WITH_DIR(dir);
	struct record *records;

	assert_int_equal(missed_list(&arena, dir.fd, &records, &err), 0);
	unit_write(dir.fd, "sys/fs/cgroup/a/there/cgroup.procs", "", 0600);
	leave_record(&dir, "n_u_a_missed_1_1", RECORD("1", "missed", IN("there")));
	leave_record(&dir, "n_u_b_missed_1_2", RECORD("2", "missed", IN("gone")));
	leave_record(&dir, "n_u_c_missed_1_3", RECORD("3", "missed", "")); /* unknown */
	leave_record(&dir, "n_u_d_mended_1_4", RECORD("4", "mended", IN("there")));
	leave_record(&dir, "n_u_e_granted_1_5", RECORD("5", "granted", IN("there")));
	leave_record(&dir, "n_u_f_missed_1_6", "{");
	assert_int_equal(missed_list(&arena, dir.fd, &records, &err), 3);
	assert_string_equal(records[0].id, "1");
	assert_string_equal(records[1].id, "3");
	assert_string_equal(records[2].id, "4");
	assert_int_equal(fchmodat(dir.fd, RECORD_DIR, 0777, 0), 0);
	assert_int_equal(missed_list(&arena, dir.fd, &records, &err), -1);
	assert_has(err.text, "must belong to root alone");
}

/* ---- what the child says ---- */

/* A child that has reported this. Returns the pipe's writing end. */
static int begin_child(const uint64_t *told, size_t len, int64_t deadline)
{
	int ends[2];

	unseen = 0;
	missed.child.pid = unit_start(goes_on, NULL);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], told, len), len);
	missed.child.in = ends[0];
	children.pid[children.n++] = missed.child.pid;
	missed.child.deadline = deadline;
	return ends[1];
}

/* None dies of this SIGTERM: each has exited, or was killed before. */
static void gone_at_last(void)
{
	siginfo_t end;

	for (size_t i = 0; i < children.n; i++) {
		assert_int_equal(kill(children.pid[i], SIGTERM), 0);
		assert_int_equal(waitid(P_PID, (id_t)children.pid[i], &end, WEXITED | WNOWAIT), 0);
		assert_true(end.si_code == CLD_EXITED || end.si_status == SIGKILL);
	}
	children_reap(&children);
	assert_int_equal(children.n, 0);
}

static const struct child_case {
	const char *name;
	uint64_t told;
	size_t len; /* that much of it */
	uint64_t unseen;
	bool closes;
	bool late;
	bool over;
} child_cases[] = {
	{"nothing yet", 0, 0, 0, false, false, false},
	{"that all were seen", 0, sizeof(uint64_t), 0, false, false, true},
	{"how many are unseen", 300, sizeof(uint64_t), 300, true, false, true},
	{"nothing: it ended early, so one is unseen", 0, 0, 1, true, false, true},
	{"a part: it ended early, so one is unseen", 7, 3, 1, true, false, true},
	{"nothing, and its time is over: one is unseen", 0, 0, 1, false, true, true},
};

UNIT_ROWS_AS("missed: the child says ", child_cases)
{
	struct heard heard = hear_log();
	int64_t now = clock_ms();
	int out = begin_child(&row->told, row->len, row->late ? now : now + UNIT_PATIENCE * 1000);

	if (row->closes)
		assert_int_equal(close(out), 0);
	assert_int_equal(missed_tend(&missed), row->over);
	assert_int_equal(heard_log(&heard), row->over && row->len < sizeof(row->told));
	assert_int_equal(unseen, row->unseen);
	assert_int_equal(missed.child.in < 0, row->over);
	if (row->over)
		assert_false(missed_tend(&missed));
	missed_stop(&missed);
	gone_at_last();
	if (!row->closes)
		(void)close(out);
}

/* ---- children ---- */

/* The next Synchronize arrives during the look after the last one. */
UNIT_TEST("missed: another Synchronize stops the last look, and forgets what it found")
{
	const struct look look = {&nowhere, &(struct known){.n = 0}};
	struct heard heard = hear_log();
	int out = begin_child(NULL, 0, INT64_MAX);
	pid_t child = missed.child.pid;
	int in;

	unseen = 3;
	missed_look(&missed, &look);
	assert_int_equal(heard_log(&heard), 0);
	assert_int_not_equal(missed.child.pid, child);
	assert_in_range(children.n, 1, 2); /* the stopped one may have ended */
	assert_true(missed.child.in >= 0);
	assert_in_range(missed.child.deadline, clock_ms() + 1, clock_ms() + LOOK_PATIENCE_MS);
	assert_int_equal(unseen, 0);
	in = missed.child.in;
	missed_stop(&missed);
	assert_int_equal(missed.child.in, -1);
	assert_int_equal(fcntl(in, F_GETFD), -1);
	gone_at_last();
	assert_int_equal(close(out), 0);
}

UNIT_TEST("missed: no child is started beside as many as may hang, and what is lost is said")
{
	const struct look look = {&nowhere, &(struct known){.lost = true}};
	struct heard heard = hear_log();

	while (children.n < CHILDREN_MAX)
		children.pid[children.n++] = unit_start(goes_on, NULL);
	missed_look(&missed, &look);
	assert_int_equal(heard_log(&heard), 2); /* nor reported completely */
	assert_int_equal(missed.child.in, -1);
	assert_int_equal(children.n, CHILDREN_MAX);
	assert_int_equal(unseen, 1);
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		assert_int_equal(kill(children.pid[i], SIGKILL), 0);
	gone_at_last();
}
