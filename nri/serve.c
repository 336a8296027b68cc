/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/serve.h"

#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/container/container.h"
#include "core/plan/plan.h"
#include "core/process/memlock.h"
#include "core/record/record.h"
#include "core/report/log.h"
#include "core/report/outcome.h"
#include "nri/message/message.h"
#include "nri/message/message_spec.h"
#include "nri/missed_check.h"

/* ---- child ---- */

struct work {
	const struct options *options;
	struct container *container;
	const Nri__Container *told;
	struct message response;
	struct record record;
};

/* NRI fails a container if two plugins set one limit: keep another's, even under another policy */
static bool is_set_by_ours(const struct work *work)
{
	const struct spec *spec = &work->container->spec;

	return work->record.result == RECORD_GRANTED && work->record.memlock && spec->has_memlock &&
	       spec->memlock_soft >= work->record.memlock;
}

/* The later entry wins; it must not lower the spec's */
static bool adjust_memlock(const struct work *work, Nri__Rlimit *rlimit)
{
	const struct spec *spec = &work->container->spec;
	const struct plan *plan = &work->container->plan;
	struct rlimit64 limit = {.rlim_cur = spec->memlock_soft, .rlim_max = spec->memlock_hard};

	if (!plan->adds_rlimit || is_set_by_ours(work))
		return false;
	(void)memlock_raise(&limit, plan->memlock);
	rlimit->type = (char *)"RLIMIT_MEMLOCK";
	rlimit->soft = limit.rlim_cur;
	rlimit->hard = limit.rlim_max;
	return true;
}

static int build_answer(struct work *work, struct outcome *outcome)
{
	const struct plan *plan = &work->container->plan;
	struct arena *arena = &work->container->arena;
	Nri__CreateContainerResponse response = NRI__CREATE_CONTAINER_RESPONSE__INIT;
	Nri__ContainerAdjustment adjust = NRI__CONTAINER_ADJUSTMENT__INIT;
	Nri__Rlimit rlimit = NRI__RLIMIT__INIT;
	Nri__Rlimit *rlimits[] = {&rlimit};
	Nri__Entry *entries = arena_alloc(arena, plan->n_settings * sizeof(*entries));
	Nri__Entry **env = arena_alloc(arena, plan->n_settings * sizeof(void *));

	if (!entries || !env)
		return err_memory(&outcome->err);
	for (size_t i = 0; i < plan->n_settings; i++) {
		/* NRI would replace an existing variable */
		if (plan->settings[i].state != SETTING_NEW)
			continue;
		nri__entry__init(&entries[i]);
		entries[i].key = (char *)plan->settings[i].name;
		entries[i].value = (char *)plan->settings[i].value;
		env[adjust.n_env++] = &entries[i];
	}
	adjust.env = env;
	adjust.rlimits = rlimits;
	adjust.n_rlimits = adjust_memlock(work, &rlimit);
	response.adjust = &adjust;
	outcome->changed = adjust.n_env || adjust.n_rlimits;
	outcome->nccl = adjust.n_env ? "env" : NULL;
	if (message_response(arena, outcome->changed ? &response.base : NULL, &work->response) < 0)
		return err_memory(&outcome->err);
	return 0;
}

static int build_refusal(struct arena *arena, bool denied, const char *reason,
			 struct message *ret_response)
{
	const char *text =
		arena_printf(arena, "oci-rdma-nri: %s%s", denied ? "denied: " : "", reason);

	return text ? message_refusal(arena, denied ? TTRPC_PERMISSION_DENIED : TTRPC_INTERNAL,
				      text, ret_response)
		    : -1;
}

/* Another plugin has recorded the same. Other reasons are recorded: policies differ. */
static bool repeats_record(const struct work *work, const struct outcome *outcome)
{
	const char *before = work->record.reason;

	return before && !outcome->must_fail && outcome->result != RECORD_GRANTED &&
	       work->record.result == outcome->result &&
	       (!outcome->reason || strcmp(before, outcome->reason) == 0);
}

