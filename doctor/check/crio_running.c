/* SPDX-License-Identifier: Apache-2.0 */
/* What a running CRI-O says of its configuration, beside its files, which it takes at its next
 * start */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/engine/crio.h"
#include "core/engine/program.h"
#include "doctor/check/check.h"

/* Returns a pipe from which its output is read, or -1. */
static int start(const char *program, pid_t *ret_pid)
{
	/* posix_spawn(3) writes to none of them. */
	const char *const arguments[] = {program, "status", "config", NULL};
	const char *const environment[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",
					   NULL};
	posix_spawn_file_actions_t actions;
	int ends[2];
	int error;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	error = posix_spawn(ret_pid, program, &actions, NULL, (char *const *)arguments,
			    (char *const *)environment);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(ends[1]);
	if (!error)
		return ends[0];
	(void)close(ends[0]);
	return -1;
}

/* True if it has answered. One that hangs ends with this check, which has a time limit: its pipe
 * breaks. */
static bool ask(struct arena *arena, const char *program, struct crio *ret_crio)
{
	pid_t pid = 0;
	cleanup_fd out = start(program, &pid);
	struct fs_text text;
	struct err ignored;
	int status = 1;
	int read;

	if (out < 0)
		return false;
	read = fs_read(arena, out, CRIO_FILE_SIZE_MAX, program, &text, &ignored);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return read == 0 && status == 0 && text.len && strlen(text.bytes) == text.len &&
	       crio_read_text(arena, "crio status config", &text, ret_crio, &ignored) == 0;
}

static bool same_list(const struct crio_list *a, const struct crio_list *b)
{
	/* What no file sets has CRI-O's own default, which the running one prints. */
	if (!b->file)
		return true;
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		if (strcmp(a->item[i], b->item[i]) != 0)
			return false;
	}
	return true;
}

static bool same_default(const struct crio *running, const struct crio *files)
{
	return !files->default_runtime || !running->default_runtime ||
	       strcmp(files->default_runtime, running->default_runtime) == 0;
}

static bool same_handlers(const struct crio *running, const struct crio *files)
{
	for (size_t i = 0; i < files->n_handlers; i++) {
		const struct crio_handler *file = &files->handler[i];
		const struct crio_handler *handler = crio_find_handler(running, file->name);

		if (!handler || (file->runtime_path[0] &&
				 strcmp(handler->runtime_path, file->runtime_path) != 0))
			return false;
	}
	return true;
}

int crio_check_running(const struct doctor *doctor, struct findings *findings,
		       const struct crio *files)
{
	struct arena *arena = findings->arena;
	const char *program =
		doctor->node.recorded ? NULL : program_find(arena, doctor->node.root, "crio");
	struct crio running;
	char differ[96];

	if (!program || !ask(arena, program, &running))
		return 0;
	(void)snprintf(differ, sizeof(differ), "%s%s%s%s",
		       same_handlers(&running, files) ? "" : ", runtimes",
		       same_default(&running, files) ? "" : ", default_runtime",
		       same_list(&running.ulimits, &files->ulimits) ? "" : ", default_ulimits",
		       same_list(&running.hooks_dirs, &files->hooks_dirs) ? "" : ", hooks_dir");
	if (!differ[0])
		return findings_add(findings, "crio_running_config", NULL, FINDING_OK, NULL,
				    "what runs is what its files say (crio status config)");
	return findings_add(findings, "crio_running_config", NULL, FINDING_WARN,
			    "systemctl restart crio takes what the files say; before that, mend "
			    "what fails here",
			    "the running CRI-O has others than its files: %s (crio status config)",
			    differ + strlen(", "));
}
