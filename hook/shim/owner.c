/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/spec/spec.h"

#define RUNTIME_STATE_NONE (-2)

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

/*
 * What the runtime itself says of a container: `RUNTIME [--root ROOT] state ID`. Costs a start of
 * the runtime. root: "" if it was not given. Returns 0; RUNTIME_STATE_NONE if it fails, which it
 * does for an id that it does not know; or -1 if its answer could not be had or read.
 */
static int runtime_state(struct arena *arena, const char *runtime, const char *root, const char *id,
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

/* What the runtime was told to write by --pid-file. 0: it cannot be read; -1: it says no process */
static pid_t read_pid(const char *pid_file)
{
	char line[32];
	ssize_t len = fs_read_line(AT_FDCWD, pid_file, line, sizeof(line));
	long pid = len > 0 ? strtol(line, NULL, 10) : 0;

	if (len < 0)
		return 0;
	return pid > 1 && pid <= INT_MAX ? (pid_t)pid : -1;
}

/*
 * Without a pid file, by hand, the runtime is asked whose the id is. 0: it does not say; -1:
 * nobody's, or another bundle's.
 */
static pid_t ask_pid(struct shim *shim, const struct record *record)
{
	struct state state = {0};
	struct err ignored;
	int status = runtime_state(&shim->container.arena, shim->runtime, record->root,
				   shim->args.id, &state, &ignored);

	if (status < 0)
		return status == RUNTIME_STATE_NONE ? -1 : 0;
	/* crun says "/" for a container with a user namespace and devices. */
	if (!state.bundle)
		return -1;
	if (strcmp(state.bundle, "/") != 0 && !fs_same_directory(state.bundle, record->bundle))
		return -1;
	return state.pid > 1 && state.pid <= INT_MAX ? (pid_t)state.pid : -1;
}

bool owner_is_current(struct shim *shim, const struct record *record)
{
	pid_t pid = record->pid_file[0] ? read_pid(record->pid_file) : ask_pid(shim, record);

	return pid >= 0 && record_is_current(record, pid);
}

bool owner_runs(struct shim *shim, const struct record *record)
{
	pid_t pid = record->pid_file[0] ? read_pid(record->pid_file) : 0;

	if (pid == 0)
		pid = ask_pid(shim, record);
	return pid > 0 && record_is_current(record, pid);
}
