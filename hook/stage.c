/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/tell.h"
#include "core/base/text.h"
#include "core/command_line.h"
#include "core/container/container.h"
#include "core/deadline.h"
#include "core/nccl_conf.h"
#include "core/process/process.h"
#include "core/report/report.h"
#include "core/spec/spec.h"

#define CMDLINE_SIZE_MAX (128 * 1024)

bool runtime_bundle_argument(pid_t pid, char *path, size_t size)
{
	cleanup_arena arena = {0};
	cleanup_fd proc = process_open_proc(pid);
	cleanup_fd fd = proc < 0 ? -1 : fs_open(proc, "cmdline", O_RDONLY, RESOLVE_BENEATH);
	struct fs_text text;
	struct err ignored;
	bool next = false;

	if (fd < 0 || fs_read(&arena, fd, CMDLINE_SIZE_MAX, "cmdline", &text, &ignored) < 0)
		return false;
	for (const char *arg = text.bytes; arg < text.bytes + text.len; arg += strlen(arg) + 1) {
		bool joined = text_starts_with(arg, "--bundle=");

		if (next || joined) {
			const char *value = next ? arg : arg + strlen("--bundle=");

			(void)snprintf(path, size, "%s", value);
			return strlen(value) < size;
		}
		next = strcmp(arg, "--bundle") == 0 || strcmp(arg, "-b") == 0;
	}
	return false;
}

static bool runtime_is_crun(pid_t pid)
{
	cleanup_fd proc = process_open_proc(pid);
	char name[16]; /* TASK_COMM_LEN, with the newline in place of the NUL */

	/* crun-wasm, crun-vm and krun are links to it. */
	return proc >= 0 && fs_read_line(proc, "comm", name, sizeof(name)) > 0 &&
	       (text_starts_with(name, "crun") || text_starts_with(name, "krun"));
}

const char *const hook_stage_names[STAGES] = {
	[STAGE_CREATE_RUNTIME] = "createRuntime",
	[STAGE_PRESTART] = "prestart",
	[STAGE_POSTSTART] = "poststart",
};

static void start_unserved(void)
{
	_exit(0);
}

/* ---- the bundle ---- */

/* Returns a descriptor, or -errno; -EINVAL where the path is none that could be a bundle. */
static int open_bundle_path(const char *path)
{
	cleanup_fd bundle = -1;

	if (path[0] != '/')
		return -EINVAL;
	bundle = openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (bundle < 0)
		return -errno;
	return fs_is_own_root(bundle) ? -EINVAL : take_fd(&bundle);
}

/*
 * crun says "/" for a container with a user namespace and devices, since it has changed its
 * directory by then; but it was started with --bundle, and it is our parent. Returns a descriptor
 * and its path, or -1.
 */
static int find_bundle(const struct state *state, char *path, size_t size, struct err *err)
{
	int bundle = strlen(state->bundle) < size ? open_bundle_path(state->bundle) : -ENAMETOOLONG;
	int reason = -bundle;

	if (bundle >= 0) {
		strcpy(path, state->bundle);
		return bundle;
	}
	if (runtime_bundle_argument(getppid(), path, size)) {
		bundle = open_bundle_path(path);
		if (bundle >= 0)
			return bundle;
	}
	if (reason != EINVAL)
		return err_sys(err, reason, "state JSON on stdin: bundle \"%.200s\"",
			       state->bundle);
	return err_set(err, "state JSON on stdin: bundle \"%.200s\" is not a container's directory",
		       state->bundle);
}

/* ---- what is done to the container ---- */

/* One run */
struct run {
	enum stage stage;
	struct state state;
	char bundle[PATH_MAX];
	struct container container;
	struct outcome outcome;
	bool confined;
	struct err unconfined; /* why not */
};

/* AMD's compute device, which ROCm needs */
static bool has_kfd(const struct spec *spec)
{
	for (size_t i = 0; i < spec->n_devices; i++) {
		if (strcmp(spec->devices[i].path, "/dev/kfd") == 0)
			return true;
	}
	return false;
}

static int write_nccl_conf(struct container *container, int root, bool *ret_changed,
			   struct err *err)
{
	const char *lines = plan_nccl_lines(&container->arena, &container->plan);

	if (!lines)
		return err_memory(err);
	if (container->plan.nccl_conf_mounted)
		return 0;
	if (lines[0] && has_kfd(&container->spec))
		rccl_conf_link(root);
	return nccl_conf_write(root, lines, ret_changed, err);
}

/*
 * The runtime itself sets a limit that the spec lists, runc only after createRuntime. Without the
 * right to raise it (rootless podman) the container gets the rest, as with the shim.
 */
static int raise_memlock(const struct container *container, const struct process *process,
			 enum stage stage, bool *ret_changed, struct err *err)
{
	const struct plan *plan = &container->plan;

