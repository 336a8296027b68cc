/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/missed_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/base/trust.h"
#include "core/container/container.h"
#include "core/process/memlock.h"
#include "core/process/process.h"
#include "core/record/record.h"
#include "core/report/log.h"
#include "core/report/outcome.h"
#include "lib/files.h"
#include "lib/limits.h"
#include "nri/cgroup.h"
#include "nri/message/message.h"
#include "nri/message/message_spec.h"
#include "nri/session.h"

#define CGROUP_SIZE_MAX (64 * 1024)
#define CONTAINER_STOPPED 4

struct looked {
	const struct options *options;
	const Nri__Container *told;
	struct container *container;
	int root;
	bool starts;
	struct record record;
	char cgroup[CGROUP_PATH_SIZE];
};

static bool is_its_process(const struct looked *one, int64_t pid)
{
	char path[64];
	struct fs_text text;

	snprintf(path, sizeof(path), "proc/%" PRId64 "/cgroup", pid);
	return pid > 1 &&
	       tree_read(&one->container->arena, one->root, path, CGROUP_SIZE_MAX, &text) == 0 &&
	       cgroup_names(text.bytes, one->container->id);
}

static bool has_limit(const struct looked *one, struct limits *ret_limits)
{
	const struct plan *plan = &one->container->plan;
	/* containerd omits the pid before the start */
	int64_t pid = one->told->pid ? one->told->pid : cgroup_first(one->root, one->cgroup);
	char path[64];

	*ret_limits = (struct limits){0};
	if (is_its_process(one, pid)) {
		snprintf(path, sizeof(path), "proc/%" PRId64 "/limits", pid);
		*ret_limits = limits_read(&one->container->arena, one->root, path);
	}
	if (ret_limits->known)
		return ret_limits->soft >= plan->memlock;
	/* Gone, not started, or in another pid namespace. It starts with the spec's limits
	 * (containerd 2.3 and CRI-O 1.36 report them). */
	return !plan->adds_rlimit;
}

#define WHEN "created while no plugin was connected: "
#define RECREATE "delete the pod, so that it is created again"

static int mend(struct looked *one, struct err *err)
{
	uint64_t memlock = one->container->plan.memlock;
	const char *reason;
	size_t n;

	if (memlock_check_raise(memlock, err) < 0 ||
	    cgroup_mend(one->root, one->cgroup, memlock, &n, err) < 0)
		return err_prefix(err, "on_missed \"mend\"");
	reason =
		arena_printf(&one->container->arena,
			     WHEN "the memlock limit of its %zu processes is raised; an exec has "
				  "the engine's limit, and no variable is set: for these " RECREATE,
			     n);
	reason = reason ? reason : WHEN;
	(void)record_outcome(one->options, one->container, RECORD_MENDED, reason, ENTRY_POINT);
	(void)log_reason(one->container, LOG_WARNING, record_result_names[RECORD_MENDED], reason,
			 ENTRY_POINT);
	return 0;
}

static enum look_result handle_missed(struct looked *one, const struct limits *limits)
{
	struct container *container = one->container;
	char limit[LIMITS_TEXT_SIZE];
	struct err problem = {0};
	const char *reason;

	if (container->config.on_missed == MISSED_MEND && mend(one, &problem) == 0)
		return LOOK_NOTHING;
	/* Record once: events carry the record's time */
	if (one->record.result == RECORD_MISSED)
		return LOOK_NOTHING;
	reason = arena_printf(
		&container->arena, WHEN "%s%s; %s%s" RECREATE,
		limits->known
			? "the memlock limit of its first process is "
			: "no plugin has decided about it, and its limit cannot be seen from here "
			  "(a DaemonSet without hostPID, not started yet, or ended)",
		limits->known ? limits_text(limits->soft, limit) : "", problem.text,
		problem.text[0] ? "; " : "");
	reason = reason ? reason : WHEN;
	/* If records cannot be written, only a low limit or a start without our variables proves
	 * it. */
	if (record_outcome(one->options, container, RECORD_MISSED, reason, ENTRY_POINT) < 0 &&
	    !limits->known && !(one->starts && container->plan.n_settings))
		return LOOK_UNSEEN;
	(void)log_reason(container, LOG_WARNING, record_result_names[RECORD_MISSED], reason,
			 ENTRY_POINT);
	return one->starts && container->config.on_missed == MISSED_REFUSE ? LOOK_REFUSED
									   : LOOK_NOTHING;
}

/* The runtime may have missed a recorded answer. Only variables prove a grant: engines report the
 * adjusted environment (CRI-O server/container_create.go adjusts before SetSpec; containerd keeps
 * the adjusted spec). */
static bool has_settings(const struct looked *one)
{
	for (size_t i = 0; i < one->record.settings.n; i++) {
		if (!spec_getenv(&one->container->spec, one->record.settings.item[i].name))
			return false;
	}
	return true;
}

/* Trust a grant despite a lower limit: containers can lower it */
static bool is_decided(struct looked *one)
{
	struct container *container = one->container;
	struct err err;

	if (record_read(&container->arena, one->root, container->id, &one->record, &err) <= 0)
		return false;
	switch (one->record.result) {
	case RECORD_GRANTED:
		/* Hook and shim record later, and may use /etc/nccl.conf */
		return strcmp(one->record.entry_point, ENTRY_POINT) != 0 || has_settings(one);
	case RECORD_MISSED:
		/* At a start another plugin reported it */
		return one->starts;
	default:
		return true;
	}
}

