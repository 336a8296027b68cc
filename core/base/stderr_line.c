/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/stderr_line.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"

static struct {
	const char *path;
	bool json;
	char time[CLOCK_UTC_SIZE]; /* strftime(3) is not async-signal-safe */
} runtime_log;

void stderr_use_runtime_log(const char *path, bool json)
{
	clock_utc(time(NULL), runtime_log.time);
	runtime_log.path = path;
	runtime_log.json = json;
}

static bool has_reader = true;

void stderr_mute(void)
{
	has_reader = false;
}

/* quoted: for JSON or Go's %q, which agree without control characters */
static void add(char line[PIPE_BUF], size_t *len, const char *text, bool quoted)
{
	for (; *text && *len + sizeof("\\\"\"}\n") <= PIPE_BUF; text++) {
		if (quoted && (*text == '"' || *text == '\\'))
			line[(*len)++] = '\\';
		line[(*len)++] = *text;
	}
}

static void write_unharmed(int fd, const char *line, size_t len)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction pipe_before;
	struct sigaction size_before;

	(void)sigaction(SIGPIPE, &ignore, &pipe_before);
	(void)sigaction(SIGXFSZ, &ignore, &size_before);
	(void)!write(fd, line, len);
	(void)sigaction(SIGPIPE, &pipe_before, NULL);
	(void)sigaction(SIGXFSZ, &size_before, NULL);
}

static void write_stderr(const char *line, size_t len)
{
	struct pollfd poll_stderr = {.fd = STDERR_FILENO, .events = POLLOUT};
	cleanup_fd fd = -1;
	struct stat st;

	if (fstat(STDERR_FILENO, &st) < 0)
		return;
	if (S_ISSOCK(st.st_mode)) {
		(void)!send(STDERR_FILENO, line, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		return;
	}
	/* Reopen: O_NONBLOCK would affect all who share stderr; poll(2) reserves no room. */
	if (!S_ISREG(st.st_mode))
		fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0)
		write_unharmed(fd, line, len);
	else if (S_ISREG(st.st_mode) ||
		 (poll(&poll_stderr, 1, 0) == 1 && poll_stderr.revents & POLLOUT))
		write_unharmed(STDERR_FILENO, line, len);
}

/* crun's and runc's formats differ; readers accept both. */
static void write_runtime_log(const char *name, const char *reason)
{
	static char line[PIPE_BUF];
	size_t len = 0;
	bool json = runtime_log.json;
	cleanup_fd fd =
		open(runtime_log.path,
		     O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);

	if (fd < 0)
		return;
	add(line, &len, json ? "{\"time\":\"" : "time=\"", false);
	add(line, &len, runtime_log.time, false);
	add(line, &len, json ? "\",\"level\":\"error\",\"msg\":\"" : "\" level=error msg=\"",
	    false);
	add(line, &len, name, false);
	add(line, &len, ": ", false);
	add(line, &len, reason, true);
	write_unharmed(fd, line, (size_t)(stpcpy(line + len, json ? "\"}\n" : "\"\n") - line));
}

void stderr_line(const char *name, const char *reason)
{
	static char line[PIPE_BUF];
	size_t len = 0;

	if (!has_reader)
		return;
	add(line, &len, name, false);
	add(line, &len, ": ", false);
	add(line, &len, reason, false);
	line[len++] = '\n';
	write_stderr(line, len);
	if (runtime_log.path)
		write_runtime_log(name, reason);
}
