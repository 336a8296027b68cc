/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/runtime_state.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"

static int spawn(const char *runtime, char *const *argv, int out, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	int status = posix_spawn_file_actions_init(&actions);

	if (status)
		return status;
	status = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!status)
		status = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
							  O_WRONLY, 0);
	if (!status)
		status = posix_spawn(ret_pid, runtime, &actions, NULL, argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	return status;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		/* A caller that ignores SIGCHLD leaves nothing to wait for: what was said must do.
		 */
		if (errno == ECHILD)
			return 0;
		if (errno != EINTR)
			return -1;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

int runtime_state(struct arena *arena, const char *runtime, const char *root, const char *id,
		  struct state *ret_state, struct err *err)
{
	const char *with_root[] = {runtime, "--root", root, "state", id, NULL};
	const char *without[] = {runtime, "state", id, NULL};
	const char **argv = root[0] ? with_root : without;
	cleanup_fd in = -1;
	cleanup_fd out = -1;
	int ends[2];
	int status;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	in = ends[0];
	out = ends[1];
	status = spawn(runtime, (char *const *)argv, out, &pid);
	if (status)
		return err_sys(err, status, "%s state", runtime);
	cleanup_close_fd(&out);
	out = -1;
	status = state_read(arena, in, ret_state, err);
	cleanup_close_fd(&in);
	in = -1;
	if (wait_for(pid) == 0)
		return status;
	(void)err_set(err, "%s state %.80s failed", runtime, id);
	return RUNTIME_STATE_NONE;
}
