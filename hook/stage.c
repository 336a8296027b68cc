/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/stderr_line.h"
#include "core/base/text.h"
#include "core/command_line.h"
#include "core/container/container.h"
#include "core/deadline.h"
#include "core/json/document.h"
#include "core/nccl_conf.h"
#include "core/process/memlock.h"
#include "core/process/process.h"
#include "core/report/log.h"
#include "core/report/outcome.h"
#include "hook/caller.h"
#include "hook/hook_confinement.h"

#define WHAT "state JSON on stdin"

static bool is_sandbox(struct json_document *doc, const struct json_node *annotations,
		       const char *type)
{
	return json_equals(json_get(doc, annotations, type, JSON_ANY), "sandbox");
}

static int parse_state(struct arena *arena, const struct fs_text *text, struct state *ret_state,
		       struct err *err)
{
	struct state state = *ret_state;
	struct json_document doc;
	const struct json_node *annotations;
	const struct json_node *pid;

	if (json_parse(&doc, arena, WHAT, text->bytes, text->len, 0, err) < 0)
		return -1;
	state.id = json_get_string(&doc, doc.root, "id");
	state.bundle = json_get_string(&doc, doc.root, "bundle");
	state.status = json_get_string(&doc, doc.root, "status");
	pid = json_get(&doc, doc.root, "pid", JSON_ANY);
	annotations = json_get(&doc, doc.root, "annotations", JSON_OBJECT | JSON_NULL);
	state.sandbox = is_sandbox(&doc, annotations, "io.kubernetes.cri-o.ContainerType") ||
			is_sandbox(&doc, annotations, "io.kubernetes.cri.container-type");
	/* Duplicates are harmless: this only decides on a message. */
	state.asks = json_equals(json_find(annotations, SPEC_ANNOTATION_PREFIX "inject"), "true");
	if (doc.failed)
		return -1;
	if (!state.id || !state.id[0] || strchr(state.id, '/') || text_has_control(state.id))
		return err_set(err, WHAT ": the container id is missing or cannot be used");
	if (!state.bundle)
		return err_set(err, WHAT ": the bundle is missing");
	/* Last, because it may fail: a non-integer pid counts as absent. */
	state.pid = json_int64(&doc, pid, 0);
	*ret_state = state;
	return 0;
}

int state_read(struct arena *arena, int fd, struct state *ret_state, struct err *err)
{
	static const char chosen[] = "run.oci.hooks.stderr";
	char rest[1024];
	struct fs_text text;
	int status = fs_read(arena, fd, STATE_SIZE_MAX, WHAT, &text, err);

	/* crun escapes neither letters nor dots; an incomplete state may contain the key. */
	ret_state->stderr_chosen =
		status < 0 || memmem(text.bytes, text.len, chosen, sizeof(chosen) - 1);
	if (status == 0)
		return parse_state(arena, &text, ret_state, err);
	/* Drain stdin: EPIPE fails the start (crun's run_process_with_stdin_timeout_envp). */
	while (read(fd, rest, sizeof(rest)) > 0)
		;
	return -1;
}

struct run {
	struct state state;
	struct container container;
	struct outcome outcome; /* repeats: poststart */
};

static int write_nccl_conf(struct container *container, bool *ret_changed, struct err *err)
{
	const struct spec *spec = &container->spec;
	const char *lines = plan_nccl_lines(&container->arena, &container->plan);
	int status;

	if (!lines)
		return err_memory(err);
	/* Keep this node's HCAs out of images: `buildah build` names its RUN containers so
	 * (run_linux.go, containerName). */
	if (container->plan.nccl_conf_mounted || text_starts_with(container->id, "buildah-"))
		return 0;
	/* AMD's compute device: RCCL reads another file. */
	for (size_t i = 0; lines[0] && i < spec->n_devices; i++) {
		if (strcmp(spec->devices[i].path, "/dev/kfd") == 0)
			rccl_conf_link(container->root);
	}
	status = nccl_conf_write(container->root, lines, ret_changed, err);
	if (container->plan.new_settings)
		return status;
	/* Another entry point granted and logged all; the file serves sessions. */
	*ret_changed = false;
	return 0;
}

/* The runtime sets a listed limit, runc after createRuntime. If we may not raise it (rootless
 * podman), grant the rest. */
static int raise_memlock(const struct run *run, int pidfd, bool *ret_changed, struct err *err)
{
	const struct container *container = &run->container;
	const struct plan *plan = &container->plan;

	if (!plan->adds_rlimit || process_raise_memlock((pid_t)run->state.pid, pidfd, plan->memlock,
							ret_changed, err) == 0)
		return 0;
	/* createRuntime raised it or logged why not; even reading another user's limit needs
	 * CAP_SYS_RESOURCE. */
	if (run->outcome.repeats && !container->spec.has_memlock)
		return 0;
	if (container->config.fail_on_error || run->outcome.repeats)
		return -1;
	report_to_caller(log_failure(container, err->text, run->outcome.entry_point));
	return 0;
}