	*ret_changed = false;
	if (!plan->adds_rlimit ||
	    process_raise_memlock(process, plan->memlock, ret_changed, err) == 0)
		return 0;
	if (container->config.fail_on_error || stage == STAGE_POSTSTART)
		return -1;
	tell_caller(log_failure(container, err->text, hook_stage_names[stage]));
	return 0;
}

/*
 * Open everything that can fail before changing anything. Write nccl.conf only while the container
 * is created: later its processes run, and have read it.
 */
static int apply_plan(struct run *run, struct applied *applied, struct err *err)
{
	struct container *container = &run->container;
	const struct state *state = &run->state;
	bool writes = run->stage != STAGE_POSTSTART;
	bool raised = false;
	bool wrote = false;
	int root = -1;
	int status;
	cleanup_process process = PROCESS_NONE;
	int alive = process_open(state->pid, state->id, spec_cgroup_name(&container->spec),
				 &process, err);

	if (alive <= 0)
		return alive;
	if (writes) {
		root = container_open_root(container, err);
		if (root < 0)
			return -1;
	}
	status = raise_memlock(container, &process, run->stage, &raised, err);
	if (status == 0 && writes)
		status = write_nccl_conf(container, root, &wrote, err);
	applied->changed = raised || wrote;
	applied->nccl = wrote ? "/" NCCL_CONF : NULL;
	return status;
}

/*
 * Removes from nccl.conf what an earlier start wrote, which is no longer valid. Failures are
 * ignored: there is then no block of ours, or nobody can read it. Skips a container that was
 * dismissed before its config was read.
 */
static void clear_nccl_conf(struct container *container, enum stage stage)
{
	static struct err ignored; /* a caller's stack may be small */
	bool changed;
	int root;

	if (stage == STAGE_POSTSTART || !container->plan.reason || plan_gives(&container->plan))
		return;
	root = container_open_root(container, &ignored);
	if (root >= 0)
		(void)nccl_conf_write(root, "", &changed, &ignored);
}

/* ---- one run ---- */

/*
 * crun runs poststart when the container's process already runs, with what createRuntime gave it:
 * there is nothing left to do, and `crun start` has no --bundle. runc has set the spec's limits
 * since createRuntime; up to 1.5 it says "created", then "running" as well (opencontainers/runc
 * commit 3cdda464f).
 */
static bool is_over(const struct state *state, enum stage stage)
{
	return stage == STAGE_POSTSTART && state->status && strcmp(state->status, "running") == 0 &&
	       runtime_is_crun(getppid());
}

static int read_bundle_spec(struct run *run, struct err *err)
{
	struct container *container = &run->container;
	int bundle = find_bundle(&run->state, run->bundle, sizeof(run->bundle), err);

	if (bundle < 0)
		return -1;
	container->bundle = bundle;
	return container_read_spec(container, bundle, run->bundle, "config.json", err);
}

static int serve_bundle(struct run *run, const struct options *options)
{
	struct container *container = &run->container;
	struct outcome *outcome = &run->outcome;
	struct err *err = &outcome->err;
	const struct entry_point entry = {
		.name = hook_stage_names[run->stage],
		.options = options,
		.tells = true,
		.repeats = run->stage == STAGE_POSTSTART,
		.asks = &run->state.asks,
	};
	int status = read_bundle_spec(run, err);

	if (status == 0)
		status = container_find(container, options, err);
	if (status > 0) {
		deadline_set_must_fail(outcome_if_late(container, &entry));
		status = container_plan(container, err);
	}
	if (status > 0)
		status = apply_plan(run, &outcome->applied, err);
	outcome_decide(container, &entry, status, outcome);
	deadline_set_must_fail(outcome->must_fail);
	clear_nccl_conf(container, run->stage);
	outcome_log(container, outcome, &entry);
	/* A container without RDMA has no line in the log. */
	if (!run->confined && outcome->result != RECORD_NOTHING)
		log_failure(container, run->unconfined.text, entry.name);
	return outcome->must_fail;
}

static int serve_state(struct run *run, const struct options *options)
{
	struct container *container = &run->container;
	const struct state *state = &run->state;
	static struct err err;
	int status = state_read(&container->arena, STDIN_FILENO, &run->state, &err);

	/* A reason may quote the pod's author: in a file that the author chose, it could be a line
	 * of a script. The log has it. */
	if (state->stderr_chosen)
		tell_nobody();
	if (status < 0) {
		tell_caller(log_failure(NULL, err.text, hook_stage_names[run->stage]));
		return 0;
	}
	if (state->sandbox || is_over(state, run->stage))
		return 0;
	container->id = state->id;
	run->confined =
		confine(&hook_confinement, options_directory(options), &run->unconfined) == 0;
	return serve_bundle(run, options);
}

int stage_run(const struct options *options, enum stage stage)
{
	static struct run run; /* a caller's stack may be small */
	int status;

	run.stage = stage;
	run.container = CONTAINER_NONE;
	deadline_arm(start_unserved);
	status = serve_state(&run, options);
	cleanup_close_fd(&run.container.bundle);
	container_free(&run.container);
	return status;
}
