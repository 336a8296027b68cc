/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/container/container.h"
#include "core/process/process.h"
#include "core/record/store.h"
#include "core/report/report.h"
#include "explain/limits.h"
#include "nri/missed.h"
#include "nri/session.h"

#define WAY_IN "nri"
#define CGROUP_SIZE_MAX (64 * 1024)
#define CONTAINER_STOPPED 4

/* A container that is looked at */
struct looked {
	const struct options *options;
	const Nri__Container *told;
	struct container *container; /* its spec is read */
	int root;                    /* the sysroot */
	bool starts;                 /* it is about to start; else it runs */
	struct record record;        /* of an earlier decision */
	char cgroup[CGROUP_PATH_SIZE];
	struct look_report *report;
};

/* ---- what its limit is ---- */

static bool is_its_process(const struct looked *one, int64_t pid)
{
	char path[64];
	struct fs_text text;

	(void)snprintf(path, sizeof(path), "proc/%" PRId64 "/cgroup", pid);
	return pid > 1 &&
	       tree_read(&one->container->arena, one->root, path, CGROUP_SIZE_MAX, &text) == 0 &&
	       cgroup_names(text.bytes, one->container->id);
}

/* *ret_limits: of its first process; not known if that cannot be seen. */
static bool has_limit(const struct looked *one, struct limits *ret_limits)
{
	const struct plan *plan = &one->container->plan;
	/* containerd does not say the process of one that is about to start. */
	int64_t pid = one->told->pid ? one->told->pid : cgroup_first(one->root, one->cgroup);
	char path[64];

	*ret_limits = (struct limits){0};
	if (is_its_process(one, pid)) {
		(void)snprintf(path, sizeof(path), "proc/%" PRId64 "/limits", pid);
		*ret_limits = limits_read(&one->container->arena, one->root, path);
	}
	if (ret_limits->known)
		return ret_limits->soft >= plan->memlock;
	/* Its process has not begun, has ended, or is in a pid namespace that the plugin does not
	 * see. The limits that containerd 2.3 and CRI-O 1.36 tell are those of the spec, by which
	 * the process begins. */
	return !plan->adds_rlimit;
}

/* ---- what is said of it ---- */

/* Once, however often the plugin connects: an event of the pod has the record's time. Returns -1 if
 * none could be written. */
static int keep_record(const struct looked *one, enum record_result result, const char *reason)
{
	if (one->record.result == result)
		return 0;
	return remember(one->options, one->container, result, reason, WAY_IN);
}

/* Each is said once, however often the plugin connects. */
static void say(const struct looked *one, enum record_result result, const char *reason)
{
	if (one->record.result != result)
		(void)log_reason(one->container, LOG_WARNING, record_result_name(result), reason,
				 WAY_IN);
}

#define WHEN "created while no plugin was connected: "
#define RECREATE "delete the pod, so that it is created again"

/* Whether this process may raise a limit that far. Returns 0, or -1 with the reason. */
static int may_raise(uint64_t bytes, struct err *err)
{
	uint64_t max = own_memlock_max();

	if (!max || max >= bytes)
		return 0;
	return err_set(err,
		       "RLIMIT_MEMLOCK cannot be raised above %llu bytes: that needs "
		       "CAP_SYS_RESOURCE on the node, which this process does not have",
		       (unsigned long long)max);
}

static int mend(struct looked *one, struct err *err)
{
	uint64_t memlock = one->container->plan.memlock;
	const char *reason;
	size_t n;

	if (may_raise(memlock, err) < 0 ||
	    cgroup_mend(one->root, one->cgroup, memlock, &n, err) < 0)
		return err_prefix(err, "on_missed \"mend\"");
	reason =
		arena_printf(&one->container->arena,
			     WHEN "the memlock limit of its %zu processes is raised; an exec has "
				  "the engine's limit, and no variable is set: for these " RECREATE,
			     n);
	reason = reason ? reason : WHEN;
	(void)keep_record(one, RECORD_MENDED, reason);
	say(one, RECORD_MENDED, reason);
	one->report->kind = LOOK_MENDED;
	return 0;
}

