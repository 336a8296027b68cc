/* SPDX-License-Identifier: Apache-2.0 */
#include "core/report/outcome.h"

#include <errno.h>
#include <syslog.h>

#include "core/base/rootless.h"
#include "core/record/store.h"
#include "core/report/log.h"

/* No event for grants and choices by the pod's annotations */
static bool should_tell(const struct container *container, enum record_result result)
{
	const struct identity *identity = &container->spec.identity;
	const struct request *request = &container->request;
	bool chosen = request->inject == INJECT_REFUSED ||
		      (request->excludes_this_container && !identity->doubt);

	return identity->pod && identity->pod_namespace && result != RECORD_GRANTED &&
	       (result != RECORD_NOTHING || (request_is_made(&container->spec) && !chosen));
}

static int fill_pairs(struct container *container, struct record *record)
{
	const struct spec *spec = &container->spec;
	const struct plan *plan = &container->plan;
	struct json_pair *pair = arena_alloc(
		&container->arena, (spec->n_annotations + plan->n_settings) * sizeof(*pair));

	if (!pair)
		return -1;
	record->annotations = (struct json_pairs){pair, spec->n_annotations};
	for (size_t i = 0; i < spec->n_annotations; i++)
		*pair++ = (struct json_pair){spec->annotations[i].name, spec->annotations[i].value};
	record->settings = (struct json_pairs){pair, plan->n_settings};
	for (size_t i = 0; i < plan->n_settings; i++)
		*pair++ = (struct json_pair){plan->settings[i].name, plan->settings[i].value};
	return 0;
}

int record_outcome(const struct options *options, struct container *container,
		   enum record_result result, const char *reason, const char *entry_point)
{
	static struct err err;
	const struct spec *spec = &container->spec;
	const struct plan *plan = &container->plan;
	struct arena_text devices = {.arena = &container->arena};
	struct record record = {
		.id = container->id,
		.container = spec->identity.name,
		.pod = spec->identity.pod,
		.pod_namespace = spec->identity.pod_namespace,
		.pod_uid = spec->identity.pod_uid,
		.engine = options->engine,
		.cgroup = container->cgroup,
		.result = result,
		.entry_point = entry_point,
		.policy = container->config.path,
		.reason = reason ? reason : plan->reason,
		.memlock = plan->memlock,
		.tell = should_tell(container, result),
	};
	int status;

	if (!record.id || spec->identity.sandbox ||
	    (result == RECORD_NOTHING && !devices_any(&container->devices) && !spec->asked &&
	     !spec->n_annotations))
		return 0;
	devices_append_names(&container->devices, &devices);
	record.devices = devices.text;
	status = fill_pairs(container, &record) < 0 ? err_memory(&err)
						    : record_write(options->sysroot, &record, &err);
	/* No error: a recorded tree without /run, an id that no engine of pods makes, a rootless
	 * user */
	if (status >= 0 || status == -ENOENT || status == -EINVAL || rootless())
		return status > 0;
	log_event(LOG_WARNING, "cannot leave a record of container %.80s: %s", record.id, err.text);
	return -1;
}

/* Until the devices are known, by the spec */
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

void outcome_set_failed(const struct container *container, bool has_device, struct outcome *outcome)
{
	bool tcp = container->plan.decision == DECISION_TCP;

	outcome->result = has_device || tcp ? RECORD_FAILED : RECORD_NOTHING;
	outcome->must_fail = has_device && container->has_config && container->config.fail_on_error;
	outcome->reason = outcome->err.text;
}

bool outcome_if_timed_out(const struct container *container, const struct outcome *outcome)
{
	return devices_any(&container->devices) && container->config.fail_on_error &&
	       !outcome->repeats;
}

void outcome_decide(struct container *container, int status, struct outcome *outcome)
{
	const struct plan *plan = &container->plan;

	if (status < 0) {
		struct err ignored;

		/* The config, perhaps unread, says whether to fail. */
		(void)container_load_config(container, outcome->options, &ignored);
		outcome_set_failed(container, may_have_device(container, outcome), outcome);
	} else {
		outcome->result = plan_gives(plan)                    ? RECORD_GRANTED
				  : plan->decision == DECISION_DENIED ? RECORD_DENIED
								      : RECORD_NOTHING;
		outcome->must_fail = plan->fail;
		outcome->reason = plan_gives(plan) ? NULL : plan->reason;
	}
	outcome->must_fail = outcome->must_fail && !outcome->repeats;
}

/* Log specs that we cannot parse; behind the shim the runtime reports them. */
static bool is_refusal(const struct container *container, const struct outcome *outcome)
{
	return outcome->result != RECORD_FAILED && (container->spec_known || !outcome->tells);
}

static bool ungranted_is_due(const struct container *container, const struct outcome *outcome)
{
	if (outcome->result == RECORD_GRANTED || !outcome->reason)
		return false;
	if (is_refusal(container, outcome))
		return !outcome->repeats &&
		       (outcome->result == RECORD_DENIED || request_is_made(&container->spec));
	/* An earlier run has logged this, unless there may have been a limit to repair. */
	return outcome->result != RECORD_FAILED || !outcome->repeats || !container->spec_known ||
	       container->plan.decision == DECISION_GRANT;
}

static void log_and_print(const struct container *container, const char *reason,
			  const struct outcome *outcome)
{
	const char *line = log_failure(container, reason, outcome->entry_point);

	if (outcome->must_fail || outcome->tells)
		report_to_caller(line);
}

static void log_lacks(const struct container *container, const struct outcome *outcome)
{
	const char *const lacks[] = {container->plan.low_limit_reason,
				     container->plan.missing_capabilities_reason};

	for (size_t i = 0; !outcome->repeats && i < 2; i++) {
		if (lacks[i])
			log_and_print(container, lacks[i], outcome);
	}
}

static void log_shortfall(struct container *container, const struct outcome *outcome)
{
	bool denied = outcome->result == RECORD_DENIED;
	const char *line;

	if (!is_refusal(container, outcome)) {
		log_and_print(container, outcome->err.text, outcome);
		return;
	}
	line = log_reason(container, denied ? LOG_WARNING : LOG_INFO,
			  decision_names[denied ? DECISION_DENIED : DECISION_NONE], outcome->reason,
			  outcome->entry_point);
	if (outcome->must_fail)
		report_to_caller(line ? line : outcome->reason);
}

void outcome_log(struct container *container, const struct outcome *outcome)
{
	bool granted = outcome->changed && !outcome->must_fail && !outcome->repeats;
	bool ungranted = ungranted_is_due(container, outcome);
	bool recorded = (granted || ungranted) && outcome->options &&
			record_outcome(outcome->options, container, outcome->result,
				       outcome->reason, outcome->entry_point) > 0;

	if (granted)
		log_grant(container, outcome->capabilities, outcome->nccl, outcome->entry_point);
	if (outcome->result == RECORD_GRANTED)
		log_lacks(container, outcome);
	if (ungranted && (!recorded || outcome->must_fail))
		log_shortfall(container, outcome);
	/* Log nothing without RDMA. */
	if (outcome->result != RECORD_NOTHING && outcome->unconfined.text[0])
		log_failure(container, outcome->unconfined.text, outcome->entry_point);
}
