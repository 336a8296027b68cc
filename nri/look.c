/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/proc.h"
#include "core/base/text.h"
#include "core/container/container.h"
#include "core/note/note.h"
#include "core/process/process.h"
#include "core/report/report.h"
#include "nri/missed.h"

/* ---- the look ---- */

#define WAY_IN "nri"
#define CGROUP_SIZE_MAX (64 * 1024)
#define REASON_SIZE 512
/* The first pid namespace's inode (include/linux/proc_ns.h) */
#define FIRST_PIDS "pid:[4026531836]"

struct work {
	const struct look *look;
	int root; /* the sysroot */
	int out;
	bool sees_pids; /* /proc is that of the node's pid namespace */
	struct container *container;
	struct message_state state;
	char cgroup[CGROUP_PATH_SIZE];
	struct note note; /* of an earlier decision */
	bool has_note;
	struct look_report *starts; /* it is about to start, and is reported there; NULL: it runs */
	const char *refusal;        /* why it must not start */
};

/* ---- what its limit is ---- */

enum limit_source {
	LIMIT_ENOUGH,
	LIMIT_LOW,    /* the first process has less */
	LIMIT_UNSEEN, /* its process cannot be looked at, and nothing says that it was served */
};

/* containerd does not say the process of one that is about to start. */
static int64_t first_process(const struct work *work)
{
	return work->state.pid || !work->sees_pids ? work->state.pid
						   : cgroup_first(work->root, work->cgroup);
}

static bool is_its_process(const struct work *work, int64_t pid, struct arena *arena)
{
	char path[64];
	struct fs_text text;

	(void)snprintf(path, sizeof(path), "proc/%" PRId64 "/cgroup", pid);
	return pid > 1 && tree_read(arena, work->root, path, CGROUP_SIZE_MAX, &text) == 0 &&
	       cgroup_names(text.bytes, work->container->id);
}

/* Its process has not begun, or is in a pid namespace that the plugin does not see. The limits that
 * containerd 2.3 and CRI-O 1.36 tell are those of the spec, by which the process will begin. */
static enum limit_source limit_by_spec(const struct work *work)
{
	return work->container->plan.adds_rlimit ? LIMIT_UNSEEN : LIMIT_ENOUGH;
}

static enum limit_source find_limit(const struct work *work, struct limits *ret_limits)
{
	struct arena *arena = &work->container->arena;
	int64_t pid = first_process(work);
	char path[64];

	*ret_limits = (struct limits){0};
	if (!is_its_process(work, pid, arena)) {
		/* It ended meanwhile: nothing is missed. */
		if (work->sees_pids && pid > 0)
			return LIMIT_ENOUGH;
		return limit_by_spec(work);
	}
	(void)snprintf(path, sizeof(path), "proc/%" PRId64 "/limits", pid);
	*ret_limits = limits_read(arena, work->root, path);
	if (!ret_limits->known)
		return limit_by_spec(work);
	return ret_limits->soft < work->container->plan.memlock ? LIMIT_LOW : LIMIT_ENOUGH;
}

/* ---- what is said of it ---- */

static void report(const struct work *work, enum look_kind kind)
{
	const struct identity *identity = &work->container->spec.identity;
	struct look_report line = {.kind = kind};

	line.known = work->has_note &&
		     (work->note.result == NOTE_MISSED || work->note.result == NOTE_MENDED);
	(void)snprintf(line.id, sizeof(line.id), "%s", work->container->id);
	(void)snprintf(line.who, sizeof(line.who), "%s/%s/%s",
		       identity->pod_namespace ? identity->pod_namespace : "-",
		       identity->pod ? identity->pod : "-", identity->name ? identity->name : "-");
	(void)snprintf(line.cgroup, sizeof(line.cgroup), "%s", work->cgroup);
	if (work->starts)
		*work->starts = line;
	else
		(void)fs_write(work->out, (const char *)&line, sizeof(line));
}

static void report_unread(int out)
{
	const struct look_report line = {.kind = LOOK_UNSEEN};

	(void)fs_write(out, (const char *)&line, sizeof(line));
}

/* "created 2026-11-22T17:05:51Z, the plugin is connected since 2026-11-22T17:06:16Z" */
static void print_when(const struct work *work, char text[REASON_SIZE])
{
	char created[NOTE_TIME_SIZE];

	note_time(work->state.created, created);
	(void)snprintf(text, REASON_SIZE, "created %s, the plugin is connected since %s",
		       work->state.created && created[0] ? created : "while the plugin was away",
		       work->look->since);
}

