/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugin leaves on the node: status and metrics */

#include <errno.h>
#include <sys/inotify.h>
#include <sys/sysmacros.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/record/record.h"
#include "core/report/outcome.h"
#include "nri/metrics.h"
#include "nri/report.h"
#include "nri/serve.h"
#include "tests/unit/nri/nri.h"

static struct nri_status status_of(int64_t pid)
{
	return (struct nri_status){.pid = pid, .since = "2026-11-21T20:22:43Z"};
}

static struct status_file file_in(const struct unit_dir *dir, const char *instance)
{
	return (struct status_file){.sysroot = dir->path, .instance = instance, .lock = -1};
}

static int64_t pid_there(int root)
{
	WITH_ARENA;
	struct nri_status read;

	if (nri_status_find(&arena, root, true, &read, &err) < 0)
		return -1;
	return read.state == NRI_ABSENT ? -ENOENT : read.pid;
}

UNIT_TEST("status: written, replaced and removed")
{
	WITH_DIR(dir);
	const struct nri_status first = status_of(12);
	const struct nri_status second = status_of(13);
	struct status_file file = file_in(&dir, NULL);

	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	assert_int_equal(status_write(&file, &first, &err), 0);
	assert_int_equal(unit_stat(dir.fd, NRI_STATUS_DIR).st_mode & 07777, 0700);
	assert_int_equal(unit_stat(dir.fd, NRI_STATUS_PATH).st_mode & 07777, 0600);
	assert_int_equal(pid_there(dir.fd), 12);
	assert_int_equal(status_write(&file, &second, &err), 0);
	assert_int_equal(pid_there(dir.fd), 13);
	status_remove(&file);
	assert_int_equal(unit_entries(dir.fd, NRI_STATUS_DIR), 0);
	status_remove(&file);
}

/* Returns 0 if a new process gets want while others keep theirs. */
struct taken {
	const struct unit_dir *dir;
	const char *instance;
	const char *want; /* NULL: nothing */
};

static int takes(const void *context)
{
	const struct taken *taken = context;
	const struct nri_status status = status_of(13);
	struct status_file file = file_in(taken->dir, taken->instance);
	struct err err;

	if (status_write(&file, &status, &err) < 0)
		return taken->want != NULL;
	return !taken->want || strcmp(file.name, taken->want) != 0;
}

UNIT_TEST("status: a file is one plugin's as long as that lives")
{
	WITH_DIR(dir);
	const struct nri_status status = status_of(12);
	struct status_file file = file_in(&dir, NULL);
	struct status_file named = file_in(&dir, "a");

	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	assert_int_equal(status_write(&file, &status, &err), 0);
	assert_int_equal(status_write(&named, &status, &err), 0);
	assert_int_equal(unit_result_of(takes, &(struct taken){&dir, NULL, "nri.1.json"}), 0);
	/* It ended silently: the next one takes its place. */
	assert_int_equal(unit_result_of(takes, &(struct taken){&dir, NULL, "nri.1.json"}), 0);
	assert_int_equal(unit_result_of(takes, &(struct taken){&dir, "a", NULL}), 0);
	status_remove(&named);
	assert_int_equal(unit_result_of(takes, &(struct taken){&dir, "a", "nri-a.json"}), 0);
	/* If somebody removes the lock's file, it is made and held again. */
	assert_int_equal(unlinkat(dir.fd, NRI_STATUS_PATH NRI_STATUS_LOCK, 0), 0);
	assert_int_equal(status_write(&file, &status, &err), 0);
	assert_int_equal(unit_result_of(takes, &(struct taken){&dir, NULL, "nri.1.json"}), 0);
	/* nri.json is free now, but the crashed plugin's file would stay forever. */
	status_remove(&file);
	assert_int_equal(unit_result_of(takes, &(struct taken){&dir, NULL, "nri.1.json"}), 0);
	assert_int_equal(unlinkat(dir.fd, NRI_STATUS_DIR "/nri.1.json", 0), 0);
	assert_int_equal(unit_result_of(takes, &(struct taken){&dir, NULL, "nri.json"}), 0);
}

