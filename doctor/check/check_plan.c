/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/check/check_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/nccl_conf.h"
#include "core/policy/policy.h"
#include "core/record/record.h"
#include "doctor/check/check.h"
#include "doctor/nccl/nccl_settings.h"
#include "explain/entry_points.h"
#include "explain/explain.h"
#include "explain/from_record.h"
#include "lib/files.h"
#include "lib/limits.h"

bool limits_of_first_are_higher(const struct doctor *doctor, uint64_t soft)
{
	const struct target *target = &doctor->target;
	cleanup_arena arena = {0};
	const char *path = "/proc/1/limits";

	if (target->main_pid && target->main_pid != target->pid)
		path = arena_printf(&arena, "/proc/%" PRId64 "/limits", target->main_pid);
	else if (!doctor->location.container || target->pid)
		return false;
	return path && limits_read(&arena, doctor->node.root, path).soft > soft;
}

#define ANNOTATE                                                                                   \
	"Annotate the pod: " SPEC_ANNOTATION_PREFIX                                                \
	"inject: \"true\" (podman: --annotation " SPEC_ANNOTATION_PREFIX "inject=true)"

#define RECREATE "Delete the pod, so that it is created again"

struct context {
	const struct doctor *doctor;
	struct findings *findings;
	struct container *container;
	unsigned ways; /* WAY_* */
	struct limits main;
};

int plan_of_config(const struct doctor *doctor, const char *config, const char *id, bool all,
		   struct container *container, struct err *err)
{
	struct recall what = {doctor->node.root, doctor->node.recorded, config, id};
	char *path = arena_strdup(&container->arena, config);
	enum rdma_mode mode;

	if (!path)
		return err_memory(err);
	path[text_base_name(path) - path - 1] = '\0';
	if (!what.id)
		what.id = text_base_name(path);
	container->bundle = tree_open_dir(doctor->node.root, path);
	if (container->bundle < 0)
		return err_sys(err, -container->bundle, "bundle %s", path);
	if (container_read_spec(container, container->bundle, path, text_base_name(config), err) <
	    0)
		return -1;
	if (!all && !container_needs_decision(container))
		return 0;
	if (apply_record(container, &what, err) < 0 ||
	    container_explain(container, &doctor->options.common, &mode, err) < 0)
		return -1;
	apply_recorded_decision(container);
	return 1;
}

int plan_of_target(const struct doctor *doctor, struct container *container, struct err *err)
{
	const struct target *target = &doctor->target;

	return target->has_spec
		       ? plan_of_config(doctor, target->spec_path, target->id, true, container, err)
		       : 0;
}

const char *plan_container_name(struct arena *arena, const struct container *container)
{
	const struct identity *identity = &container->spec.identity;

	if (!identity->name && !identity->pod)
		return arena_printf(arena, "%.12s", container->id);
	return arena_printf(
		arena, "%s/%s/%s", identity->pod_namespace ? identity->pod_namespace : "-",
		identity->pod ? identity->pod : "-", identity->name ? identity->name : "-");
}

static const char *remedy_without_device(struct arena *arena, const struct container *container)
{
	for (size_t i = 0; i < container->warnings.n; i++) {
		const struct warning *warning = &container->warnings.item[i];

		if (strcmp(warning->code, "unproven_device") == 0 ||
		    strcmp(warning->code, "vfio_device") == 0 ||
		    strcmp(warning->code, "vdpa_device") == 0)
			return arena_strdup(arena, warning->message);
	}
	return "The container is annotated, but no RDMA device was allocated to it: request one in "
	       "the resources of this container (SR-IOV: openshift.io/…, shared: rdma/…)";
}

