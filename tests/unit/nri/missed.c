/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugin counts and names of containers that were missed, and when it looks again */
#include "tests/unit/unit.h"

#include "core/base/clock.h"
#include "nri/missed.h"

#define NEVER INT64_MAX

static const struct options options = {.sysroot = "/nonexistent"};

/* What is on its way from the child. m: missed, M: and known before; d, D: mended; u: unseen */
static struct look_report report_of(char kind, size_t number)
{
	struct look_report report = {
		.kind = kind == 'u'                  ? LOOK_UNSEEN
			: kind == 'd' || kind == 'D' ? LOOK_MENDED
			: kind == 'e'                ? LOOK_END
						     : LOOK_MISSED,
		.known = kind == 'M' || kind == 'D',
	};

	(void)snprintf(report.id, sizeof(report.id), "id%zu", number);
	(void)snprintf(report.who, sizeof(report.who), "team-a/pod/%zu", number);
	return report;
}

static void begin(struct missed *missed, const struct options *of)
{
	memset(missed, 0, sizeof(*missed));
	missed_begin(missed, of);
	missed->closed[0] = &missed->in;
}

/* ---- what counts ---- */

static const struct count_case {
	const char *name;
	const char *reports;
	size_t more; /* missed ones in front */
	uint64_t found;
	uint64_t mended;
	uint64_t open;
	uint64_t unnamed;
	uint64_t unseen;
	size_t named;
} count_cases[] = {
	{"none", "", 0, 0, 0, 0, 0, 0, 0},
	{"one missed", "m", 0, 1, 0, 1, 0, 0, 1},
	{"one that was known is open, and not found again", "M", 0, 0, 0, 1, 0, 0, 1},
	{"one mended is named, and not open", "d", 0, 1, 1, 0, 0, 0, 1},
	{"one mended that was known is not counted again", "D", 0, 0, 0, 0, 0, 0, 1},
	{"one unseen is not named", "u", 0, 0, 0, 0, 0, 1, 0},
	{"of each one", "mMdDu", 0, 2, 1, 2, 0, 1, 4},
	{"as many as are named", "m", NRI_MISSED_MAX - 1, NRI_MISSED_MAX, 0, NRI_MISSED_MAX, 0, 0,
	 NRI_MISSED_MAX},
	{"more than are named are open", "mM", NRI_MISSED_MAX, NRI_MISSED_MAX + 1, 0,
	 NRI_MISSED_MAX + 2, 2, 0, NRI_MISSED_MAX},
	{"one mended beyond is not open", "d", NRI_MISSED_MAX, NRI_MISSED_MAX + 1, 1,
	 NRI_MISSED_MAX, 0, 0, NRI_MISSED_MAX},
};

static void counts_are(const struct missed *missed, const struct count_case *row)
{
	const struct nri_missed_status *status = &missed->status;

	assert_int_equal(status->found, row->found);
	assert_int_equal(status->mended, row->mended);
	assert_int_equal(status->open, row->open);
	assert_int_equal(status->unnamed, row->unnamed);
	assert_int_equal(status->unseen, row->unseen);
	assert_int_equal(status->n, row->named);
}

static void is_counted(void **state)
{
	static struct missed missed;
	const struct count_case *row = *state;

	begin(&missed, &options);
	for (size_t i = 0; i < row->more; i++) {
		const struct look_report report = report_of('m', i);

		missed_add(&missed, &report);
	}
	for (const char *kind = row->reports; *kind; kind++) {
		const struct look_report report = report_of(*kind, row->more);

		missed_add(&missed, &report);
	}
	counts_are(&missed, row);
	assert_ptr_equal(missed.status.item, missed.shown);
	if (!row->named)
		return;
	assert_string_equal(missed.shown[0].id, "id0");
	assert_string_equal(missed.shown[0].who, "team-a/pod/0");
	assert_int_equal(missed.shown[0].mended,
			 !row->more && (row->reports[0] == 'd' || row->reports[0] == 'D'));
}

/* They are printed on a terminal. */
static void names_are_printable(void **state)
{
	static struct missed missed;
	struct look_report report = report_of('m', 0);

	(void)state;
	(void)snprintf(report.id, sizeof(report.id), "a\x1b[31mb");
	(void)snprintf(report.who, sizeof(report.who), "c\nd\x7f");
	begin(&missed, &options);
	missed_add(&missed, &report);
	assert_string_equal(missed.shown[0].id, "a?[31mb");
	assert_string_equal(missed.shown[0].who, "c?d?");
}

