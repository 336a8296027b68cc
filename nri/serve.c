/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/serve.h"

#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/container/container.h"
#include "core/note/note.h"
#include "core/outcome.h"
#include "core/plan/plan.h"
#include "core/report/report.h"
#include "nri/missed.h"
#include "nri/wire/wire.h"

#define WAY_IN "nri"

/* ---- in the child: the verdict ---- */

struct work {
	const struct options *options;
	struct container *container;
	struct message response;
	struct note note; /* of another plugin of ours, which was asked before this one */
	bool has_note;
};

/* One child works on one container. */
static int verdict_out;

static void tell_expectation(bool must_fail)
{
	static bool told;

	if (must_fail == told)
		return;
	told = must_fail;
	(void)verdict_say(verdict_out, must_fail ? VERDICT_MUST_FAIL : VERDICT_MAY_START, NULL);
}

/*
 * Two plugins that set the same limit fail the container. So a limit that one of ours has set
 * stays, also if its policy was another one: it is there, and its note says how much that plugin
 * gave.
 */
static bool is_set_by_ours(const struct work *work)
{
	const struct spec *spec = &work->container->spec;

	return work->has_note && work->note.result == NOTE_GRANTED && work->note.memlock &&
	       spec->has_memlock && spec->memlock_soft >= work->note.memlock;
}

/* What the spec lists is raised, so that the later entry, which holds, never lowers. */
static void adjust_memlock(const struct container *container, struct message_adjustment *adjustment)
{
	const struct spec *spec = &container->spec;
	struct rlimit64 limit = {.rlim_cur = spec->memlock_soft, .rlim_max = spec->memlock_hard};

	(void)memlock_raise(&limit, container->plan.memlock);
	adjustment->sets_memlock = true;
	adjustment->memlock_soft = limit.rlim_cur;
	adjustment->memlock_hard = limit.rlim_max;
}

/* Only what the environment does not have: NRI would put ours in its place. */
static int adjust_env(struct arena *arena, const struct plan *plan,
		      struct message_adjustment *adjustment)
{
	const char **names = arena_alloc(arena, plan->n_settings * sizeof(*names));
	const char **values = arena_alloc(arena, plan->n_settings * sizeof(*values));

	if (!names || !values)
		return -1;
	for (size_t i = 0; i < plan->n_settings; i++) {
		if (plan->settings[i].state != SETTING_NEW)
			continue;
		names[adjustment->n_variables] = plan->settings[i].name;
		values[adjustment->n_variables++] = plan->settings[i].value;
	}
	adjustment->names = names;
	adjustment->values = values;
	return 0;
}

static int pack_grant(struct work *work, bool *ret_changes, struct message *ret_response)
{
	struct container *container = work->container;
	struct arena *arena = &container->arena;
	struct message_adjustment adjustment = {0};
	struct message answer = {0};

	if (container->plan.sets_memlock && container->plan.adds_rlimit && !is_set_by_ours(work))
		adjust_memlock(container, &adjustment);
	if (adjust_env(arena, &container->plan, &adjustment) < 0)
		return -1;
	*ret_changes = adjustment.sets_memlock || adjustment.n_variables;
	if (*ret_changes && message_adjust(arena, &adjustment, &answer) < 0)
		return -1;
	return message_response(arena, &answer, ret_response);
}

static int apply(void *context, struct container *container, struct applied *applied,
		 struct err *err)
{
	struct work *work = context;

	if (pack_grant(work, &applied->changed, &work->response) < 0)
		return err_memory(err);
	applied->nccl = plan_has_new_settings(&container->plan) ? "env" : NULL;
	return 0;
}

/* The runtime puts the text where the pod's author looks: kubectl describe pod. */
static int refuse(struct arena *arena, enum ttrpc_status status, const char *front,
		  const char *reason, struct message *ret_response)
{
	const char *text = arena_printf(arena, "oci-rdma-nri: %s%s", front, reason);

	return text ? message_refusal(arena, status, text, ret_response) : -1;
}

static int pack_refusal(struct arena *arena, const struct outcome *outcome,
			struct message *ret_response)
{
	if (outcome->kind == OUTCOME_DENIED)
		return refuse(arena, TTRPC_PERMISSION_DENIED, "denied: ", outcome->reason,
			      ret_response);
	return refuse(arena, TTRPC_INTERNAL, "", outcome->reason, ret_response);
}