/* Records before answering, for the next plugin; logs after: late answers grant nothing. */
static void decide_in_child(void *context, int out)
{
	static struct outcome outcome;
	struct work *work = context;
	struct container *container = work->container;
	bool if_late = false;
	int status;
	struct err err;
	cleanup_fd root = tree_open_root(work->options->sysroot, &err);
	bool said;

	outcome.entry_point = ENTRY_POINT;
	outcome.options = work->options;
	if (root >= 0 && container->id)
		(void)record_read(&container->arena, root, container->id, &work->record, &err);
	status = container_find(container, work->options, &outcome.err);
	if (status > 0) {
		if_late = outcome_if_timed_out(container, &outcome);
		if (if_late)
			(void)worker_send(out, VERDICT_MUST_FAIL, NULL);
		status = container_plan(container, &outcome.err);
	}
	if (status > 0)
		status = build_answer(work, &outcome);
	outcome_decide(container, status, &outcome);
	if (outcome.must_fail != if_late)
		(void)worker_send(out, outcome.must_fail ? VERDICT_MUST_FAIL : VERDICT_MAY_START,
				  NULL);
	/* Without memory the parent refuses: VERDICT_MUST_FAIL */
	if (outcome.must_fail && build_refusal(&container->arena, outcome.result == RECORD_DENIED,
					       outcome.reason, &work->response) < 0)
		return;
	said = repeats_record(work, &outcome);
	if (!said)
		(void)record_outcome(work->options, container, outcome.result, outcome.reason,
				     ENTRY_POINT);
	outcome.options = NULL;
	if (worker_send(out, VERDICT_DECIDED, &work->response) == 0 && !said)
		outcome_log(container, &outcome);
}

/* ---- parent ---- */

static bool read_container(const struct call *call, struct container *container, struct err *err)
{
	if (!call->container)
		err_set(err, "%s: the message is cut, or not one of NRI", container->what);
	else if (message_spec(&container->arena, call->pod, call->container, &container->spec,
			      err) < 0)
		err_prefix(err, "%s", container->what);
	else
		container->spec_known = true;
	container->id = container->spec.identity.id;
	return container->spec_known && container_needs_decision(container);
}

/* By a child: the records' lock may be held. With too many children, only logged */
static void leave_failure(const struct server *server, struct container *container,
			  const char *reason)
{
	struct children *children = server->children;
	pid_t child = children->n < CHILDREN_MAX ? child_fork(children->closed) : -1;

	if (child == 0) {
		(void)record_outcome(server->options, container, RECORD_FAILED, reason,
				     ENTRY_POINT);
		_exit(0);
	}
	if (child > 0)
		children->pid[children->n++] = child;
}

void answers_add(struct nri_answers *answers, int64_t microseconds)
{
	static const uint64_t bounds[] = NRI_ANSWERS_BOUNDS;
	uint64_t took = microseconds > 0 ? (uint64_t)microseconds : 0;
	size_t i = 0;

	while (i < NRI_ANSWERS_N_BOUNDS && took > bounds[i])
		i++;
	answers->within[i]++;
	answers->n++;
	answers->us += took;
	if (took > answers->slowest_us)
		answers->slowest_us = took;
}

void serve_request(struct server *server, struct arena *arena, struct call *call)
{
	cleanup_container container = CONTAINER_NONE;
	struct work work = {.options = server->options, .container = &container};
	struct verdict verdict = {0};
	int64_t begin = clock_us();
	struct err err;

	container.what = "CreateContainer";
	if (read_container(call, &container, &err)) {
		worker_run(server->children, arena, decide_in_child, &work, server->patience_ms,
			   &verdict);
		call->response = verdict.response;
		if (verdict.reason) {
			log_failure(&container, verdict.reason, ENTRY_POINT);
			leave_failure(server, &container, verdict.reason);
		}
		if (verdict.reason && verdict.must_fail)
			(void)build_refusal(arena, false, verdict.reason, &call->response);
	} else if (!container.spec_known) {
		log_failure(&container, err.text, ENTRY_POINT);
	}
	answers_add(server->answers, clock_us() - begin);
}

void serve_set_timeout(struct server *server, int64_t timeout_ms)
{
	/* Leaves the runtime a quarter of its timeout */
	int64_t patience = timeout_ms > 0 ? timeout_ms / 4 * 3 : SERVE_PATIENCE_MS;

	server->patience_ms = patience < SERVE_PATIENCE_MS ? (int)patience : SERVE_PATIENCE_MS;
}

/* ---- StartContainer ---- */

static void check_in_child(void *context, int out)
{
	struct work *work = context;

	if (examine_starting(work->options, work->told, work->container) == LOOK_REFUSED)
		(void)build_refusal(
			&work->container->arena, false,
			"created while no plugin was connected, so that it lacks its memlock "
			"limit (\"on_missed\": \"refuse\"): it has to be created again",
			&work->response);
	(void)worker_send(out, VERDICT_DECIDED, &work->response);
}

/* CreateContainer has logged an unreadable message */
bool serve_start(struct server *server, struct arena *arena, struct call *call)
{
	cleanup_container container = CONTAINER_NONE;
	struct work work = {
		.options = server->options, .container = &container, .told = call->container};
	struct verdict verdict;
	struct err ignored;

	container.what = "StartContainer";
	if (!read_container(call, &container, &ignored) || !container.id)
		return true;
	worker_run(server->children, arena, check_in_child, &work, server->patience_ms, &verdict);
	call->response = verdict.response;
	if (verdict.reason)
		log_event(LOG_ERR, "StartContainer: container=%s: %s", container.id,
			  verdict.reason);
	return !verdict.reason;
}