/* ---- what the child says ---- */

static int sleep_on(const void *context)
{
	(void)context;
	return pause();
}

/* A child that has these reports written. Returns the pipe's writing end. */
static int begin_child(struct missed *missed, const char *reports, int64_t deadline)
{
	int ends[2];

	begin(missed, &options);
	missed->child = unit_start(sleep_on, NULL);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	for (size_t i = 0; reports[i]; i++) {
		struct look_report report = report_of(reports[i], i);

		assert_int_equal(write(ends[1], &report, sizeof(report)), sizeof(report));
	}
	missed->in = ends[0];
	missed->deadline = deadline;
	return ends[1];
}

static void gone_at_last(struct missed *missed)
{
	for (int tries = 0; missed->n_leaving && tries < UNIT_PATIENCE * 100; tries++) {
		(void)usleep(10000);
		(void)missed_tend(missed);
	}
	assert_int_equal(missed->n_leaving, 0);
}

static const struct child_case {
	const char *name;
	struct count_case counts; /* its name is nothing */
	bool closes;
	bool late;
	bool changes;
	bool over;
} child_cases[] = {
	{"nothing yet", {"", "", 0, 0, 0, 0, 0, 0, 0}, false, false, false, false},
	{"some of it", {"", "mu", 0, 1, 0, 1, 0, 1, 1}, false, false, true, false},
	{"all, and its end", {"", "mme", 0, 2, 0, 2, 0, 0, 2}, true, false, true, true},
	{"nothing is missed", {"", "e", 0, 0, 0, 0, 0, 0, 0}, true, false, true, true},
	{"it ended early: one more is unseen",
	 {"", "m", 0, 1, 0, 1, 0, 1, 1},
	 true,
	 false,
	 true,
	 true},
	{"its time is over: one more is unseen",
	 {"", "mu", 0, 1, 0, 1, 0, 2, 1},
	 false,
	 true,
	 true,
	 true},
};

static void is_heard(void **state)
{
	static struct missed missed;
	const struct child_case *row = *state;
	int64_t now = clock_ms();
	int out = begin_child(&missed, row->counts.reports,
			      row->late ? now : now + UNIT_PATIENCE * 1000);
	pid_t child = missed.child;

	if (row->closes)
		assert_int_equal(close(out), 0);
	assert_int_equal(missed_tend(&missed), row->changes);
	counts_are(&missed, &row->counts);
	assert_int_equal(missed.in < 0, row->over);
	assert_int_equal(missed.n_leaving, row->over);
	assert_int_equal(missed.deadline == NEVER, row->over);
	if (!row->counts.named)
		assert_true(missed.check_at == NEVER);
	else
		assert_in_range(missed.check_at, now + MISSED_EACH_MS, clock_ms() + MISSED_EACH_MS);
	if (row->over) {
		assert_int_equal(missed.leaving[0], child);
		gone_at_last(&missed);
		assert_false(missed_tend(&missed));
	}
	missed_end(&missed);
	gone_at_last(&missed);
	if (!row->closes)
		(void)close(out);
}

/* ---- which has ended ---- */

static void what_has_ended_is_missed_no_more(void **state)
{
	static struct missed missed;
	cleanup_unit_dir dir = unit_dir_make();
	const struct options here = {.sysroot = dir.path};

	(void)state;
	unit_write(dir.fd, "sys/fs/cgroup/a/1/cgroup.procs", "", 0600);
	unit_write(dir.fd, "sys/fs/cgroup/a/2/cgroup.procs", "", 0600);
	begin(&missed, &here);
	for (size_t i = 0; i < 3; i++) {
		struct look_report report = report_of('m', i);

		(void)snprintf(report.cgroup, sizeof(report.cgroup), "sys/fs/cgroup/a/%zu", i);
		missed_add(&missed, &report);
	}
	assert_false(missed_tend(&missed));
	assert_int_equal(missed.status.open, 3);
	missed.check_at = clock_ms();
	assert_int_equal(missed_next(&missed), missed.check_at);
	assert_true(missed_tend(&missed));
	assert_int_equal(missed.status.open, 2);
	assert_int_equal(missed.status.found, 3);
	assert_string_equal(missed.shown[0].id, "id1");
	assert_string_equal(missed.shown[1].id, "id2");
	assert_in_range(missed.check_at, clock_ms() + 1, clock_ms() + MISSED_EACH_MS);
	missed.check_at = clock_ms();
	assert_false(missed_tend(&missed));
	unit_empty(dir.fd);
	unit_write(dir.fd, "sys/fs/cgroup/b/cgroup.procs", "", 0600);
	missed.check_at = clock_ms();
	assert_true(missed_tend(&missed));
	assert_int_equal(missed.status.open, 0);
	assert_true(missed_next(&missed) == NEVER);
}

