/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/owner.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "hook/shim/runtime_state.h"

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
	struct state state;
	struct err ignored;
	int status = runtime_state(&shim->container.arena, shim->runtime, record->root,
				   shim->args.id, &state, &ignored);

	if (status < 0)
		return status == RUNTIME_STATE_NONE ? -1 : 0;
	/* crun says "/" for a container with a user namespace and devices. */
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
