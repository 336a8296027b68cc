/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/replace.h"
#include "core/base/text.h"
#include "core/base/trust.h"
#include "core/record/record.h"
#include "core/report/log.h"
#include "core/report/outcome.h"
#include "lib/child.h"
#include "nri/message/nri.pb-c.h"
#include "nri/metrics.h"

/* sd_notify(3) */
__attribute__((format(printf, 1, 2))) static void notify(const char *format, ...)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;
	cleanup_fd fd = -1;
	char text[512];
	va_list args;

	if (!len || len >= sizeof(address.sun_path))
		return;
	memcpy(address.sun_path, path, len);
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		(void)!sendto(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL,
			      (const struct sockaddr *)&address,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
}

static void make_names(struct status_file *file, int i)
{
	if (file->instance)
		snprintf(file->name, sizeof(file->name), "nri-%.*s.json", NRI_INSTANCE_MAX,
			 file->instance);
	else if (i)
		snprintf(file->name, sizeof(file->name), "nri.%d.json", i);
	else
		snprintf(file->name, sizeof(file->name), "nri.json");
	snprintf(file->lock_name, sizeof(file->lock_name), "%s" NRI_STATUS_LOCK, file->name);
}

/* Reuses a crashed plugin's file; relocks if the lock file was removed */
static int hold_lock(struct status_file *file, int dir, struct err *err)
{
	struct flock lock = {.l_type = F_WRLCK};
	struct stat st;
	int status = 0;

	if (file->lock >= 0 && fstat(file->lock, &st) == 0 && st.st_nlink)
		return 0;
	cleanup_close_fd(&file->lock);
	file->lock = -1;
	for (int i = 0; i < 2 * STATUS_FILES_MAX; i++) {
		cleanup_fd fd = -1;

		make_names(file, i % STATUS_FILES_MAX);
		if (i < STATUS_FILES_MAX && faccessat(dir, file->name, F_OK, 0) < 0)
			continue;
		fd = fs_open(dir, file->lock_name, O_RDWR | O_CREAT | O_NOFOLLOW, RESOLVE_BENEATH);
		if (fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0) {
			file->lock = steal_fd(&fd);
			return 0;
		}
		status = fd < 0 ? -fd : errno;
	}
	return err_sys(err, status, "/" NRI_STATUS_DIR "/%s", file->lock_name);
}

int status_write(struct status_file *file, const struct nri_status *status, struct err *err)
{
	cleanup_arena arena = {0};
	/* 0600 as the lock: without access to it every plugin looks ended */
	struct replacement new = {.name = file->name, .mode = 0600};
	cleanup_fd dir = trust_make_dir(file->sysroot, NRI_STATUS_DIR, err);

	if (dir < 0 || hold_lock(file, dir, err) < 0)
		return -1;
	new.bytes = json_fields_write(&arena, nri_status_fields, status, &new.len);
	return new.bytes ? replace_file(dir, &new, file->name, err) : err_memory(err);
}

void status_remove(struct status_file *file)
{
	struct err ignored;
	cleanup_fd root = file->lock < 0 ? -1 : tree_open_root(file->sysroot, &ignored);
	cleanup_fd dir = root < 0 ? -1 : trust_open_dir(root, NRI_STATUS_DIR, &ignored);

	if (dir >= 0) {
		(void)unlinkat(dir, file->name, 0);
		(void)unlinkat(dir, file->lock_name, 0);
	}
	cleanup_close_fd(&file->lock);
	file->lock = -1;
}

/* Rewritten unchanged: its age reveals a hanging plugin; removal is undone */
static void write_status(struct report *report)
{
	struct err err;
	int status;

	report->metrics_due |= report->changed;
	report->changed = false;
	report->status.pid = getpid();
	report->status.alive_ms = clock_ms();
	status = status_write(&report->file, &report->status, &err);
	if (status < 0 && !report->failed)
		log_event(LOG_WARNING, "cannot write the status for --check: %s", err.text);
	report->failed = status < 0;
}

