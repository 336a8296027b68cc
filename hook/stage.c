/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/tell.h"
#include "core/container/container.h"
#include "core/deadline.h"
#include "core/process/process.h"
#include "core/report/log.h"
#include "core/spec/state.h"
#include "hook/apply/nccl_conf.h"
#include "hook/confinement.h"

static const char *const stage_names[] = {
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
static int open_bundle(const char *path)
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
	int bundle = strlen(state->bundle) < size ? open_bundle(state->bundle) : -ENAMETOOLONG;
	int reason = -bundle;

	if (bundle >= 0) {
		strcpy(path, state->bundle);
		return bundle;
	}
	if (process_bundle_argument(getppid(), path, size)) {
		bundle = open_bundle(path);
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

/* What this run found otherwise, and changed */
struct changed {
	bool memlock;
	bool nccl_conf;
};

/* The container's root: by the spec's mappings, or, in a user namespace that it only joins, the
 * kernel's */
static int find_owner(const struct container *container, const struct process *process,
		      struct nccl_conf_owner *ret_owner, struct err *err)
{
	const struct spec *spec = &container->spec;
	uint64_t uid;
	uint64_t gid;

	*ret_owner = (struct nccl_conf_owner){0};
	if (!spec->user_namespace)
		return 0;
	if (!spec_host_id(spec->uid_map, spec->n_uid_map, 0, &uid) ||
	    !spec_host_id(spec->gid_map, spec->n_gid_map, 0, &gid))
		return process_root_ids(process, &ret_owner->uid, &ret_owner->gid, err);
	*ret_owner = (struct nccl_conf_owner){.uid = (uid_t)uid, .gid = (gid_t)gid};
	return 0;
}

static int write_nccl_conf(struct container *container, const struct process *process, int root,
			   bool *ret_changed, struct err *err)
{
	const char *lines = plan_nccl_lines(&container->arena, &container->plan);
	struct nccl_conf_owner owner;

	if (!lines)
		return err_memory(err);
	if (container->plan.nccl_conf_mounted)
		return 0;
	if (find_owner(container, process, &owner, err) < 0)
		return -1;
	return nccl_conf_write(root, lines, &owner, ret_changed, err);
}

/* A rootless engine's container gets the rest, and its user a line that says what to do. */
static void tell_shortage(const struct container *container, enum stage stage)
{
	struct err err;

	(void)err_set(&err, "%s", container->plan.shortage);
	log_failure(container, &err, stage_names[stage]);
}

/*
 * A limit that the spec lists the runtime sets itself, runc only after createRuntime. Without the
 * right to raise it (rootless podman) the container gets the rest, as the shim would have it.
 */
static int raise_memlock(const struct container *container, const struct process *process,
			 enum stage stage, bool *ret_changed, struct err *err)
{
	const struct plan *plan = &container->plan;

	*ret_changed = false;
	if (plan->shortage && stage != STAGE_POSTSTART)
		tell_shortage(container, stage);
	if (!plan->sets_memlock || !plan->adds_rlimit ||
	    process_raise_memlock(process, plan->memlock, ret_changed, err) == 0)
		return 0;
	if (container->config.fail_on_error || stage == STAGE_POSTSTART)
		return -1;
	log_failure(container, err, stage_names[stage]);
	return 0;
}

/*
 * All that may be refused is opened before anything is changed. nccl.conf is written while the
 * container is created only: later its processes run, and have read it.
 */
static int apply(struct container *container, const struct state *state, enum stage stage,
		 struct changed *changed, struct err *err)
{
	bool writes = stage != STAGE_POSTSTART;
	int root = -1;
	cleanup_process process = PROCESS_NONE;
	int alive = process_open(state->pid, state->id, spec_cgroup_name(&container->spec),
				 &process, err);

	if (alive < 0)
		return -1;
	if (!alive)
		return 0;
	if (writes) {
		root = container_open_root(container, err);
		if (root < 0)
			return -1;
	}
	if (raise_memlock(container, &process, stage, &changed->memlock, err) < 0)
		return -1;
	return writes ? write_nccl_conf(container, &process, root, &changed->nccl_conf, err) : 0;
}

/* One line for a grant: poststart, which is installed beside createRuntime, only repairs what runc
 * undid. */
static int apply_and_log(struct container *container, const struct state *state, enum stage stage,
			 struct err *err)
{
	struct changed changed = {0};
	int status = apply(container, state, stage, &changed, err);
	struct applied applied = {.nccl = changed.nccl_conf ? "/etc/nccl.conf" : NULL};
	bool starts = status == 0 || !container->config.fail_on_error;

	if ((changed.memlock || changed.nccl_conf) && starts && stage != STAGE_POSTSTART)
		log_grant(container, &applied, stage_names[stage]);
	return status;
}

/*
 * What an earlier start was given in nccl.conf does not hold any more. Nobody needs to hear where
 * that fails: there is no block of ours then, or nobody can read it. Who was dismissed before the
 * config was read is not looked at.
 */
static void clear_nccl_conf(struct container *container, enum stage stage)
{
	struct err ignored;
	int root;

	if (stage == STAGE_POSTSTART || !container->plan.reason)
		return;
	root = container_open_root(container, &ignored);
	if (root >= 0)
		(void)nccl_conf_clear(root, &ignored);
}

/*
 * A container that gets nothing has one line about it: poststart adds none, and where the shim has
 * started the runtime, it has decided by the same rules, and has said it.
 */
static bool is_said_already(enum stage stage)
{
	return stage == STAGE_POSTSTART || process_has_variable(getppid(), SHIM_ROUNDS);
}

static void say_none(struct container *container, const char *reason, enum stage stage)
{
	if (log_wants_none(container) && !is_said_already(stage))
		log_none(container, reason, stage_names[stage]);
}

/* The caller of a run that fails is to hear why. */
static void say_denial(struct container *container, enum stage stage)
{
	if (stage != STAGE_POSTSTART && (container->plan.fail || !is_said_already(stage)))
		log_denial(container, stage_names[stage]);
}

static int act(struct container *container, const struct state *state, enum stage stage,
	       struct err *err)
{
	switch (container->plan.decision) {
	case DECISION_NONE:
		clear_nccl_conf(container, stage);
		say_none(container, container->plan.reason, stage);
		return 0;
	case DECISION_DENIED:
		deadline_must_fail(container->plan.fail);
		clear_nccl_conf(container, stage);
		say_denial(container, stage);
		return 0;
	case DECISION_TCP:
	case DECISION_GRANT:
		return apply_and_log(container, state, stage, err);
	}
	return 0;
}

/* ---- one run ---- */

/*
 * crun runs poststart when the container's process runs, by which it has kept what createRuntime
 * gave it: there is nothing left to do, nor a --bundle in `crun start`. runc has set the spec's
 * limits since createRuntime; up to 1.5 it says "created", then "running" as well (opencontainers/
 * runc commit 3cdda464f).
 */
static bool is_over(const struct state *state, enum stage stage)
{
	return stage == STAGE_POSTSTART && state->status && strcmp(state->status, "running") == 0 &&
	       process_is_crun(getppid());
}

static int serve(struct container *container, const struct options *options,
		 const struct state *state, enum stage stage, bool *ret_proven, struct err *err)
{
	if (container_decide(container, options, ret_proven, err) < 0)
		return -1;
	return act(container, state, stage, err);
}

/*
 * The exit status of a failed run. Without a proven device what failed was not needed: only who has
 * an annotation of ours hears of it. In poststart all but a failed raise is known from
 * createRuntime.
 */
static int fail(struct container *container, const struct err *err, enum stage stage, bool proven)
{
	bool planned = container->plan.decision == DECISION_GRANT;
	bool tcp = container->plan.decision == DECISION_TCP;

	if (stage == STAGE_POSTSTART && !planned)
		return 0;
	if (!proven && !tcp) {
		say_none(container, err->text, stage);
		return 0;
	}
	log_failure(container, err, stage_names[stage]);
	return container->has_config && container->config.fail_on_error;
}

/*
 * What cannot be read may be an RDMA container's: the state says whether it asks, and the text, as
 * far as there is one, whether it was given a device. Nobody else may notice.
 */
static bool must_serve_unread(struct container *container, const struct options *options,
			      const struct state *state)
{
	const struct config *config = &container->config;
	struct err ignored;

	if (container->text.bytes && !container_names_device(&container->text))
		return false;
	if (container_load_config(container, options, &ignored) < 0 || !config->fail_on_error)
		return false;
	return state->asks || (container->text.bytes && config->opt_in == OPT_IN_DEVICE);
}

/* What is large is static here: a caller's stack may be small. */
static int run(struct container *container, const struct options *options, enum stage stage)
{
	cleanup_fd bundle = -1;
	static struct state state;
	static char path[PATH_MAX];
	static struct err err;
	bool proven = false;

	if (state_read(&container->arena, STDIN_FILENO, &state, &err) < 0) {
		log_failure(NULL, &err, stage_names[stage]);
		return 0;
	}
	/* A reason may quote the pod's author: in a file of the author's choice that would be a
	 * line of a script. The log has it. */
	if (state.stderr_chosen)
		tell_nobody();
	if (state.sandbox || is_over(&state, stage))
		return 0;
	container->id = state.id;
	container->pid = state.pid;
	confine(&hook_confinement, options_directory(options));
	bundle = find_bundle(&state, path, sizeof(path), &err);
	if (bundle < 0 || container_read_spec(container, bundle, path, "config.json", &err) < 0) {
		log_failure(container, &err, stage_names[stage]);
		return must_serve_unread(container, options, &state);
	}
	if (serve(container, options, &state, stage, &proven, &err) < 0)
		return fail(container, &err, stage, proven);
	return container->plan.fail;
}

int stage_run(const struct options *options, enum stage stage)
{
	static struct container container;
	int status;

	container = CONTAINER_NONE;
	deadline_arm(start_unserved);
	status = run(&container, options, stage);
	container_free(&container);
	return stage == STAGE_POSTSTART ? 0 : status;
}
