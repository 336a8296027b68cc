/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugin counts and names of containers that were missed, and when it looks again */
#include "tests/unit/nri/nri.h"

#include "core/base/clock.h"
#include "nri/missed.h"

static struct missed missed;
static struct nri_missed_status status;
static struct children children;

/* What is on its way from the child. m: missed; d: mended; u: unseen */
static struct look_report report_of(char kind, size_t number)
{
	struct look_report report = {
		.kind = kind == 'u'   ? LOOK_UNSEEN
			: kind == 'd' ? LOOK_MENDED
			: kind == 'e' ? LOOK_END
			: kind == 'n' ? LOOK_NOTHING
				      : LOOK_MISSED,
	};

	(void)snprintf(report.id, sizeof(report.id), "id%zu", number);
	(void)snprintf(report.who, sizeof(report.who), "team-a/pod/%zu", number);
	(void)snprintf(report.cgroup, sizeof(report.cgroup), "sys/fs/cgroup/a/%zu", number);
	return report;
}

static void add(char kind, size_t number)
{
	const struct look_report report = report_of(kind, number);

	missed_add(&missed, &report);
}

static const struct options nowhere = {.sysroot = "/nonexistent"};

static void begin(const struct options *of)
{
	memset(&children, 0, sizeof(children));
	memset(&missed, 0, sizeof(missed));
	missed.options = of ? of : &nowhere;
	missed.children = &children;
	memset(&status, 0, sizeof(status));
	missed.status = &status;
	missed.child.in = -1;
	missed.checked_at = clock_ms();
}

struct counts {
	uint64_t open;
	uint64_t unnamed;
	uint64_t unseen;
	size_t named;
};

static void counts_are(const struct counts *want)
{
	assert_int_equal(status.open, want->open);
	assert_int_equal(status.unnamed, want->unnamed);
	assert_int_equal(status.unseen, want->unseen);
	assert_int_equal(status.n, want->named);
}

/* ---- what counts ---- */

#define MAX NRI_MISSED_MAX

static const struct count_case {
	const char *name;
	const char *reports;
	size_t more; /* missed ones in front */
	struct counts counts;
} count_cases[] = {
	{"none", "ne", 0, {0}},
	{"one missed", "m", 0, {1, 0, 0, 1}},
	{"one mended is named, and not open", "d", 0, {0, 0, 0, 1}},
	{"one unseen is not named", "u", 0, {0, 0, 1, 0}},
	{"of each one", "mdu", 0, {1, 0, 1, 2}},
	{"as many as are named", "m", MAX - 1, {MAX, 0, 0, MAX}},
	{"more than are named are open", "mm", MAX, {MAX + 2, 2, 0, MAX}},
	{"one mended beyond is not open", "d", MAX, {MAX, 0, 0, MAX}},
};

UNIT_ROWS_AS("missed: ", count_cases)
{
	begin(NULL);
	for (size_t i = 0; i < row->more; i++)
		add('m', i);
	for (const char *kind = row->reports; *kind; kind++)
		add(*kind, row->more);
	counts_are(&row->counts);
	if (!row->counts.named)
		return;
	assert_ptr_equal(status.item, missed.shown);
	assert_string_equal(missed.shown[0].id, "id0");
	assert_string_equal(missed.shown[0].who, "team-a/pod/0");
	assert_int_equal(missed.shown[0].mended, !row->more && row->reports[0] == 'd');
}

/* They are printed on a terminal. */
UNIT_TEST("missed: names are printable")
{
	struct look_report report = report_of('m', 0);

	(void)snprintf(report.id, sizeof(report.id), "a\x1b[31mb");
	(void)snprintf(report.who, sizeof(report.who), "c\nd\x7f");
	begin(NULL);
	missed_add(&missed, &report);
	assert_string_equal(missed.shown[0].id, "a?[31mb");
	assert_string_equal(missed.shown[0].who, "c?d?");
}

/* ---- what the child says ---- */

/* A child that has these reports written. Returns the pipe's writing end. */
static int begin_child(const char *reports, int64_t deadline)
{
	int ends[2];

	begin(NULL);
	missed.child.pid = unit_start(goes_on, NULL);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	for (size_t i = 0; reports[i]; i++) {
		struct look_report report = report_of(reports[i], i);

		assert_int_equal(write(ends[1], &report, sizeof(report)), sizeof(report));
	}
	missed.child.in = ends[0];
	children.pid[children.n++] = missed.child.pid;
	missed.child.deadline = deadline;
	return ends[1];
}

