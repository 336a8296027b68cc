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
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/report/report.h"

/* ---- systemd ---- */

void notify(const char *format, ...)
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
	/* One without a file, which begins with NUL */
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		(void)!sendto(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL,
			      (const struct sockaddr *)&address,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
}

/* ---- the status file ---- */

/* Returns a descriptor, or -errno. */
static int open_dir(const char *sysroot)
{
	cleanup_fd root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		return -errno;
	return fs_open(root, NRI_STATUS_DIR, O_RDONLY | O_DIRECTORY, RESOLVE_IN_ROOT);
}

/* The shim keeps its records there, too (state_dir). */
static void make_dir(const char *sysroot)
{
	cleanup_fd root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd run =
		root < 0 ? -1 : fs_open(root, "run", O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);

	if (run >= 0)
		(void)mkdirat(run, text_base_name(NRI_STATUS_DIR), 0700);
}

static int check_dir(int dir, struct err *err)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return err_sys(err, errno, "/" NRI_STATUS_DIR);
	if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err,
			       "/" NRI_STATUS_DIR
			       " must belong to root alone: run chown root and chmod 0700 on it");
	return 0;
}

int status_write(const char *sysroot, const char *instance, const struct nri_status *status,
		 struct err *err)
{
	cleanup_arena arena = {0};
	char name[NRI_STATUS_NAME_SIZE];
	char path[sizeof("/" NRI_STATUS_DIR "/") + NRI_STATUS_NAME_SIZE];
	size_t len;
	const char *text = nri_status_text(&arena, status, &len);
	cleanup_fd dir = open_dir(sysroot);

	if (dir == -ENOENT) {
		make_dir(sysroot);
		dir = open_dir(sysroot);
	}
	if (!text)
		return err_memory(err);
	if (dir < 0)
		return err_sys(err, -dir, "/" NRI_STATUS_DIR);
	if (check_dir(dir, err) < 0)
		return -1;
	nri_status_name(instance, name);
	(void)snprintf(path, sizeof(path), "/" NRI_STATUS_DIR "/%s", name);
	return replace_own(
		dir, &(struct replacement){.name = name, .bytes = text, .len = len, .mode = 0644},
		path, err);
}

void status_remove(const char *sysroot, const char *instance, const struct nri_status *status)
{
	cleanup_arena arena = {0};
	cleanup_fd root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd dir = open_dir(sysroot);
	char name[NRI_STATUS_NAME_SIZE];
	struct nri_status found;
	struct err ignored;

	nri_status_name(instance, name);
	if (root >= 0 && dir >= 0 && nri_status_read(&arena, root, name, &found, &ignored) == 0 &&
	    found.pid == status->pid && found.started == status->started)
		(void)unlinkat(dir, name, 0);
}

/* ---- the report ---- */

/* Counters are written at most this often, and never before an answer. */
#define SOON_MS 1000
/* systemd holds back what is ordered behind the unit, as the kubelet, until it hears READY=1: for
 * that long only. The runtime's own patience with a plugin that registers is as long. */
#define READY_PATIENCE_MS 5000

/* ---- the files ---- */

static void write_metrics(struct report *report)
{
	report->metrics_at = clock_ms() + METRICS_EACH_MS;
	if (report->metrics_path)
		metrics_write(&report->metrics, report->metrics_path, &report->status,
			      report->closed);
}

/* It is written again even if nothing has changed: by its age a plugin that hangs is known, and
 * how a file that somebody has removed comes back. */
static void write_status(struct report *report)
{
	struct err err;
	int status;

	report->write_at = clock_ms() + NRI_STATUS_EACH_MS;
	report->status.alive_ms = clock_ms();
	status = status_write(report->sysroot, report->instance, &report->status, &err);
	if (status < 0 && !report->failed)
		log_event(LOG_WARNING, "cannot write the status for --check: %s", err.text);
	report->failed = status < 0;
}

static void write_both(struct report *report)
{
	report->status.counters = *report->counters;
	write_status(report);
	write_metrics(report);
}

/* ---- what it says ---- */

/* Half of what systemd allows (sd_watchdog_enabled(3)) */
static int64_t watchdog_ms(void)
{
	const char *text = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	long long us = text ? strtoll(text, NULL, 10) : 0;

	if (us <= 0 || (pid && strtoll(pid, NULL, 10) != getpid()))
		return 0;
	return us / 2000 > 0 ? us / 2000 : 1;
}