const char *plan_remedy(struct arena *arena, int status, const struct container *container,
			const struct err *err)
{
	const struct plan *plan = &container->plan;

	if (status < 0)
		return arena_printf(arena, "Correct the reason why this container gets nothing: %s",
				    err->text);
	if (plan->decision == DECISION_GRANT)
		return NULL;
	if (container->doubt)
		return container->doubt;
	if (plan->decision == DECISION_NONE && container->request.inject == INJECT_UNSAID &&
	    container->config.opt_in == OPT_IN_ANNOTATION)
		return devices_any(&container->devices) ? ANNOTATE
							: ANNOTATE
			       ", and request an RDMA device, because the container has none";
	if (!devices_any(&container->devices) && container->request.inject != INJECT_REFUSED)
		return remedy_without_device(arena, container);
	return arena_printf(arena, "The policy decides that this container gets nothing: %s",
			    plan->reason);
}

static enum finding_status status_of(const struct container *container)
{
	if (container->record && container->record->result == RECORD_MISSED)
		return FINDING_FAIL;
	if (container->record && container->record->result == RECORD_MENDED)
		return FINDING_WARN;
	if (container->doubt)
		return FINDING_UNCHECKED;
	switch (container->plan.decision) {
	case DECISION_GRANT:
		return FINDING_OK;
	case DECISION_DENIED:
		return FINDING_FAIL;
	case DECISION_TCP:
		return FINDING_WARN;
	case DECISION_NONE:
	default:
		return devices_any(&container->devices) || request_is_made(&container->spec)
			       ? FINDING_WARN
			       : FINDING_OK;
	}
}

static int add_decision(const struct context *context)
{
	const struct container *container = context->container;
	enum finding_status status = status_of(container);
	const char *remedy = status == FINDING_OK
				     ? NULL
				     : plan_remedy(context->findings->arena, 1, container, NULL);

	if (container->record) {
		const struct record *record = container->record;
		char time[CLOCK_UTC_SIZE];

		clock_utc(record->time, time);
		return findings_add(context->findings, "plan", NULL, status,
				    status == FINDING_OK ? NULL
				    : remedy             ? remedy
							 : RECREATE,
				    "%s: %s (noted at %s by %s, policy %s)",
				    record_result_names[record->result], container->plan.reason,
				    time, record->entry_point,
				    record->policy ? record->policy : "unknown");
	}
	return findings_add(context->findings, "plan", NULL, status, remedy, "%s: %s (%s)",
			    decision_names[container->plan.decision], container->plan.reason,
			    context->doctor->target.spec_path);
}

static const char *why_not(const struct context *context)
{
	if (!context->ways)
		return "Neither hook, shim nor NRI plugin is installed for its engine: install "
		       "what doc/entry-points.md names for it, then recreate the container";
	return "Look at the log: journalctl -t oci-rdma-hook. A container that is older than the "
	       "installation or the policy must be created again";
}

static bool spec_has(const struct spec *spec, uint64_t bytes)
{
	return spec->has_memlock && spec->memlock_soft >= bytes && spec->memlock_hard >= bytes;
}

/* Hooks do not change the spec; other entry points and default_ulimits do. */
static const char *way_of_limit(const struct context *context)
{
	if (!spec_has(&context->container->spec, context->container->plan.memlock))
		return "by the hook; an exec gets the engine's limit, because config.json lists no "
		       "limit (use the runtime shim or the NRI plugin for an exec)";
	return arena_printf(context->findings->arena,
			    "config.json lists this limit, so that an exec has it as well (it was "
			    "set by the engine's default, the runtime shim or the NRI plugin)");
}

static int add_planned_limit(const struct context *context)
{
	const struct limits *main = &context->main;
	uint64_t planned = context->container->plan.memlock;
	char want[LIMITS_TEXT_SIZE];
	char have[LIMITS_TEXT_SIZE];
	const char *way = way_of_limit(context);

	if (!way)
		return -1;
	if (!main->known)
		return findings_add(
			context->findings, "plan_memlock", NULL, FINDING_UNCHECKED, NULL,
			"the plan gives %s, but the container does not run, or hides its limits",
			limits_text(planned, want));
	if (main->soft < planned)
		return findings_add(
			context->findings, "plan_memlock", NULL, FINDING_FAIL, why_not(context),
			"the plan gives %s, but the first process has %s (%s)",
			limits_text(planned, want), limits_text(main->soft, have), main->where);
	return findings_add(context->findings, "plan_memlock", NULL, FINDING_OK, NULL,
			    "the first process has %s (%s): %s", limits_text(main->soft, have),
			    main->where, way);
}