static void the_next_time_is_the_earlier_one(void **state)
{
	static struct missed missed;

	(void)state;
	begin(&missed, &options);
	assert_true(missed_next(&missed) == NEVER);
	missed.deadline = 7;
	assert_int_equal(missed_next(&missed), 7);
	missed.check_at = 6;
	assert_int_equal(missed_next(&missed), 6);
}

/* ---- children ---- */

static const struct leaving_case {
	const char *name;
	size_t n;    /* that hang */
	size_t gone; /* that have ended */
	bool starts;
} leaving_cases[] = {
	{"a child is started", 0, 0, true},
	{"a child is started beside three that hang", MISSED_LEAVING_MAX - 1, 0, true},
	{"no child is started beside four that hang", MISSED_LEAVING_MAX, 0, false},
	{"a child is started where one of four has ended", MISSED_LEAVING_MAX - 1, 1, true},
};

static int end_at_once(const void *context)
{
	(void)context;
	return 0;
}

static void starts_a_child(void **state)
{
	static struct missed missed;
	const struct leaving_case *row = *state;
	const struct look look = {.options = &options, .since = "now"};
	const struct look_report before = report_of('m', 1);
	siginfo_t info;

	begin(&missed, &options);
	missed_add(&missed, &before);
	missed.status.unnamed = 3;
	for (size_t i = 0; i < row->n + row->gone; i++) {
		pid_t pid = unit_start(i < row->n ? sleep_on : end_at_once, NULL);

		if (i >= row->n)
			assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
		missed.leaving[missed.n_leaving++] = pid;
	}
	missed_look(&missed, &look);
	assert_int_equal(missed.in >= 0, row->starts);
	assert_int_equal(missed.n_leaving, row->n);
	if (row->starts)
		assert_in_range(missed.deadline, clock_ms() + 1, clock_ms() + LOOK_PATIENCE_MS);
	else
		assert_true(missed_next(&missed) == NEVER);
	counts_are(&missed, &(struct count_case){.found = 1, .unseen = 1});
	for (size_t i = 0; i < row->n; i++)
		(void)kill(missed.leaving[i], SIGKILL);
	missed_end(&missed);
	gone_at_last(&missed);
}

/* The next Synchronize comes while the look after the last one goes on. */
static void the_last_look_is_stopped(void **state)
{
	static struct missed missed;
	const struct look look = {.options = &options, .whole = true, .since = "now"};
	int out = begin_child(&missed, "m", NEVER);
	pid_t child = missed.child;

	(void)state;
	missed_look(&missed, &look);
	assert_int_equal(missed.n_leaving, 1);
	assert_int_equal(missed.leaving[0], child);
	assert_int_not_equal(missed.child, child);
	counts_are(&missed, &(struct count_case){0});
	missed_end(&missed);
	gone_at_last(&missed);
	assert_int_equal(close(out), 0);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE_AS(&suite, "missed: ", is_counted, count_cases);
	unit_add(&suite, "missed: names are printable", names_are_printable, NULL);
	UNIT_TABLE_AS(&suite, "missed: the child says ", is_heard, child_cases);
	unit_add(&suite, "missed: what has ended is missed no more",
		 what_has_ended_is_missed_no_more, NULL);
	unit_add(&suite, "missed: the next time is the earlier one",
		 the_next_time_is_the_earlier_one, NULL);
	UNIT_TABLE_AS(&suite, "missed: ", starts_a_child, leaving_cases);
	unit_add(&suite, "missed: another Synchronize stops the last look",
		 the_last_look_is_stopped, NULL);
	return unit_run(&suite, "nri_missed");
}