UNIT_TEST("status: each instance has a file of its own")
{
	WITH_DIR(dir);
	const struct nri_status a = status_of(12);
	const struct nri_status b = status_of(13);
	struct status_file file_a = file_in(&dir, "a");
	struct status_file file_b = file_in(&dir, "b");

	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	assert_int_equal(status_write(&file_a, &a, &err), 0);
	assert_int_equal(status_write(&file_b, &b, &err), 0);
	status_remove(&file_a);
	assert_int_equal(faccessat(dir.fd, NRI_STATUS_DIR "/nri-a.json", F_OK, 0), -1);
	assert_int_equal(faccessat(dir.fd, NRI_STATUS_DIR "/nri-b.json", F_OK, 0), 0);
}

/* The doctor trusts this file, so only root may write its directory. */
UNIT_TEST("status: only where nobody else may write")
{
	static const mode_t modes[] = {0720, 0702, 01777};
	WITH_DIR(dir);
	const struct nri_status status = status_of(12);
	struct status_file file = file_in(&dir, NULL);

	unit_write(dir.fd, NRI_STATUS_DIR "/other", "", 0600);
	for (size_t i = 0; i < LENGTH(modes); i++) {
		assert_int_equal(fchmodat(dir.fd, NRI_STATUS_DIR, modes[i], 0), 0);
		assert_int_equal(status_write(&file, &status, &err), -1);
		assert_has(err.text, "must belong to root alone");
	}
	assert_int_equal(fchmodat(dir.fd, NRI_STATUS_DIR, 0755, 0), 0);
	assert_int_equal(status_write(&file, &status, &err), 0);
	if (geteuid() != 0)
		return;
	assert_int_equal(fchownat(dir.fd, NRI_STATUS_DIR, 12345, 12345, 0), 0);
	assert_int_equal(status_write(&file, &status, &err), -1);
	assert_has(err.text, "must belong to root alone");
}

UNIT_TEST("status: no link leads out of the tree")
{
	WITH_DIR(dir);
	cleanup_unit_dir outside = unit_dir_make();
	const struct nri_status status = status_of(12);
	struct status_file file = file_in(&dir, NULL);

	unit_write(outside.fd, "oci-rdma-hook/nri.json", "theirs", 0644);
	assert_int_equal(symlinkat(outside.path, dir.fd, "run"), 0);
	assert_int_equal(status_write(&file, &status, &err), -1);
	status_remove(&file);
	assert_string_equal(unit_read(&arena, outside.fd, "oci-rdma-hook/nri.json"), "theirs");
	unit_empty(outside.fd); /* and makes no directory */
	assert_int_equal(status_write(&file, &status, &err), -1);
	assert_int_equal(unit_entries(outside.fd, "."), 0);
}

UNIT_TEST("status: what cannot be done is said")
{
	WITH_DIR(dir);
	const struct nri_status status = status_of(12);
	struct status_file file = file_in(&dir, NULL);

	assert_int_equal(status_write(&file, &status, &err), -1); /* no /run */
	assert_has(err.text, "/" NRI_STATUS_DIR ": No such file");
	assert_int_equal(
		status_write(&(struct status_file){.sysroot = "/none", .lock = -1}, &status, &err),
		-1);
	assert_has(err.text, "No such file");
	unit_write(dir.fd, NRI_STATUS_DIR, "", 0600);
	assert_int_equal(status_write(&file, &status, &err), -1);
	assert_has(err.text, "Not a directory");
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		n++;
	return n;
}

static void leave_record(const struct unit_dir *dir, int id, enum record_result result, int64_t age,
			 const char *cgroup)
{
	char path[128];
	char text[256];

	snprintf(path, sizeof(path), RECORD_DIR "/n_u_c%d_%s_%010llx_%d.json", id,
		 record_result_names[result], (unsigned long long)(clock_ms() - age), id);
	snprintf(text, sizeof(text),
		 "{\"id\":\"%d\",\"reason\":\"r\",\"entry_point\":\"nri\",\"result\":"
		 "\"%s\",\"cgroup\":\"%s\"}",
		 id, record_result_names[result], cgroup ? cgroup : "");
	unit_write(dir->fd, path, text, 0600);
	assert_int_equal(fchmodat(dir->fd, RECORD_DIR, 0700, 0), 0);
}