/* For the dry run, the doctor, and the next start of the plugin */
static void keep_note(const struct options *options, struct container *container,
		      enum note_result result, const char *reason)
{
	struct err err;

	if (remember(options->sysroot, container, result, reason, WAY_IN, &err) < 0)
		log_event(LOG_WARNING, "cannot write a note for the doctor: %s", err.text);
}

static enum note_result note_result_of(enum outcome_kind kind)
{
	static const enum note_result results[] = {
		[OUTCOME_NOTHING] = NOTE_NOTHING,
		[OUTCOME_GRANTED] = NOTE_GRANTED,
		[OUTCOME_DENIED] = NOTE_DENIED,
		[OUTCOME_FAILED] = NOTE_FAILED,
	};

	return results[kind];
}

/*
 * Another plugin of ours has come to the same, for the same reason, and has said so. For another
 * reason it is said again: the two have different policies, and the pod's author has to know both
 * reasons, as the next one may be asked alone.
 */
static bool is_said_already(const struct work *work, const struct outcome *outcome)
{
	const char *before = work->note.reason ? work->note.reason : "";

	return work->has_note && !outcome->must_fail && outcome->kind != OUTCOME_GRANTED &&
	       work->note.result == note_result_of(outcome->kind) &&
	       (!outcome->reason || strcmp(before, outcome->reason) == 0);
}

/* What another plugin has given, or said, it has counted. */
static enum verdict_kind kind_of(const struct outcome *outcome, bool said)
{
	if (said || (outcome->kind == OUTCOME_GRANTED && !outcome->applied.changed))
		return VERDICT_NOTHING;
	return outcome->kind == OUTCOME_GRANTED  ? VERDICT_GRANTED
	       : outcome->kind == OUTCOME_DENIED ? VERDICT_DENIED
	       : outcome->kind == OUTCOME_FAILED ? VERDICT_FAILED
						 : VERDICT_NOTHING;
}

static void find_note(struct work *work)
{
	struct container *container = work->container;
	struct err err;
	cleanup_fd root = tree_open_root(work->options->sysroot, &err);

	work->has_note = root >= 0 && container->id &&
			 note_read(&container->arena, root, container->id, &work->note, &err) == 1;
}

/*
 * The note is there before the runtime asks the next plugin. It is logged when it is said, so that
 * what came too late is not logged; then the parent writes another note.
 */
static void decide(void *context, int out)
{
	static struct outcome outcome;
	struct work *work = context;
	struct container *container = work->container;
	const struct entry_point entry = {
		.name = WAY_IN,
		.context = work,
		.apply = apply,
		.expect = tell_expectation,
	};
	bool said;

	verdict_out = out;
	find_note(work);
	outcome_serve(container, work->options, &entry, &outcome);
	/* Without memory for it the parent, which knows that it must fail, says so. */
	if (outcome.must_fail && pack_refusal(&container->arena, &outcome, &work->response) < 0)
		return;
	said = is_said_already(work, &outcome);
	if (!said)
		keep_note(work->options, container, note_result_of(outcome.kind), outcome.reason);
	if (verdict_say(out, kind_of(&outcome, said), &work->response) < 0 || said)
		return;
	outcome_log(container, &outcome, &entry);
}

/* ---- in the parent ---- */

static void count(struct nri_counters *counters, enum verdict_kind kind)
{
	counters->granted += kind == VERDICT_GRANTED;
	counters->denied += kind == VERDICT_DENIED;
	counters->failed += kind == VERDICT_FAILED || kind == VERDICT_LOST;
	counters->given_up += kind == VERDICT_LATE;
}

static void go_without(const struct options *options, struct container *container,
		       const struct verdict *verdict, struct arena *arena,
		       struct message *ret_response)
{
	struct err err;

	(void)err_set(&err, "%s", verdict->reason);
	log_failure_silently(container, &err, WAY_IN);
	keep_note(options, container, NOTE_FAILED, err.text);
	remember_refusal(options->sysroot, container, NOTE_FAILED, err.text, WAY_IN);
	if (verdict->must_fail)
		(void)refuse(arena, TTRPC_INTERNAL, "", err.text, ret_response);
}

