/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/serve.h"

#include <stdio.h>
#include <syslog.h>

#include "core/base/clock.h"
#include "core/container/container.h"
#include "core/outcome.h"
#include "core/plan/plan.h"
#include "core/report/report.h"
#include "nri/wire/wire.h"

#define WAY_IN "nri"

/* ---- in the child: the verdict ---- */

struct work {
	const struct options *options;
	struct container *container;
	struct message response;
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

static int pack_grant(struct container *container, bool *ret_changes, struct message *ret_response)
{
	struct arena *arena = &container->arena;
	struct message_adjustment adjustment = {0};
	struct message answer = {0};

	if (container->plan.sets_memlock && container->plan.adds_rlimit)
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

	if (pack_grant(container, &applied->changed, &work->response) < 0)
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

/* It is logged when it is said, so that what came too late is not logged. */
static void decide(void *context, int out)
{
	static const enum verdict_kind kinds[] = {
		[OUTCOME_NOTHING] = VERDICT_NOTHING,
		[OUTCOME_GRANTED] = VERDICT_GRANTED,
		[OUTCOME_DENIED] = VERDICT_DENIED,
		[OUTCOME_FAILED] = VERDICT_FAILED,
	};
	static struct outcome outcome;
	struct work *work = context;
	struct container *container = work->container;
	const struct entry_point entry = {
		.name = WAY_IN,
		.context = work,
		.apply = apply,
		.expect = tell_expectation,
	};

	verdict_out = out;
	outcome_serve(container, work->options, &entry, &outcome);
	/* Without memory for it the parent, which knows that it must fail, says so. */
	if (outcome.must_fail && pack_refusal(&container->arena, &outcome, &work->response) < 0)
		return;
	if (verdict_say(out, kinds[outcome.kind], &work->response) < 0)
		return;
	outcome_log(container, &outcome, &entry);
	keep_note(work->options, container, note_result_of(outcome.kind), outcome.reason);
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

static void serve(struct server *server, struct arena *arena, const struct message *request,
		  struct message *ret_response)
{
	cleanup_container container = CONTAINER_NONE;
	struct err err;

	container.what = "CreateContainer";
	if (!request)
		(void)err_set(&err,
			      "CreateContainer: the message is too large, or memory is exhausted");
	if (!request ||
	    message_read_container(&container.arena, request, &container.spec, &err) < 0) {
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

void serve_container(struct server *server, struct arena *arena, const struct message *request,
		     struct message *ret_response)
{
	int64_t begin = clock_us();

	*ret_response = (struct message){0};
	server->granted[0] = '\0';
	serve(server, arena, request, ret_response);
	counters_answered(&server->counters, clock_us() - begin);
}