/* They were killed. */
static void gone_at_last(void)
{
	for (int tries = 0; children.n && tries < UNIT_PATIENCE * 100; tries++) {
		(void)usleep(10000);
		children_reap(&children);
	}
	assert_int_equal(children.n, 0);
}

static const struct child_case {
	const char *name;
	const char *reports;
	struct counts counts;
	bool closes;
	bool late;
} child_cases[] = {
	{"nothing yet", "", {0}, false, false},
	{"some of it", "mu", {1, 0, 1, 1}, false, false},
	{"all, and its end", "mme", {2, 0, 0, 2}, true, false},
	{"nothing is missed", "e", {0}, true, false},
	{"it ended early: one more is unseen", "m", {1, 0, 1, 1}, true, false},
	{"its time is over: one more is unseen", "mu", {1, 0, 2, 1}, false, true},
};

UNIT_ROWS_AS("missed: the child says ", child_cases)
{
	const bool over = row->closes || row->late;
	int64_t now = clock_ms();
	int out = begin_child(row->reports, row->late ? now : now + UNIT_PATIENCE * 1000);

	if (row->closes)
		assert_int_equal(close(out), 0);
	assert_int_equal(missed_tend(&missed), over || row->reports[0]);
	counts_are(&row->counts);
	assert_int_equal(missed.child.in < 0, over);
	if (over)
		assert_false(missed_tend(&missed));
	missed_stop(&missed);
	gone_at_last();
	if (!row->closes)
		(void)close(out);
}

/* ---- which has ended ---- */

static bool check_now(void)
{
	int64_t now = clock_ms();
	bool changed;

	missed.checked_at = now - MISSED_EACH_MS;
	changed = missed_tend(&missed);
	assert_true(missed.checked_at >= now);
	return changed;
}

UNIT_TEST("missed: what has ended is missed no more")
{
	cleanup_unit_dir dir = unit_dir_make();
	const struct options here = {.sysroot = dir.path};

	unit_write(dir.fd, "sys/fs/cgroup/a/1/cgroup.procs", "", 0600);
	unit_write(dir.fd, "sys/fs/cgroup/a/2/cgroup.procs", "", 0600);
	begin(&here);
	for (size_t i = 0; i < 3; i++)
		add('m', i);
	assert_false(missed_tend(&missed));
	assert_int_equal(status.open, 3);
	assert_true(check_now());
	counts_are(&(struct counts){.open = 2, .named = 2});
	assert_string_equal(missed.shown[0].id, "id1");
	assert_string_equal(missed.shown[1].id, "id2");
	assert_false(check_now());
	unit_empty(dir.fd);
	unit_write(dir.fd, "sys/fs/cgroup/b/cgroup.procs", "", 0600);
	assert_true(check_now());
	assert_int_equal(status.open, 0);
}

/* ---- children ---- */

/* The next Synchronize comes while the look after the last one goes on. */
UNIT_TEST("missed: another Synchronize stops the last look, and forgets what it found")
{
	const struct look look = {.options = &nowhere, .whole = true};
	int out = begin_child("m", INT64_MAX);
	pid_t child = missed.child.pid;
	int in;

	add('m', 1);
	status.unnamed = 3;
	missed_look(&missed, &look);
	assert_int_not_equal(missed.child.pid, child);
	assert_in_range(children.n, 1, 2); /* the stopped one may have ended */
	assert_true(missed.child.in >= 0 && !missed.ended);
	assert_in_range(missed.child.deadline, clock_ms() + 1, clock_ms() + LOOK_PATIENCE_MS);
	counts_are(&(struct counts){0});
	in = missed.child.in;
	missed_stop(&missed);
	assert_int_equal(missed.child.in, -1);
	assert_int_equal(fcntl(in, F_GETFD), -1);
	gone_at_last();
	assert_int_equal(close(out), 0);
}

UNIT_TEST("missed: no child is started beside as many as may hang, and what is lost is said")
{
	const struct look look = {.options = &nowhere};

	begin(NULL);
	while (children.n < CHILDREN_MAX)
		children.pid[children.n++] = unit_start(goes_on, NULL);
	missed_look(&missed, &look);
	assert_int_equal(missed.child.in, -1);
	assert_int_equal(children.n, CHILDREN_MAX);
	counts_are(&(struct counts){.unseen = 1});
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		assert_int_equal(kill(children.pid[i], SIGKILL), 0);
	gone_at_last();
}