static void print_limit(enum limit_source source, const struct limits *limits,
			char text[REASON_SIZE])
{
	char have[LIMITS_TEXT_SIZE];

	if (source == LIMIT_LOW)
		(void)snprintf(text, REASON_SIZE, "the memlock limit of its first process is %s",
			       limits_text(limits->soft, have));
	else
		(void)snprintf(text, REASON_SIZE,
			       "no plugin has decided about it, and its limit cannot be seen from "
			       "here (a DaemonSet without hostPID, or not started yet)");
}

static int keep_note(const struct work *work, enum note_result result, const char *reason)
{
	struct err err;

	if (remember(work->look->options->sysroot, work->container, result, reason, WAY_IN, &err) ==
	    0)
		return 0;
	log_event(LOG_WARNING, "cannot write a note for the doctor: %s", err.text);
	return -1;
}

static void say(const struct work *work, enum note_result result, const char *reason)
{
	/* Each is said once, however often the plugin connects. */
	if (work->has_note && work->note.result == result)
		return;
	log_missed(work->container, note_result_name(result), reason, WAY_IN);
	remember_refusal(work->look->options->sysroot, work->container, result, reason, WAY_IN);
}

/* ---- mended ---- */

static bool mend(const struct work *work, size_t *ret_n, char problem[REASON_SIZE])
{
	struct container *container = work->container;
	struct err err;

	if (!work->sees_pids) {
		(void)snprintf(problem, REASON_SIZE,
			       "on_missed \"mend\" needs the node's pid namespace (hostPID)");
		return false;
	}
	if (process_may_have_memlock(container->plan.memlock, &err) == 0 &&
	    cgroup_mend(work->root, work->cgroup, container->plan.memlock, ret_n, &err) == 0)
		return true;
	(void)snprintf(problem, REASON_SIZE, "on_missed \"mend\": %.400s", err.text);
	return false;
}

#define RECREATE "delete the pod, so that it is created again"

/* Where no note can be written, that there is none does not show that nobody decided. One that
 * starts without its variables does. */
static bool shows(const struct work *work, enum limit_source source)
{
	return source == LIMIT_LOW || (work->starts && work->container->plan.n_settings);
}

static void say_missed(struct work *work, enum limit_source source, const struct limits *limits)
{
	struct arena *arena = &work->container->arena;
	char when[REASON_SIZE];
	char limit[REASON_SIZE];
	char problem[REASON_SIZE] = "";
	const char *reason;
	size_t n = 0;

	print_when(work, when);
	print_limit(source, limits, limit);
	if (work->container->config.on_missed == MISSED_MEND && mend(work, &n, problem)) {
		reason = arena_printf(arena,
				      "%s: the memlock limit of its %zu processes is raised; an "
				      "exec has the engine's limit, and no variable is set: for "
				      "these " RECREATE,
				      when, n);
		(void)keep_note(work, NOTE_MENDED, reason ? reason : when);
		say(work, NOTE_MENDED, reason ? reason : when);
		report(work, LOOK_MENDED);
		return;
	}
	reason = arena_printf(arena, "%s: %s; %s%s" RECREATE, when, limit, problem,
			      problem[0] ? "; " : "");
	if (keep_note(work, NOTE_MISSED, reason ? reason : when) < 0 && !shows(work, source)) {
		report(work, LOOK_UNSEEN);
		return;
	}
	if (work->starts && work->container->config.on_missed == MISSED_REFUSE)
		work->refusal = "created while no plugin was connected, so that it lacks its "
				"memlock limit (\"on_missed\": \"refuse\"): it is created again";
	say(work, NOTE_MISSED, reason ? reason : when);
	report(work, LOOK_MISSED);
}

/* ---- the decision ---- */

/* Without a device that is proven, or if it does not ask, there was nothing to miss. */
static void decide(struct work *work)
{
	struct container *container = work->container;
	struct limits limits;
	enum limit_source source;
	struct err err;
	int found = container_find(container, work->look->options, &err);

	if (found == 0)
		return;
	if (found < 0 || container_plan(container, &err) < 0) {
		report(work, LOOK_UNSEEN);
		log_failure_silently(container, &err, WAY_IN);
		return;
	}
	if (container->plan.decision != DECISION_GRANT || !container->plan.sets_memlock)
		return;
	/* Without a note, but another plugin's variables are there: it could not write one. */
	if (work->starts && container->plan.n_settings && !plan_has_new_settings(&container->plan))
		return;
	source = find_limit(work, &limits);
	if (source != LIMIT_ENOUGH)
		say_missed(work, source, &limits);
}