UNIT_TEST("metrics: they add up")
{
	static const int64_t took[] = {100, 101, 3000000};
	static const char *const lines[] = {
		"# TYPE oci_rdma_nri_missed_containers gauge\noci_rdma_nri_missed_containers 1\n",
		"oci_rdma_nri_unseen_containers 3\n",
		"# TYPE oci_rdma_nri_connected gauge\noci_rdma_nri_connected 1\n",
		"# TYPE oci_rdma_nri_written_timestamp_seconds "
		"gauge\noci_rdma_nri_written_timestamp_seconds 1",
		"# TYPE oci_rdma_nri_containers gauge\n",
		"# TYPE oci_rdma_nri_answer_seconds histogram\n",
		"{result=\"granted\"} 0\n",
		"{result=\"denied\"} 2\n",
		"{result=\"failed\"} 1\n",
		"{result=\"missed\"} 2\n",
		"{result=\"mended\"} 1\n",
		"_bucket{le=\"0.0001\"} 1\n",
		"_bucket{le=\"0.0005\"} 2\n",
		"_bucket{le=\"1.5\"} 2\n",
		"_bucket{le=\"+Inf\"} 10\n",
		"_sum 3.000201\n",
		"_count 10\n",
	};
	WITH_DIR(dir);
	struct nri_status status = status_of(12);
	const char *path = arena_printf(&arena, "%s/m.prom", dir.path);
	const char *text;

	assert_int_equal(metrics_write(path, "/nowhere", &status, &err), -1);
	assert_has(err.text, "/nowhere: No such file");
	for (size_t i = 0; i < LENGTH(took); i++)
		answers_add(&status.answers, took[i]);
	status.answers.n = 10;
	status.unseen = 3;
	leave_record(&dir, 1, RECORD_GRANTED, METRICS_WINDOW_MS + 60000, NULL);
	leave_record(&dir, 2, RECORD_DENIED, METRICS_WINDOW_MS - 60000, NULL);
	leave_record(&dir, 3, RECORD_DENIED, 0, NULL);
	leave_record(&dir, 4, RECORD_FAILED, 0, NULL);
	leave_record(&dir, 5, RECORD_MISSED, 0, "sys/fs/cgroup/a/gone");
	leave_record(&dir, 6, RECORD_MISSED, 0, "sys/fs/cgroup/a/runs");
	leave_record(&dir, 7, RECORD_MENDED, 0, NULL);
	unit_write(dir.fd, "sys/fs/cgroup/a/runs/cgroup.procs", "", 0600);
	assert_int_equal(metrics_write(path, dir.path, &status, &err), 0);
	text = unit_read(&arena, dir.fd, "m.prom");
	assert_int_equal(count(text, "# HELP "), 6);
	assert_int_equal(count(text, "_bucket{"), NRI_ANSWERS_N_BOUNDS + 1);
	for (size_t i = 0; i < LENGTH(lines); i++)
		assert_has(text, lines[i]);
	status.since = NULL;
	assert_int_equal(metrics_write(path, dir.path, &status, &err), 0);
	assert_has(unit_read(&arena, dir.fd, "m.prom"), "oci_rdma_nri_connected 0\n");
}

/* Descriptors opened since the last call; O_PATH alone opens nothing. */
static size_t n_opened(int notify)
{
	char events[4096];
	ssize_t n = read(notify, events, sizeof(events));

	return n < 0 ? 0 : (size_t)n / sizeof(struct inotify_event);
}

