/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/check/engine_output.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
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

bool engine_output(struct arena *arena, const char *const *arguments, size_t max,
		   struct fs_text *ret_text)
{
	pid_t pid = 0;
	cleanup_fd out = start(arguments, &pid);
	struct err ignored;
	int status = 1;
	int read;

	if (out < 0)
		return false;
	read = fs_read(arena, out, max, arguments[0], ret_text, &ignored);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return read == 0 && status == 0 && ret_text->len &&
	       strlen(ret_text->bytes) == ret_text->len;
}
