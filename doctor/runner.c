/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "doctor/progress.h"

/* Four thousand findings of full length */
#define ANSWER_MAX (16 * 1024 * 1024)

/* ---- in the child ---- */

static int put(int out, const char *text)
{
	return fs_write(out, text, strlen(text) + 1);
}

/* One byte for the status, then four texts that end in NUL */
static int send_finding(int out, const struct finding *finding)
{
	const char status = (char)('0' + finding->status);

	if (fs_write(out, &status, 1) < 0 || put(out, finding->id) < 0 ||
	    put(out, finding->subject) < 0 || put(out, finding->evidence) < 0)
		return -1;
	return put(out, finding->remedy);
}

static void run_in_child(const struct doctor *doctor, const struct check *check, int out)
{
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};
	struct err err;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (check->run(doctor, &findings, &err) < 0)
		(void)findings_add(&findings, check->id, NULL, FINDING_UNCHECKED, NULL, "%s",
				   err.text);
	for (size_t i = 0; i < findings.n; i++) {
		if (send_finding(out, &findings.item[i]) < 0)
			_exit(1);
	}
	_exit(0);
}

/* ---- in the parent ---- */

static long now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads to the end. Returns 1, 0 if the time is over, or -1 without memory. */
static int receive(struct arena *arena, int in, int seconds, struct fs_text *ret_text)
{
	long end = now_ms() + seconds * 1000L;
	struct fs_text text = {.bytes = arena_alloc(arena, 4096 + 1)};
	size_t room = 4096;

	while (text.bytes && text.len < ANSWER_MAX) {
		struct pollfd wait = {.fd = in, .events = POLLIN};
		long left = end - now_ms();
		ssize_t n;

		if (text.len == room) {
			char *larger = arena_alloc(arena, room * 2 + 1);

			if (!larger)
				return -1;
			memcpy(larger, text.bytes, text.len);
			text.bytes = larger;
			room *= 2;
		}
		if (seconds && left <= 0)
			return 0;
		if (poll(&wait, 1, seconds ? (int)left : -1) <= 0)
			continue;
		n = read(in, text.bytes + text.len, room - text.len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		text.len += (size_t)n;
	}
	*ret_text = text;
	return text.bytes ? 1 : -1;
}

/* The next text of an answer; NULL where it was cut off */
static const char *take_text(const struct fs_text *text, size_t *at)
{
	const char *begin = text->bytes + *at;
	const char *end = memchr(begin, 0, text->len - *at);

	if (!end)
		return NULL;
	*at += (size_t)(end - begin) + 1;
	return begin;
}

static int take_findings(const struct fs_text *text, struct findings *findings)
{
	size_t at = 0;

	while (at < text->len) {
		enum finding_status status = (enum finding_status)(text->bytes[at++] - '0');
		const char *id = take_text(text, &at);
		const char *subject = id ? take_text(text, &at) : NULL;
		const char *evidence = subject ? take_text(text, &at) : NULL;
		const char *remedy = evidence ? take_text(text, &at) : NULL;

		if (!remedy)
			return 0;
		if (findings_add(findings, id, subject, status, remedy, "%s", evidence) < 0)
			return -1;
	}
	return 0;
}

/* Who sleeps in a driver does not die of it, and is not waited for: it ends when it can. */
static void end_child(pid_t child, bool finished, int *ret_status)
{
	const struct timespec pause = {.tv_nsec = 5 * 1000000L};

	*ret_status = 0;
	if (finished) {
		while (waitpid(child, ret_status, 0) < 0 && errno == EINTR)
			;
		return;
	}
	(void)kill(child, SIGKILL);
	for (int tries = 0; tries < 20 && waitpid(child, NULL, WNOHANG) == 0; tries++)
		(void)nanosleep(&pause, NULL);
}

static int add_outcome(const struct check *check, int received, int status,
		       struct findings *findings)
{
	if (!received)
		return findings_add(findings, check->id, NULL, FINDING_UNCHECKED,
				    "Look for a device that hangs: dmesg | tail -50",
				    "not finished after %d s (%s)", check->seconds, check->doing);
	if (WIFSIGNALED(status))
		return findings_add(findings, check->id, NULL, FINDING_UNCHECKED, NULL,
				    "ended by signal %d (%s)", WTERMSIG(status), check->doing);
	return 0;
}

static int run_check(const struct doctor *doctor, const struct check *check,
		     struct findings *findings, struct err *err)
{
	cleanup_fd in = -1;
	cleanup_fd out = -1;
	struct fs_text text = {0};
	int ends[2];
	int received;
	int status;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	in = ends[0];
	out = ends[1];
	child = fork();
	if (child < 0)
		return err_sys(err, errno, "fork");
	if (child == 0)
		run_in_child(doctor, check, out);
	cleanup_close_fd(&out);
	out = -1;
	received = receive(findings->arena, in, check->seconds, &text);
	end_child(child, received == 1, &status);
	if (received < 0 || take_findings(&text, findings) < 0 ||
	    add_outcome(check, received, status, findings) < 0)
		return err_memory(err);
	return 0;
}

static bool applies(const struct doctor *doctor, const struct check *check)
{
	return check->place == CHECK_EVERYWHERE ||
	       (check->place == CHECK_IN_CONTAINER) == doctor->place.container;
}

int runner_run(const struct doctor *doctor, const struct check *checks, size_t n,
	       struct findings *findings, struct err *err)
{
	cleanup_progress progress = PROGRESS_NONE;

	progress_start(&progress);
	for (size_t i = 0; i < n; i++) {
		if (!applies(doctor, &checks[i]))
			continue;
		progress_say(&progress, checks[i].doing);
		if (run_check(doctor, &checks[i], findings, err) < 0)
			return -1;
	}
	return 0;
}