static void ask_child(struct server *server, struct container *container, struct arena *arena,
		      struct message *ret_response)
{
	struct work work = {.options = &server->options, .container = container};
	struct verdict verdict;

	verdict_find(&server->children, arena, decide, &work, server->patience_ms, &verdict);
	*ret_response = verdict.response;
	if (verdict.reason)
		go_without(&server->options, container, &verdict, arena, ret_response);
	if (verdict.kind == VERDICT_GRANTED && container->id)
		(void)snprintf(server->granted, sizeof(server->granted), "%s", container->id);
	count(&server->counters, verdict.kind);
}

static void serve(struct server *server, struct arena *arena, const struct message *pod,
		  const struct message *message, struct message *ret_response)
{
	cleanup_container container = CONTAINER_NONE;
	struct err err;

	container.what = "CreateContainer";
	if (!message)
		(void)err_set(&err, "the message is cut, or not one of NRI");
	if (!message ||
	    message_read_container(&container.arena, pod, message, &container.spec, &err) < 0) {
		(void)err_prefix(&err, "CreateContainer");
		log_failure_silently(&container, &err, WAY_IN);
		server->counters.failed++;
		return;
	}
	container.spec_known = true;
	container.id = container.spec.identity.id;
	if (!container_may_matter(&container))
		return;
	ask_child(server, &container, arena, ret_response);
}

void serve_set_timeout(struct server *server, int64_t timeout_ms)
{
	/* Three quarters of what the administrator allows, where that is less. */
	int64_t patience = timeout_ms > 0 ? timeout_ms / 4 * 3 : SERVE_PATIENCE_MS;

	server->patience_ms = patience < SERVE_PATIENCE_MS ? (int)patience : SERVE_PATIENCE_MS;
}

void serve_container(struct server *server, struct arena *arena, const struct message *pod,
		     const struct message *container, struct message *ret_response)
{
	int64_t begin = clock_us();

	*ret_response = (struct message){0};
	server->granted[0] = '\0';
	serve(server, arena, pod, container, ret_response);
	counters_answered(&server->counters, clock_us() - begin);
}

/* ---- one that is about to start ---- */

struct start_work {
	const struct look *look;
	const struct message *pod;
	const struct message *container;
};

/* The report, and behind it the answer. It is there whole, or the verdict is VERDICT_LOST. */
static void look_in_child(void *context, int out)
{
	struct start_work *work = context;
	cleanup_arena arena = {0};
	struct look_report report;
	struct message refusal = {0};
	const char *reason;
	unsigned char *both;

	if (!look_at_start(work->look, &arena, work->pod, work->container, &report, &reason)) {
		(void)verdict_say(out, VERDICT_NOTHING, NULL);
		return;
	}
	if (reason && refuse(&arena, TTRPC_INTERNAL, "", reason, &refusal) < 0)
		return;
	both = arena_alloc(&arena, sizeof(report) + refusal.len);
	if (!both)
		return;
	memcpy(both, &report, sizeof(report));
	if (refusal.len)
		memcpy(both + sizeof(report), refusal.bytes, refusal.len);
	(void)verdict_say(out, VERDICT_MISSED,
			  &(struct message){both, sizeof(report) + refusal.len});
}

/* Of most containers a glance says that there is nothing to miss. */
bool serve_start(struct server *server, struct arena *arena, const char *since,
		 const struct message *pod, const struct message *container,
		 struct look_report *ret_report, struct message *ret_response)
{
	const struct look look = {.options = &server->options, .since = since};
	struct start_work work = {&look, pod, container};
	struct message_glance glance;
	struct verdict verdict;

	message_glance(container, &glance);
	if (!glance.may_have_device)
		return false;
	verdict_find(&server->children, arena, look_in_child, &work, server->patience_ms, &verdict);
	*ret_report = (struct look_report){.kind = LOOK_UNSEEN};
	if (verdict.reason)
		log_event(LOG_ERR, "StartContainer: container=%.*s: %s", (int)glance.id_len,
			  glance.id, verdict.reason);
	if (verdict.reason || verdict.kind != VERDICT_MISSED)
		return verdict.reason;
	memcpy(ret_report, verdict.response.bytes, sizeof(*ret_report));
	*ret_response = (struct message){verdict.response.bytes + sizeof(*ret_report),
					 verdict.response.len - sizeof(*ret_report)};
	return true;
}
