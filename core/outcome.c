/* SPDX-License-Identifier: Apache-2.0 */
#include "core/outcome.h"

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

	outcome->options = options;
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