/* Killed after its note, and before the runtime had its answer, a plugin has given nothing. */
static bool has_settings(const struct work *work)
{
	const struct spec *spec = &work->container->spec;

	for (size_t i = 0; i < work->note.n_settings; i++) {
		const char *name = work->note.settings[i].name;
		bool found = false;

		for (size_t k = 0; k < spec->n_env && !found; k++)
			found = text_starts_with(spec->env[k], name) &&
				spec->env[k][strlen(name)] == '=';
		if (!found)
			return false;
	}
	return true;
}

/* A plugin that was connected has decided about it, and has said what it got. What that plugin gave
 * may have been lowered by the container itself since. */
static bool is_decided(struct work *work)
{
	struct err err;

	work->has_note = note_read(&work->container->arena, work->root, work->container->id,
				   &work->note, &err) == 1;
	if (!work->has_note)
		return false;
	/* At its start, which both plugins hear of, it was said by the other one. */
	if (work->note.result == NOTE_MISSED)
		return work->starts;
	if (work->starts)
		return work->note.result != NOTE_GRANTED || has_settings(work);
	if (work->note.result == NOTE_MENDED)
		report(work, LOOK_MENDED);
	return true;
}

static void look_at(const struct look *look, int root, bool sees_pids,
		    const struct message *message, int out)
{
	cleanup_container container = CONTAINER_NONE;
	struct arena *arena = &container.arena;
	struct work work = {.look = look,
			    .root = root,
			    .out = out,
			    .sees_pids = sees_pids,
			    .container = &container};
	struct message_glance glance;
	struct message pod;
	struct err err;

	message_glance(message, &glance);
	if (glance.stopped || !glance.may_have_device || !glance.id_len)
		return;
	container.what = "Synchronize";
	if (message_read_state(arena, message, &work.state) < 0 ||
	    message_read_container(arena,
				   message_find(&look->known, MESSAGE_POD, work.state.pod, &pod),
				   message, &container.spec, &err) < 0) {
		report_unread(out);
		return;
	}
	container.id = container.spec.identity.id;
	cgroup_find(root, container.spec.cgroups_path, work.cgroup);
	if (!is_decided(&work))
		decide(&work);
}

static bool sees_pids(int root)
{
	char target[64];

	return fs_read_link(root, "proc/self/ns/pid", target, sizeof(target)) > 0 &&
	       strcmp(target, FIRST_PIDS) == 0;
}

/* Of containers that are gone */
static void forget_notes(const struct look *look)
{
	const char *sysroot = look->options->sysroot;
	cleanup_arena arena = {0};
	const char **ids;
	int n = look->whole ? note_list(&arena, sysroot, &ids) : 0;
	struct message found;

	for (int i = 0; i < n; i++) {
		if (!message_find(&look->known, MESSAGE_CONTAINER, ids[i], &found) &&
		    !note_is_new(sysroot, ids[i]))
			note_remove(sysroot, ids[i]);
	}
}

void look_at_all(const struct look *look, int out)
{
	struct message left = look->known;
	struct field field;
	struct err err;
	cleanup_fd root = tree_open_root(look->options->sysroot, &err);
	bool sees = root >= 0 && sees_pids(root);
	const struct look_report end = {.kind = LOOK_END};

	if (root < 0) {
		log_event(LOG_ERR, "%s", err.text);
		return;
	}
	forget_notes(look);
	while (field_next(&left, &field) > 0) {
		if (field.number == MESSAGE_CONTAINER && field.bytes.bytes)
			look_at(look, root, sees, &field.bytes, out);
	}
	(void)fs_write(out, (const char *)&end, sizeof(end));
}

bool look_at_start(const struct look *look, struct arena *arena, const struct message *pod,
		   const struct message *container, struct look_report *ret_report,
		   const char **ret_reason)
{
	struct err err;
	cleanup_fd root = tree_open_root(look->options->sysroot, &err);
	cleanup_container known = CONTAINER_NONE;
	struct work work = {.look = look,
			    .root = root,
			    .sees_pids = root >= 0 && sees_pids(root),
			    .container = &known,
			    .starts = ret_report};

	*ret_report = (struct look_report){.kind = LOOK_END};
	*ret_reason = NULL;
	known.what = "StartContainer";
	if (root < 0 || message_read_state(arena, container, &work.state) < 0 ||
	    message_read_container(arena, pod, container, &known.spec, &err) < 0)
		return false;
	known.spec_known = true;
	known.id = known.spec.identity.id;
	cgroup_find(root, known.spec.cgroups_path, work.cgroup);
	if (known.id && container_may_matter(&known) && !is_decided(&work))
		decide(&work);
	*ret_reason = work.refusal;
	return ret_report->kind == LOOK_MISSED || ret_report->kind == LOOK_MENDED;
}