/* Opening a device can have effects (/dev/watchdog starts to count). */
UNIT_TEST("status: nothing but a regular file is opened")
{
	static const mode_t types[] = {S_IFIFO, S_IFCHR, S_IFSOCK};
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_fd notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char path[sizeof(dir.path) + sizeof(NRI_STATUS_PATH)];

	snprintf(path, sizeof(path), "%s/%s", dir.path, NRI_STATUS_PATH);
	unit_write(dir.fd, NRI_STATUS_PATH, "{\"pid\":12}", 0600);
	assert_true(inotify_add_watch(notify, path, IN_OPEN) >= 0);
	assert_int_equal(pid_there(dir.fd), 12);
	assert_int_equal(n_opened(notify), 1);
	for (size_t i = 0; i < LENGTH(types); i++) {
		assert_int_equal(unlink(path), 0);
		/* the null device: exists even if root may not create nodes */
		if (mknod(path, types[i] | 0600, makedev(1, 3)) < 0)
			continue;
		(void)n_opened(notify);
		assert_true(inotify_add_watch(notify, path, IN_OPEN) >= 0);
		assert_int_equal(pid_there(dir.fd), -1);
		assert_int_equal(n_opened(notify), 0);
	}
}

/* ---- what is written, and said, in a tick ---- */

static struct children children;

static struct report report_in(const struct unit_dir *dir, const char *metrics_path)
{
	return (struct report){
		.file = file_in(dir, NULL),
		.metrics_path = metrics_path,
		.children = &children,
		.status = status_of(0),
		.metrics_at = clock_ms(),
		.ready_at = INT64_MAX,
	};
}

/* One tick, and more until the metrics' writer has ended. Returns the number of lines logged. */
static size_t tick_with(struct report *report, bool changed, bool wait)
{
	struct heard heard = hear_log();

	report->changed = changed;
	report_tick(report);
	for (int tries = 0; wait && report->writer && tries < UNIT_PATIENCE * 100; tries++) {
		(void)usleep(10000);
		report_tick(report);
	}
	return heard_log(&heard);
}

UNIT_TEST("report: what has changed is written at the next tick, and once")
{
	WITH_DIR(dir);
	const char *path = arena_printf(&arena, "%s/m.prom", dir.path);
	struct report report = report_in(&dir, path);
	int64_t now = clock_ms();

	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	report.metrics_at = now - 1;
	(void)tick_with(&report, true, true);
	assert_int_equal(pid_there(dir.fd), getpid());
	assert_true(report.metrics_at >= now);
	assert_int_equal(unlink(path), 0);
	assert_false(report.metrics_failed);
	(void)tick_with(&report, report.changed, true);
	assert_int_equal(access(path, F_OK), -1);
	report.metrics_at -= METRICS_EACH_MS;
	(void)tick_with(&report, false, true);
	assert_int_equal(access(path, F_OK), 0);
}

UNIT_TEST("report: what cannot be written is said once, until it can")
{
	WITH_DIR(dir);
	struct report report = report_in(&dir, NULL);
	struct report other = report_in(&dir, "/nonexistent/m.prom");

	for (int times = 0; times < 2; times++) {
		assert_int_equal(tick_with(&report, true, true), 1); /* no /run */
		assert_int_equal(tick_with(&report, true, true), 0);
		assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
		assert_int_equal(tick_with(&report, true, true), 0);
		unit_empty(dir.fd);
	}
	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	for (int times = 0; times < 2; times++) {
		other.metrics_path = "/nonexistent/m.prom";
		assert_int_equal(tick_with(&other, true, true), 1);
		assert_int_equal(tick_with(&other, true, true), 0);
		other.metrics_path = arena_printf(&arena, "%s/m.prom", dir.path);
		assert_int_equal(tick_with(&other, true, true), 0);
	}
}

/* While a writer hangs, no other one starts. */
UNIT_TEST("report: metrics that are late are said once, and written when they can be")
{
	WITH_DIR(dir);
	struct report report = report_in(&dir, arena_printf(&arena, "%s/m.prom", dir.path));
	pid_t writer = unit_start(goes_on, NULL);

	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	report.writer = writer;
	assert_int_equal(tick_with(&report, true, false), 0);
	report.metrics_at -= METRICS_PATIENCE_MS;
	assert_int_equal(tick_with(&report, true, false), 1);
	assert_int_equal(tick_with(&report, true, false), 0);
	assert_int_equal(report.writer, writer);
	assert_int_equal(kill(writer, SIGKILL), 0);
	assert_int_equal(tick_with(&report, false, true), 0);
	assert_int_equal(access(report.metrics_path, F_OK), 0);
	assert_false(report.metrics_late);
}