void report_begin(struct report *report, const char *socket)
{
	report->status.pid = getpid();
	report->status.started = nri_status_start_of(report->status.pid);
	report->status.socket = socket;
	report->write_at = clock_ms() + SOON_MS;
	report->ready_at = clock_ms() + READY_PATIENCE_MS;
	report->watchdog_ms = watchdog_ms();
	report->watchdog_at = report->watchdog_ms ? clock_ms() : REPORT_NEVER;
}

static void keep_name(char *to, const char *from)
{
	(void)snprintf(to, REPORT_NAME_SIZE, "%s", from);
	text_make_printable(to);
}

void report_runtime(struct report *report, const struct message_runtime *runtime)
{
	keep_name(report->name, runtime->name);
	keep_name(report->version, runtime->version);
	report->status.runtime = report->name;
	report->status.version = report->version;
}

void report_connected(struct report *report)
{
	time_t now = time(NULL);
	struct tm utc;

	if (!gmtime_r(&now, &utc) ||
	    !strftime(report->since, sizeof(report->since), "%Y-%m-%dT%H:%M:%SZ", &utc))
		report->since[0] = '\0';
	report->status.since = report->since;
	report->status.trouble = NULL;
	log_event(LOG_INFO, "connected to %s %s", report->name, report->version);
	notify("READY=1\nSTATUS=connected to %s %s", report->name, report->version);
	report->ready_at = REPORT_NEVER;
	write_both(report);
}

void report_trouble(struct report *report, const struct err *err)
{
	bool same = !report->status.since && strcmp(report->trouble, err->text) == 0;

	report->status.since = NULL;
	if (same)
		return;
	(void)snprintf(report->trouble, sizeof(report->trouble), "%s", err->text);
	report->status.trouble = report->trouble;
	log_event(LOG_WARNING, "not connected: %s", err->text);
	notify("STATUS=not connected: %s", err->text);
	write_both(report);
}

void report_socket(struct report *report, bool taken)
{
	struct nri_status *status = &report->status;

	if (taken == (status->trouble != NULL))
		return;
	status->trouble = NULL;
	if (taken) {
		(void)snprintf(report->trouble, sizeof(report->trouble),
			       "another program listens at %.200s now, and its containers get "
			       "nothing: two engines of this node have the same NRI socket; give "
			       "one of them another one (socket_path), or switch its NRI off",
			       status->socket);
		status->trouble = report->trouble;
		log_event(LOG_WARNING, "%s", status->trouble);
	}
	notify("STATUS=connected to %s %s%s%s", report->name, report->version,
	       taken ? ", but " : "", taken ? status->trouble : "");
	write_both(report);
}

void report_soon(struct report *report)
{
	if (report->write_at > clock_ms() + SOON_MS)
		report->write_at = clock_ms() + SOON_MS;
}

void report_missed(struct report *report, const struct nri_missed_status *missed)
{
	report->status.missed = *missed;
	report->missed_anew = true;
	report_soon(report);
}

/* ---- what is due ---- */

static bool is_counted_otherwise(const struct report *report)
{
	return memcmp(report->counters, &report->status.counters, sizeof(*report->counters)) != 0;
}

void report_tend(struct report *report)
{
	int64_t now = clock_ms();

	if (now >= report->write_at) {
		bool changed = is_counted_otherwise(report) || report->missed_anew ||
			       now >= report->metrics_at;

		report->missed_anew = false;
		report->status.counters = *report->counters;
		write_status(report);
		if (changed)
			write_metrics(report);
	}
	if (report->metrics_path && metrics_tend(&report->metrics, report->metrics_path))
		write_metrics(report);
	if (now >= report->ready_at) {
		report->ready_at = REPORT_NEVER;
		notify("READY=1");
	}
	if (now >= report->watchdog_at) {
		report->watchdog_at = now + report->watchdog_ms;
		notify("WATCHDOG=1");
	}
}

int64_t report_time(const struct report *report)
{
	const int64_t times[] = {report->write_at, report->ready_at, report->watchdog_at,
				 metrics_time(&report->metrics)};
	int64_t next = REPORT_NEVER;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		next = times[i] < next ? times[i] : next;
	return next;
}

void report_end(const struct report *report, bool for_good)
{
	status_remove(report->sysroot, report->instance, &report->status);
	if (for_good && report->metrics_path)
		(void)unlinkat(AT_FDCWD, report->metrics_path, 0);
	log_event(LOG_INFO, "ended");
}