static void be_missed(struct looked *one, const struct limits *limits)
{
	const struct container *container = one->container;
	char limit[LIMITS_TEXT_SIZE];
	struct err problem = {0};
	const char *reason;

	if (container->config.on_missed == MISSED_MEND && mend(one, &problem) == 0)
		return;
	reason = arena_printf(
		&one->container->arena, WHEN "%s%s; %s%s" RECREATE,
		limits->known
			? "the memlock limit of its first process is "
			: "no plugin has decided about it, and its limit cannot be seen from here "
			  "(a DaemonSet without hostPID, not started yet, or ended)",
		limits->known ? limits_text(limits->soft, limit) : "", problem.text,
		problem.text[0] ? "; " : "");
	reason = reason ? reason : WHEN;
	one->report->kind = LOOK_UNSEEN;
	/* If no record can be written, that there is none does not show that nobody decided. A low
	 * limit does, and that one starts without its variables. */
	if (keep_record(one, RECORD_MISSED, reason) < 0 && !limits->known &&
	    !(one->starts && container->plan.n_settings))
		return;
	one->report->refused = one->starts && container->config.on_missed == MISSED_REFUSE;
	say(one, RECORD_MISSED, reason);
	one->report->kind = LOOK_MISSED;
}

/* ---- the decision ---- */

/*
 * The record comes before the answer. So of a grant only the variables show that the runtime took
 * it: it reads no answer of a plugin that was killed in between, or that it has given up. An engine
 * names a container with the environment as adjusted (CRI-O server/container_create.go adjusts it
 * before SetSpec; containerd keeps the spec that it has adjusted).
 */
static bool has_settings(const struct looked *one)
{
	for (size_t i = 0; i < one->record.settings.n; i++) {
		if (!spec_getenv(&one->container->spec, one->record.settings.item[i].name))
			return false;
	}
	return true;
}

/* Whether a plugin that was connected has decided about it, and has said what it got. What that
 * plugin gave may have been lowered by the container itself since. */
static bool is_decided(struct looked *one)
{
	struct container *container = one->container;
	struct err err;

	if (record_read(&container->arena, one->root, container->id, &one->record, &err) <= 0)
		return false;
	switch (one->record.result) {
	case RECORD_GRANTED:
		return has_settings(one);
	case RECORD_MISSED:
		/* At its start, which both plugins hear of, it was said by the other one. */
		return one->starts;
	case RECORD_MENDED:
		one->report->kind = one->starts ? LOOK_NOTHING : LOOK_MENDED;
		return true;
	default:
		return true;
	}
}

/* Without a device that is proven, or if it does not ask, there was nothing to miss. */
static void decide(struct looked *one)
{
	struct container *container = one->container;
	const struct plan *plan = &container->plan;
	struct limits limits;
	struct err err;
	int status = container_find(container, one->options, &err);

	if (status > 0)
		status = container_plan(container, &err);
	if (status < 0) {
		one->report->kind = LOOK_UNSEEN;
		log_failure_silently(container, &err, WAY_IN);
		return;
	}
	if (plan->decision != DECISION_GRANT)
		return;
	/* Without a record, but another plugin's variables are there: it could not write one. */
	if (one->starts && plan->n_settings && !plan_has_new_settings(plan))
		return;
	if (!has_limit(one, &limits))
		be_missed(one, &limits);
	else if (one->record.result == RECORD_MISSED)
		(void)keep_record(one, RECORD_MENDED, WHEN "others have raised its memlock limit");
}

static void look_at(struct looked *one)
{
	const struct identity *identity = &one->container->spec.identity;

	*one->report = (struct look_report){.kind = LOOK_NOTHING};
	one->container->id = identity->id;
	if (!identity->id)
		return;
	cgroup_find(one->root, one->container->spec.cgroups_path, one->cgroup);
	one->container->cgroup = one->cgroup;
	if (!is_decided(one))
		decide(one);
}