static int write_as_child(const struct report *report)
{
	struct err err;
	bool refused;

	if (metrics_write(report->metrics_path, report->file.sysroot, &report->status, &err) == 0)
		return 0;
	/* We dropped CAP_DAC_OVERRIDE. */
	refused = err.errnum == EACCES;
	if (!report->metrics_failed)
		log_event(LOG_WARNING, "metrics: %s%s", err.text,
			  refused ? "; the directory must belong to root, because the plugin "
				    "has given up CAP_DAC_OVERRIDE"
				  : "");
	return 1;
}

/* One writer: on a frozen file system even killed ones stay */
static bool is_written(struct report *report)
{
	int status = 0;

	if (!report->writer)
		return true;
	if (waitpid(report->writer, &status, WNOHANG) == 0) {
		if (!report->metrics_late &&
		    clock_ms() >= report->metrics_at + METRICS_PATIENCE_MS) {
			report->metrics_late = true;
			log_event(LOG_WARNING,
				  "metrics: %s is not written within %d s: check whether its disk "
				  "hangs (dmesg) or is frozen",
				  report->metrics_path, METRICS_PATIENCE_MS / 1000);
		}
		return false;
	}
	report->writer = 0;
	report->metrics_late = false;
	report->metrics_failed = status != 0;
	return true;
}

static void write_metrics(struct report *report)
{
	report->metrics_due |= clock_ms() >= report->metrics_at + METRICS_EACH_MS;
	if (!report->metrics_path || !is_written(report) || !report->metrics_due)
		return;
	report->metrics_at = clock_ms();
	report->metrics_due = false;
	report->writer = child_fork(report->children->closed);
	if (report->writer == 0)
		_exit(write_as_child(report));
	if (report->writer < 0)
		report->writer = 0;
}

static void write_now(struct report *report)
{
	report->changed = true;
	write_status(report);
	write_metrics(report);
}

static void keep_name(char *to, const char *from)
{
	snprintf(to, REPORT_NAME_SIZE, "%s", from);
	text_make_printable(to);
}

void report_runtime(struct report *report, const Nri__ConfigureRequest *runtime)
{
	keep_name(report->name, runtime->runtime_name);
	keep_name(report->version, runtime->runtime_version);
	report->status.runtime = report->name;
	report->status.version = report->version;
}

void report_connected(struct report *report)
{
	clock_utc(time(NULL), report->since);
	report->status.since = report->since;
	report->status.trouble = NULL;
	report->ready_at = INT64_MAX;
	log_event(LOG_INFO, "connected to %s %s", report->name, report->version);
	notify("READY=1\nSTATUS=connected to %s %s", report->name, report->version);
	write_now(report);
}

void report_trouble(struct report *report, const struct err *err)
{
	bool same = !report->status.since && strcmp(report->trouble, err->text) == 0;

	report->status.since = NULL;
	if (same)
		return;
	snprintf(report->trouble, sizeof(report->trouble), "%s", err->text);
	report->status.trouble = report->trouble;
	log_event(LOG_WARNING, "not connected: %s", err->text);
	notify("STATUS=not connected: %s", err->text);
	write_now(report);
}

void report_tick(struct report *report)
{
	if (report->changed || clock_ms() >= report->status.alive_ms + NRI_STATUS_EACH_MS)
		write_status(report);
	write_metrics(report);
	if (clock_ms() >= report->ready_at) {
		report->ready_at = INT64_MAX;
		notify("READY=1");
	}
	if (getenv("WATCHDOG_USEC"))
		notify("WATCHDOG=1");
}

void report_end(struct report *report, bool for_good)
{
	notify("STOPPING=1");
	status_remove(&report->file);
	if (for_good && report->metrics_path)
		(void)unlinkat(AT_FDCWD, report->metrics_path, 0);
	log_event(LOG_INFO, "ended");
}
