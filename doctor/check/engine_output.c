/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/check/check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"

/* Returns a pipe from which its output is read, or -1. */
static int start(const char *const *arguments, pid_t *ret_pid)
{
	const char *const environment[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",
					   NULL};
	posix_spawn_file_actions_t actions;
	int ends[2];
	int error;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	/* posix_spawn(3) writes to none of the words. */
	error = posix_spawn(ret_pid, arguments[0], &actions, NULL, (char *const *)arguments,
			    (char *const *)environment);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(ends[1]);
	if (!error)
		return ends[0];
	(void)close(ends[0]);
	return -1;
}

static int64_t milliseconds(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* True when there is something to read, or the end */
static bool wait_for(int out, int64_t deadline)
{
	struct pollfd wait = {.fd = out, .events = POLLIN};
	int ready;

	do {
		int64_t left = deadline - milliseconds();

		/* Also one that talks all the time has no more of it. */
		if (left <= 0)
			return false;
		ready = poll(&wait, 1, (int)left);
	} while (ready < 0 && errno == EINTR);
	return ready > 0;
}

/* Up to the end. False if that does not come in time, or behind more than max bytes. */
static bool read_all(struct arena *arena, int out, size_t max, struct fs_text *ret_text)
{
	int64_t deadline = milliseconds() + ENGINE_OUTPUT_SECONDS * 1000;
	struct fs_text text = {.bytes = arena_alloc(arena, max + 1)};

	while (text.bytes && wait_for(out, deadline)) {
		ssize_t n = read(out, text.bytes + text.len, max + 1 - text.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (n == 0) {
			text.bytes[text.len] = '\0';
			*ret_text = text;
			return true;
		}
		text.len += (size_t)n;
		if (text.len > max)
			return false;
	}
	return false;
}

bool engine_output(struct arena *arena, const char *const *arguments, size_t max,
		   struct fs_text *ret_text)
{
	pid_t pid = 0;
	cleanup_fd out = start(arguments, &pid);
	int status = 1;
	bool whole;

	if (out < 0)
		return false;
	whole = read_all(arena, out, max, ret_text);
	if (!whole)
		(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return whole && status == 0 && ret_text->len && strlen(ret_text->bytes) == ret_text->len;
}