static enum look_result check_running(struct looked *one)
{
	struct container *container = one->container;
	const struct plan *plan = &container->plan;
	struct limits limits;
	struct err err;
	int status = container_find(container, one->options, &err);

	if (status > 0)
		status = container_plan(container, &err);
	if (status < 0) {
		log_failure(container, err.text, ENTRY_POINT);
		return LOOK_UNSEEN;
	}
	if (plan->decision != DECISION_GRANT)
		return LOOK_NOTHING;
	/* Variables, no record: another plugin could not write it */
	if (one->starts && plan->n_settings && !plan->new_settings)
		return LOOK_NOTHING;
	if (!has_limit(one, &limits))
		return handle_missed(one, &limits);
	if (one->record.result == RECORD_MISSED)
		(void)record_outcome(one->options, container, RECORD_MENDED,
				     WHEN "others have raised its memlock limit", ENTRY_POINT);
	return LOOK_NOTHING;
}

static enum look_result examine(struct looked *one)
{
	one->container->id = one->container->spec.identity.id;
	if (!one->container->id)
		return LOOK_NOTHING;
	cgroup_find(one->root, one->container->spec.cgroups_path, one->cgroup);
	one->container->cgroup = one->cgroup;
	return is_decided(one) ? LOOK_NOTHING : check_running(one);
}

enum look_result examine_starting(const struct options *options, const Nri__Container *told,
				  struct container *container)
{
	struct err err;
	cleanup_fd root = tree_open_root(options->sysroot, &err);
	struct looked one = {.options = options,
			     .told = told,
			     .container = container,
			     .root = root,
			     .starts = true};

	return examine(&one);
}

static bool has_id(const struct message *pod, const char *id)
{
	struct message left = *pod;
	struct field field;

	while (field_next(&left, &field) > 0) {
		if (field.number == 1)
			return field.bytes.len == strlen(id) &&
			       memcmp(field.bytes.bytes, id, field.bytes.len) == 0;
	}
	return false;
}

static const Nri__PodSandbox *find_pod(const struct known *known, struct arena *arena,
				       const char *id)
{
	for (size_t i = 0; i < known->n; i++) {
		const struct field *item = &known->items[i];

		if (item->number == SYNCHRONIZE_POD && has_id(&item->bytes, id))
			return message_unpack(arena, &nri__pod_sandbox__descriptor, &item->bytes);
	}
	return NULL;
}

/* NULL if unreadable */
static const char *examine_known(const struct look *look, struct arena *arena, int root,
				 const struct message *message, enum look_result *ret_result)
{
	cleanup_container container = CONTAINER_NONE;
	struct looked one = {.options = look->options, .container = &container, .root = root};
	const Nri__PodSandbox *pod;
	struct err err;

	container.what = "Synchronize";
	*ret_result = LOOK_UNSEEN;
	one.told = message_unpack(arena, &nri__container__descriptor, message);
	if (!one.told) {
		log_event(LOG_WARNING, "Synchronize: a container is not looked at: its message is "
				       "cut, or larger than there is room for");
		return NULL;
	}
	/* Fast path: most need no decision, seen without their pod */
	if (message_spec(&container.arena, NULL, one.told, &container.spec, &err) < 0)
		return one.told->id;
	*ret_result = LOOK_NOTHING;
	if (one.told->state == CONTAINER_STOPPED || !container_needs_decision(&container))
		return one.told->id;
	pod = find_pod(look->known, arena, one.told->pod_sandbox_id);
	/* A lost pod may have annotations */
	if ((!pod && look->known->lost) ||
	    message_spec(&container.arena, pod, one.told, &container.spec, &err) < 0)
		*ret_result = LOOK_UNSEEN;
	else
		*ret_result = examine(&one);
	return one.told->id;
}

static void forget(int dir, const struct record_entry *entry, const char *engine)
{
	cleanup_arena arena = {0};
	struct record record;
	struct err ignored;

	if (clock_ms() - entry->clock >= RECORD_NEW_MS &&
	    record_load(&arena, dir, entry->file, &record, &ignored) == 1 && record.engine &&
	    strcmp(record.engine, engine) == 0)
		(void)unlinkat(dir, entry->file, 0);
}

void examine_running(void *context, int out)
{
	const struct look *look = context;
	const struct known *known = look->known;
	enum look_result result;
	cleanup_arena records = {0};
	bool whole = !known->lost;
	uint64_t unseen = 0;
	struct record_entry *gone;
	struct err err;
	cleanup_fd root = tree_open_root(look->options->sysroot, &err);
	cleanup_fd dir = trust_open_dir(root, RECORD_DIR, &err);
	int n = dir < 0 ? 0 : record_list(&records, dir, false, &gone);

	for (size_t item = 0; item < known->n; item++) {
		cleanup_arena arena = {0};
		const char *id;

		if (known->items[item].number != SYNCHRONIZE_CONTAINER)
			continue;
		id = examine_known(look, &arena, root, &known->items[item].bytes, &result);
		whole &= id != NULL;
		for (int i = 0; i < n; i++) {
			if (id && gone[i].id && strcmp(gone[i].id, id) == 0)
				gone[i].id = NULL;
		}
		unseen += result == LOOK_UNSEEN;
	}
	for (int i = 0; whole && look->options->engine && i < n; i++) {
		if (gone[i].id)
			forget(dir, &gone[i], look->options->engine);
	}
	(void)fs_write(out, &unseen, sizeof(unseen));
}
