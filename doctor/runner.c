/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "lib/child.h"

/* Evidence is cut to fit (lib/finding.c). */
struct record {
	int status; /* enum finding_status, or RECORD_DONE */
	char id[64];
	char subject[384];
	char evidence[1024];
	char remedy[512];
	char values[512];
};

/* Ends a complete report: a library may exit(3) before. */
#define RECORD_DONE (FINDING_UNCHECKED + 1)

struct job {
	const struct doctor *doctor;
	const struct check *check;
};

/* A crash must not run the parent's handlers. */
static void reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Driver libraries may print (discarded) or crash (no core). */
static void expect_foreign_code(void)
{
	const struct rlimit no_core = {0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)setrlimit(RLIMIT_CORE, &no_core);
	reset_signals();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (null >= 0)
			(void)dup2(null, fd);
		else
			(void)close(fd);
	}
}

static void tell_finding(int out, const struct finding *finding)
{
	struct record record = {.status = finding->status};

	snprintf(record.id, sizeof(record.id), "%s", finding->id);
	snprintf(record.subject, sizeof(record.subject), "%s", finding->subject);
	snprintf(record.evidence, sizeof(record.evidence), "%s", finding->evidence);
	snprintf(record.remedy, sizeof(record.remedy), "%s", finding->remedy);
	snprintf(record.values, sizeof(record.values), "%s", finding->values);
	(void)fs_write(out, &record, sizeof(record));
}

static void run_in_child(void *context, int out)
{
	const struct job *job = context;
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};

	expect_foreign_code();
	err_memory(&findings.err);
	if (job->check->run(job->doctor, &findings) < 0)
		(void)findings_add(&findings, job->check->id, NULL, FINDING_UNCHECKED, NULL, "%s",
				   findings.err.text);
	for (size_t i = 0; i < findings.n; i++)
		tell_finding(out, &findings.item[i]);
	(void)fs_write(out, &(struct record){.status = RECORD_DONE}, sizeof(struct record));
}

/* Faulty libraries may write to the pipe. */
static bool is_whole(const struct record *record)
{
	return record->status >= FINDING_OK && record->status <= RECORD_DONE &&
	       memchr(record->id, 0, sizeof(record->id)) &&
	       memchr(record->subject, 0, sizeof(record->subject)) &&
	       memchr(record->evidence, 0, sizeof(record->evidence)) &&
	       memchr(record->remedy, 0, sizeof(record->remedy)) &&
	       memchr(record->values, 0, sizeof(record->values));
}

static int receive_record(const struct record *record, struct findings *findings)
{
	const char *id = arena_strdup(findings->arena, record->id);

	if (!id)
		return -1;
	return findings_add(findings, id, record->subject, (enum finding_status)record->status,
			    record->remedy, "%s", record->evidence) < 0 ||
			       findings_add_values(findings, "%s", record->values) < 0
		       ? -1
		       : 0;
}

/* received: 1 if complete */
static int add_ending(const struct check *check, int received, int status,
		      struct findings *findings)
{
	bool late = received == -ETIMEDOUT;
	char why[64] = "ended in the middle";

	if (received > 0)
		return 0;
	if (late)
		snprintf(why, sizeof(why), "not finished after %d s", check->seconds);
	else if (received < 0)
		snprintf(why, sizeof(why), "its answer could not be read");
	else if (status > 0 && WIFSIGNALED(status))
		snprintf(why, sizeof(why), "ended by signal %d", WTERMSIG(status));
	return findings_add(findings, check->id, NULL, FINDING_UNCHECKED,
			    late ? "Look for a device that hangs: dmesg | tail -50" : NULL,
			    "%s (%s)", why, check->doing);
}

static int receive_findings(const struct child *child, struct findings *findings)
{
	struct record record;
	int received;

	while ((received = child_read(child, &record, sizeof(record))) > 0) {
		if (!is_whole(&record))
			return -EPROTO;
		if (record.status == RECORD_DONE)
			return 1;
		if (receive_record(&record, findings) < 0)
			return -ENOMEM;
	}
	return received;
}

static int run_check(const struct doctor *doctor, const struct check *check,
		     struct findings *findings)
{
	struct job job = {.doctor = doctor, .check = check};
	struct child child;
	int limit = check->seconds ? check->seconds * 1000 : INT_MAX;
	int received;
	int status;

	if (child_start(&child, NULL, run_in_child, &job, limit, &findings->err) < 0)
		return -1;
	received = receive_findings(&child, findings);
	status = child_end(&child);
	return received == -ENOMEM ? -1 : add_ending(check, received, status, findings);
}

static bool applies(const struct doctor *doctor, const struct check *check)
{
	return check->where == CHECK_EVERYWHERE ||
	       (check->where == CHECK_IN_CONTAINER) == doctor->location.container;
}

int runner_run(const struct doctor *doctor, const struct check *checks, size_t n,
	       struct findings *findings)
{
	int status = 0;

	for (size_t i = 0; i < n && status == 0; i++) {
		if (!applies(doctor, &checks[i]))
			continue;
		status = run_check(doctor, &checks[i], findings);
	}
	return status;
}
