/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of a failed step, and the lines of what is not given: most grants run none of it. */
#include <string.h>
#include <syslog.h>

#include "core/report/report.h"

/* ---- a container that could not be examined ---- */

/*
 * A failure before the devices are known may concern a container that asks and has one. Its spec
 * shows that, whatever else is wrong with it. Without a spec only the caller can know.
 */
static bool may_have_device(const struct container *container, const struct outcome *outcome)
{
	bool asks = outcome->asks ? *outcome->asks : container_names_request(container);

	if (container->devices_known)
		return devices_any(&container->devices);
	if (!container->text.bytes && !container->spec_known)
		return asks;
	return (asks || outcome->options->ask ||
		(container->has_config && container->config.opt_in == OPT_IN_DEVICE)) &&
	       container_names_device(container);
}

void outcome_fail(const struct container *container, bool has_device, struct outcome *outcome)
{
	bool tcp = container->plan.decision == DECISION_TCP;

	outcome->result = has_device || tcp ? RECORD_FAILED : RECORD_NOTHING;
	outcome->must_fail = has_device && container->has_config && container->config.fail_on_error;
	outcome->reason = outcome->err.text;
}

void outcome_fail_step(struct container *container, struct outcome *outcome)
{
	struct err ignored;

	/* The config says whether the container must fail, and may not have been read yet. */
	(void)container_load_config(container, outcome->options, &ignored);
	outcome_fail(container, may_have_device(container, outcome), outcome);
}

/* ---- lines ---- */

/* An earlier run, or another entry point, has decided the same, and has logged it. */
static bool is_said(struct container *container, const struct outcome *outcome)
{
	struct record record;
	struct err ignored;

	return outcome->repeats || (container->id && container->node.root >= 0 &&
				    record_read(&container->arena, container->node.root,
						container->id, &record, &ignored) == 1 &&
				    record.result == outcome->result &&
				    strcmp(record.entry_point, outcome->way_in) != 0);
}

/* Once, unless the container must fail for it. */
static bool log_refusal(struct container *container, const struct outcome *outcome)
{
	bool denied = outcome->result == RECORD_DENIED;
	const char *line;

	if ((!denied && !request_is_made(&container->spec)) ||
	    (!outcome->must_fail && is_said(container, outcome)))
		return false;
	line = log_reason(container, denied ? LOG_WARNING : LOG_INFO,
			  decision_names[denied ? DECISION_DENIED : DECISION_NONE], outcome->reason,
			  outcome->way_in);
	if (outcome->must_fail)
		tell_caller(line ? line : outcome->reason);
	return true;
}

static void log_and_tell(const struct container *container, const char *reason,
			 const struct outcome *outcome)
{
	const char *line = log_failure(container, reason, outcome->way_in);

	if (outcome->must_fail || outcome->tells)
		tell_caller(line);
}

bool log_ungranted(struct container *container, const struct outcome *outcome)
{
	const struct plan *plan = &container->plan;
	const char *const lacks[] = {plan->shortage, plan->withheld};
	bool granted = outcome->result == RECORD_GRANTED;
	bool failed = outcome->result == RECORD_FAILED;

	for (size_t i = 0; granted && !outcome->repeats && i < 2; i++) {
		if (lacks[i])
			log_and_tell(container, lacks[i], outcome);
	}
	/* A repeated run has failed before for the same reason, unless it had to repair a limit, or
	 * we cannot know what it had to do. */
	if (granted || !outcome->reason ||
	    (failed && outcome->repeats && container->spec_known &&
	     plan->decision != DECISION_GRANT))
		return false;
	/* Log a spec that we cannot parse, whatever the container: others have accepted it. Behind
	 * the shim the runtime reads it once more, and reports the error itself. */
	if (!failed && (container->spec_known || !outcome->tells))
		return log_refusal(container, outcome);
	log_and_tell(container, outcome->err.text, outcome);
	return true;
}