static bool has_setting(const struct fs_text *conf, const struct setting *setting)
{
	size_t len = 0;
	const char *value = nccl_conf_value(conf, setting->name, &len);

	return value && len == strlen(setting->value) && memcmp(value, setting->value, len) == 0;
}

static int add_setting(const struct context *context, const struct setting *setting,
		       const struct fs_text *conf)
{
	const struct target *target = &context->doctor->target;
	const char *value = target_getenv(target, setting->name);
	const char *remedy = why_not(context);

	if (value)
		return findings_add(context->findings, "plan_nccl", setting->name, FINDING_OK, NULL,
				    "%s=%s (%s)%s", setting->name, value, target->env_path,
				    strcmp(value, setting->value) == 0
					    ? ""
					    : ": the plan has another value, but the container's "
					      "own value is kept");
	if (setting->scope == SCOPE_NCCL && has_setting(conf, setting))
		return findings_add(context->findings, "plan_nccl", setting->name, FINDING_OK, NULL,
				    "%s=%s (/" NCCL_CONF "): set by the hook, for an exec as well",
				    setting->name, setting->value);
	if (!(context->ways & (WAY_SHIM | WAY_NRI)) &&
	    (setting->scope == SCOPE_ENV || context->container->plan.nccl_conf_mounted))
		remedy =
			"The hook cannot set this variable: use the runtime shim or the NRI plugin";
	return findings_add(
		context->findings, "plan_nccl", setting->name, FINDING_WARN, remedy,
		"the plan gives %s=%s, but that is neither in the environment nor in /" NCCL_CONF,
		setting->name, setting->value);
}

static int add_settings(const struct context *context)
{
	const struct target *target = &context->doctor->target;
	const struct plan *plan = &context->container->plan;
	struct fs_text conf = {0};

	if (target->root < 0 || !target->pid ||
	    tree_read_stored(context->findings->arena, target->root, NCCL_CONF, NCCL_FILE_MAX,
			     &conf) < 0)
		conf = (struct fs_text){0};
	for (size_t i = 0; target->pid && i < plan->n_settings; i++) {
		if (add_setting(context, &plan->settings[i], &conf) < 0)
			return -1;
	}
	return 0;
}

static int add_results(struct context *context)
{
	const struct plan *plan = &context->container->plan;
	int64_t pid = context->doctor->target.main_pid;
	const char *path = arena_printf(context->findings->arena, "/proc/%" PRId64 "/limits", pid);

	if (!path)
		return -1;
	if (pid)
		context->main =
			limits_read(context->findings->arena, context->doctor->node.root, path);
	if (add_decision(context) < 0 ||
	    findings_add_values(context->findings, "decision=%s", decision_names[plan->decision]) <
		    0 ||
	    (plan->memlock && add_planned_limit(context) < 0))
		return -1;
	return add_settings(context);
}

int check_plan(const struct doctor *doctor, struct findings *findings)
{
	cleanup_container container = CONTAINER_NONE;
	struct context context = {.doctor = doctor, .findings = findings, .container = &container};
	struct err why;
	int status = plan_of_target(doctor, &container, &why);

	if (status < 0)
		return why.errnum == ENOMEM || findings_add(findings, "plan", NULL, FINDING_FAIL,
							    "Correct this: until then this "
							    "container gets nothing",
							    "%s", why.text) < 0
			       ? err_memory(&findings->err)
			       : 0;
	if (status == 0)
		return 0;
	if (ways_find(findings->arena, doctor->node.root, doctor->node.recorded, &context.ways,
		      &findings->err) < 0)
		return -1;
	return add_results(&context);
}