/* Opens all before changing anything. Running processes have read nccl.conf. */
static int apply_plan(struct run *run, struct err *err)
{
	struct container *container = &run->container;
	bool writes = !run->outcome.repeats;
	bool raised = false;
	bool wrote = false;
	cleanup_fd pidfd = -1;
	int status = process_open(run->state.pid, run->state.id, spec_cgroup_name(&container->spec),
				  &pidfd, err);

	if (status <= 0)
		return status;
	if (writes && container_open_root(container, err) < 0)
		return -1;
	status = raise_memlock(run, pidfd, &raised, err);
	if (status == 0 && writes)
		status = write_nccl_conf(container, &wrote, err);
	run->outcome.changed = raised || wrote;
	run->outcome.nccl = wrote ? "/" NCCL_CONF : NULL;
	return status;
}

/* Best effort: NCCL cannot read what we cannot. Without a reason, dismissed before its config was
 * read. */
static void clear_nccl_conf(struct run *run)
{
	static struct err ignored;
	struct container *container = &run->container;
	bool changed;

	if (!run->outcome.repeats && container->plan.reason && !plan_gives(&container->plan) &&
	    container_open_root(container, &ignored) >= 0)
		(void)nccl_conf_write(container->root, "", &changed, &ignored);
}

/* Returns a descriptor or -errno; -EINVAL: a relative path, or the node's root. */
static int open_bundle(const char *path)
{
	cleanup_fd bundle = -1;

	if (path[0] != '/')
		return -EINVAL;
	bundle = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (bundle < 0)
		return -errno;
	return fs_is_own_root(bundle) ? -EINVAL : steal_fd(&bundle);
}

/* With a user namespace and devices crun reports "/", its new directory; our parent's command line
 * has --bundle. */
static int read_bundle_spec(struct run *run, struct err *err)
{
	struct container *container = &run->container;
	const char *path = run->state.bundle;
	int bundle = open_bundle(path);
	int reason = -bundle;

	if (bundle < 0) {
		path = caller_bundle(&container->arena, getppid());
		bundle = path ? open_bundle(path) : bundle;
	}
	container->bundle = bundle;
	if (bundle >= 0)
		return container_read_spec(container, bundle, path, "config.json", err);
	if (reason != EINVAL)
		return err_sys(err, reason, WHAT ": bundle \"%.200s\"", run->state.bundle);
	return err_set(err, WHAT ": bundle \"%.200s\" is not a container's directory",
		       run->state.bundle);
}

static int serve_bundle(struct run *run)
{
	struct container *container = &run->container;
	struct outcome *outcome = &run->outcome;
	struct err *err = &outcome->err;
	int status = read_bundle_spec(run, err);

	if (status == 0)
		status = container_find(container, run->outcome.options, err);
	if (status > 0) {
		deadline_set_must_fail(outcome_if_timed_out(container, outcome));
		status = container_plan(container, err);
	}
	if (status > 0)
		status = apply_plan(run, err);
	outcome_decide(container, status, outcome);
	deadline_set_must_fail(outcome->must_fail);
	clear_nccl_conf(run);
	outcome_log(container, outcome);
	return outcome->must_fail;
}

/* At crun's poststart the process has createRuntime's grant; `crun start` has no --bundle. runc has
 * set limits since; it reports "created" up to 1.5, then "running" (commit 3cdda464f). */
static bool is_over(struct run *run)
{
	return run->outcome.repeats && text_is(run->state.status, "running") &&
	       caller_is_crun(&run->container.arena, getppid());
}

static int serve_state(struct run *run)
{
	const struct state *state = &run->state;
	struct err *err = &run->outcome.err;
	int status = state_read(&run->container.arena, STDIN_FILENO, &run->state, err);

	/* A reason may quote the pod's author: in a file they choose, it could be script code. */
	if (state->stderr_chosen)
		stderr_mute();
	if (status < 0) {
		report_to_caller(log_failure(NULL, err->text, run->outcome.entry_point));
		return 0;
	}
	if (state->sandbox || is_over(run))
		return 0;
	run->container.id = state->id;
	(void)confine(&hook_confinement, options_directory(run->outcome.options),
		      &run->outcome.unconfined);
	return serve_bundle(run);
}

static void start_unserved(void)
{
	_exit(0);
}

int stage_run(const struct options *options, const char *stage)
{
	static struct run run;

	run.outcome.entry_point = stage;
	run.outcome.options = options;
	run.outcome.tells = true;
	run.outcome.repeats = strcmp(stage, "poststart") == 0;
	run.outcome.asks = &run.state.asks;
	run.container = CONTAINER_NONE;
	deadline_arm(start_unserved);
	return serve_state(&run);
}
