/* SPDX-License-Identifier: Apache-2.0 */
#include "core/outcome.h"

#include <string.h>
#include <syslog.h>

#include "core/record/store.h"

/* ---- a container that could not be examined ---- */

static bool asks(const struct container *container, const struct options *options,
		 const struct entry_point *entry)
{
	if (options->ask || (container->has_config && container->config.opt_in == OPT_IN_DEVICE))
		return true;
	return entry->asks ? *entry->asks : container_names_request(container);
}

/*
 * A failure before the devices are known may concern a container that asks and has one. Its spec
 * shows that, whatever else is wrong with it. Without a spec only the caller can know.
 */
static bool may_have_device(const struct container *container, const struct options *options,
			    const struct entry_point *entry)
{
	if (container->devices_known)
		return devices_any(&container->devices);
	if (!container->text.bytes && !container->spec_known)
		return entry->asks && *entry->asks;
	return asks(container, options, entry) && container_names_device(container);
}

/* ---- the outcomes ---- */

void outcome_fail(const struct container *container, bool has_device, const struct err *err,
		  struct outcome *outcome)
{
	bool tcp = container->plan.decision == DECISION_TCP;

	outcome->kind = has_device || tcp ? OUTCOME_FAILED : OUTCOME_NOTHING;
	outcome->must_fail = has_device && container->has_config && container->config.fail_on_error;
	if (&outcome->err != err)
		outcome->err = *err;
	outcome->reason = outcome->err.text;
}

bool outcome_if_late(const struct container *container, const struct entry_point *entry)
{
	return devices_any(&container->devices) && container->config.fail_on_error &&
	       !entry->repeats;
}

void outcome_decide(struct container *container, const struct options *options,
		    const struct entry_point *entry, int status, struct outcome *outcome)
{
	static const enum outcome_kind kinds[] = {
		[DECISION_NONE] = OUTCOME_NOTHING,
		[DECISION_GRANT] = OUTCOME_GRANTED,
		[DECISION_TCP] = OUTCOME_GRANTED,
		[DECISION_DENIED] = OUTCOME_DENIED,
	};
	const struct plan *plan = &container->plan;
	struct err ignored;

	outcome->sysroot = options->sysroot;
	if (status < 0) {
		/* The config says whether the container must fail, and may not have been read
		 * yet. */
		(void)container_load_config(container, options, &ignored);
		outcome_fail(container, may_have_device(container, options, entry), &outcome->err,
			     outcome);
	} else {
		outcome->kind = kinds[plan->decision];
		outcome->must_fail = plan->fail;
		outcome->reason = plan_gives(plan) ? NULL : plan->reason;
	}
	outcome->must_fail = outcome->must_fail && !entry->repeats;
}

/* ---- what is logged ---- */

/* Another entry point has decided the same about this container, and has logged it. */
static bool is_recorded(struct container *container, const struct outcome *outcome,
			const struct entry_point *entry)
{
	enum record_result result =
		outcome->kind == OUTCOME_DENIED ? RECORD_DENIED : RECORD_NOTHING;
	struct record record;
	struct err ignored;

	return container->id && container->node.root >= 0 &&
	       record_read(&container->arena, container->node.root, container->id, &record,
			   &ignored) == 1 &&
	       record.result == result && strcmp(record.entry_point, entry->name) != 0;
}

/* One line says why a container gets nothing, of all entry points of the node together. */
static bool has_been_said(struct container *container, const struct outcome *outcome,
			  const struct entry_point *entry)
{
	return entry->repeats || is_recorded(container, outcome, entry);
}

static void leave_record(struct container *container, const struct outcome *outcome,
			 const struct entry_point *entry, enum record_result result)
{
	const struct options options = {.sysroot = outcome->sysroot};

	if (options.sysroot)
		(void)remember(&options, container, result, outcome->reason, entry->name);
}

static void log_err(const struct container *container, const struct err *err,
		    const struct entry_point *entry, bool told)
{
	if (told)
		log_failure(container, err, entry->name);
	else
		log_failure_silently(container, err, entry->name);
}

/* What the engine cannot give; the container has the rest. */
static void log_lack(const struct container *container, const char *why,
		     const struct entry_point *entry)
{
	struct err err;

	if (!why || entry->repeats)
		return;
	(void)err_set(&err, "%s", why);
	log_err(container, &err, entry, entry->tells);
}

static void log_part(struct container *container, const struct outcome *outcome,
		     const struct entry_point *entry)
{
	if (outcome->applied.changed && !outcome->must_fail && !entry->repeats)
		log_grant(container, &outcome->applied, entry->name);
}

/* A repeated run has failed before for the same reason, unless it had to repair a limit, or we
 * cannot know what it had to do. */
static void log_failed(struct container *container, const struct outcome *outcome,
		       const struct entry_point *entry)
{
	log_part(container, outcome, entry);
	if (entry->repeats && container->spec_known && container->plan.decision != DECISION_GRANT)
		return;
	log_err(container, &outcome->err, entry, outcome->must_fail || entry->tells);
	leave_record(container, outcome, entry, RECORD_FAILED);
}

/* Log a spec that we cannot parse, whatever the container: others have accepted it. Behind the shim
 * the runtime reads it once more, and reports the error itself. */
static void log_nothing(struct container *container, const struct outcome *outcome,
			const struct entry_point *entry)
{
	if (!outcome->reason)
		return;
	if (!container->spec_known && entry->tells)
		log_failure(container, &outcome->err, entry->name);
	else if (log_wants_none(container) && !has_been_said(container, outcome, entry)) {
		(void)log_reason(container, LOG_INFO, decision_name(DECISION_NONE), outcome->reason,
				 entry->name);
		leave_record(container, outcome, entry, RECORD_NOTHING);
	}
}

static void log_denied(struct container *container, const struct outcome *outcome,
		       const struct entry_point *entry)
{
	if (!outcome->must_fail && has_been_said(container, outcome, entry))
		return;
	log_denial(container, outcome->must_fail, entry->name);
	leave_record(container, outcome, entry, RECORD_DENIED);
}

void outcome_log(struct container *container, const struct outcome *outcome,
		 const struct entry_point *entry)
{
	switch (outcome->kind) {
	case OUTCOME_NOTHING:
		log_nothing(container, outcome, entry);
		break;
	case OUTCOME_GRANTED:
		log_lack(container, container->plan.shortage, entry);
		log_lack(container, container->plan.withheld, entry);
		log_part(container, outcome, entry);
		if (outcome->applied.changed && !entry->repeats)
			leave_record(container, outcome, entry, RECORD_GRANTED);
		break;
	case OUTCOME_DENIED:
		log_denied(container, outcome, entry);
		break;
	case OUTCOME_FAILED:
		log_failed(container, outcome, entry);
		break;
	}
}