void look_at_start(const struct options *options, const Nri__Container *told,
		   struct container *container, struct look_report *ret_report)
{
	struct err err;
	cleanup_fd root = tree_open_root(options->sysroot, &err);
	struct looked one = {.options = options,
			     .told = told,
			     .container = container,
			     .root = root,
			     .starts = true,
			     .report = ret_report};

	*ret_report = (struct look_report){.kind = LOOK_NOTHING};
	look_at(&one);
	if (ret_report->kind == LOOK_UNSEEN)
		ret_report->kind = LOOK_NOTHING; /* its log says why */
}

/* ---- all that run ---- */

static const Nri__PodSandbox *find_pod(const struct look *look, struct arena *arena, const char *id)
{
	struct message left = look->known;
	struct field field;

	while (field_next(&left, &field) > 0) {
		const Nri__PodSandbox *pod =
			field.number == SYNCHRONIZE_POD
				? message_unpack(arena, &nri__pod_sandbox__descriptor, &field.bytes)
				: NULL;

		if (pod && strcmp(pod->id, id) == 0)
			return pod;
	}
	return NULL;
}

/* Returns the container's id, in the arena; NULL: it cannot be read. */
static const char *look_at_known(const struct look *look, struct arena *arena, int root,
				 const struct message *message, struct look_report *ret_report)
{
	cleanup_container container = CONTAINER_NONE;
	struct looked one = {.options = look->options,
			     .container = &container,
			     .root = root,
			     .report = ret_report};
	const Nri__PodSandbox *pod;
	struct err err;

	container.what = "Synchronize";
	*ret_report = (struct look_report){.kind = LOOK_UNSEEN};
	one.told = message_unpack(arena, &nri__container__descriptor, message);
	if (!one.told)
		return NULL;
	/* Most are none of ours, which they say without their pod. */
	if (message_spec(&container.arena, NULL, one.told, &container.spec, &err) < 0)
		return one.told->id;
	ret_report->kind = LOOK_NOTHING;
	if (one.told->state == CONTAINER_STOPPED || !container_may_matter(&container))
		return one.told->id;
	pod = find_pod(look, arena, one.told->pod_sandbox_id);
	if (message_spec(&container.arena, pod, one.told, &container.spec, &err) < 0)
		ret_report->kind = LOOK_UNSEEN;
	else
		look_at(&one);
	return one.told->id;
}

void look_at_all(void *context, int out)
{
	const struct look *look = context;
	struct look_report report = {.kind = LOOK_END};
	struct message left = look->known;
	cleanup_arena records = {0};
	bool whole = look->whole;
	struct field field;
	struct record_entry *gone; /* records of containers that the engine does not name */
	struct err err;
	cleanup_fd root = tree_open_root(look->options->sysroot, &err);
	cleanup_fd dir = record_open(root, &err);
	int n = dir < 0 ? 0 : record_list(&records, dir, false, &gone);

	while (field_next(&left, &field) > 0) {
		cleanup_arena arena = {0};
		const char *id;

		if (field.number != SYNCHRONIZE_CONTAINER)
			continue;
		id = look_at_known(look, &arena, root, &field.bytes, &report);
		whole &= id != NULL;
		for (int i = 0; i < n; i++) {
			if (id && gone[i].id && strcmp(gone[i].id, id) == 0)
				gone[i].id = NULL;
		}
		if (report.kind != LOOK_NOTHING)
			(void)fs_write(out, (const char *)&report, sizeof(report));
	}
	for (int i = 0; whole && look->options->engine && i < n; i++) {
		if (gone[i].id)
			record_forget(dir, &gone[i], look->options->engine);
	}
	report = (struct look_report){.kind = LOOK_END};
	(void)fs_write(out, (const char *)&report, sizeof(report));
}
