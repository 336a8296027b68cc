/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include <string.h>

#include "core/nccl_conf.h"
#include "core/plan/frameworks.h"
#include "core/plan/nccl.h"
#include "core/plan/obstacles.h"
#include "core/policy/quantity.h"

const char *decision_name(enum decision decision)
{
	static const char *const names[] = {
		[DECISION_NONE] = "none",
		[DECISION_GRANT] = "grant",
		[DECISION_TCP] = "tcp",
		[DECISION_DENIED] = "denied",
	};

	return names[decision];
}

/* Sets decision and reason. Returns -1 if the reason could not be allocated. */
static int decide(struct plan *plan, enum decision decision, const char *reason)
{
	plan->decision = decision;
	plan->reason = reason;
	return reason ? 0 : -1;
}

static const char *not_asked(const struct facts *facts)
{
	const struct request *request = facts->request;

	if (facts->spec->identity.sandbox)
		return "not a workload container: the pod's sandbox";
	if (request->inject == INJECT_REFUSED)
		return "the annotation " SPEC_ANNOTATION_PREFIX "inject says \"false\"";
	if (request->inject == INJECT_UNSAID && facts->config->opt_in == OPT_IN_ANNOTATION)
		return "not asked for: no annotation " SPEC_ANNOTATION_PREFIX "inject";
	if (request->other_container && facts->spec->identity.doubt != IDENTITY_BELIEVED)
		return "the annotation " SPEC_ANNOTATION_PREFIX
		       "containers names containers, but the name of this container is unknown";
	if (request->other_container)
		return "the annotation " SPEC_ANNOTATION_PREFIX
		       "containers does not name this container";
	return NULL;
}

static const char *asked_how(const struct facts *facts)
{
	return facts->request->by_hook ? "asked for by the hook's arguments (" SPEC_ASK ")"
				       : "annotated";
}

static int decide_without_device(struct arena *arena, const struct facts *facts, struct plan *plan)
{
	const struct config *config = facts->config;

	/* opt_in "device" asks for containers with a device only. */
	if (facts->request->inject != INJECT_ASKED || config->on_no_device == NO_DEVICE_IGNORE)
		return decide(plan, DECISION_NONE, "no RDMA device allocated");
	if (config->on_no_device == NO_DEVICE_TCP)
		return decide(plan, DECISION_TCP,
			      arena_printf(arena,
					   "%s, but no RDMA device allocated (on_no_device: tcp)",
					   asked_how(facts)));
	plan->fail = true;
	return decide(
		plan, DECISION_DENIED,
		arena_printf(arena,
			     "%s, but no RDMA device allocated (on_no_device: fail in %s); if this "
			     "container needs none, let the annotation " SPEC_ANNOTATION_PREFIX
			     "containers name only those that do",
			     asked_how(facts), config->path));
}

static int decide_namespace(struct arena *arena, const struct facts *facts, struct plan *plan)
{
	const struct identity *identity = &facts->spec->identity;
	const char *name = identity->pod_namespace ? identity->pod_namespace : "(unknown)";
	const char *doubt = identity_doubt_reason(identity->doubt);
	const char *path = facts->config->path;

	if (doubt)
		return decide(plan, DECISION_DENIED,
			      arena_printf(arena,
					   "the pod's namespace is unknown, and only \"*\" in the "
					   "namespaces of %s would admit it: the container has %s",
					   path, doubt));
	return decide(
		plan, DECISION_DENIED,
		arena_printf(arena, "namespace %s is not among the namespaces of %s", name, path));
}

/* A limit that the node's memory is below limits nothing. */
static bool is_limited(const struct facts *facts)
{
	return facts->spec->memory_limit && facts->spec->memory_limit < facts->node_memory;
}

static int decide_memory(struct arena *arena, const struct facts *facts, struct plan *plan)
{
	unsigned long long limit = facts->spec->memory_limit;
	unsigned long long memory = facts->node_memory;
	const char *path = facts->config->path;
	const char *reason;

	if (!limit)
		reason = arena_printf(arena, "no memory limit (require_memory_limit in %s)", path);
	else if (!memory)
		reason = arena_printf(arena,
				      "the node's memory is not known (/proc/meminfo), so that the "
				      "memory limit may be above it (require_memory_limit in %s)",
				      path);
	else
		reason = arena_printf(arena,
				      "the memory limit of %llu bytes is not below the node's %llu "
				      "(require_memory_limit in %s)",
				      limit, memory, path);
	return decide(plan, DECISION_DENIED, reason);
}

/* The lower one of what is granted and what is asked for */
static uint64_t wanted_memlock(const struct facts *facts)
{
	return facts->config->memlock < facts->request->memlock ? facts->config->memlock
								: facts->request->memlock;
}

static bool is_short(const struct facts *facts)
{
	return facts->memlock_max && facts->memlock_max < wanted_memlock(facts);
}

/* setrlimit(2): a process may raise its soft limit as far as the hard one. */
static const char *shortage(struct arena *arena, const struct facts *facts)
{
	return arena_printf(
		arena,
		"RLIMIT_MEMLOCK is %llu bytes at most, since a rootless engine cannot "
		"raise its user's hard limit: set LimitMEMLOCK=infinity in a drop-in of "
		"user@.service, or memlock in /etc/security/limits.d, and log in again",
		(unsigned long long)facts->memlock_max);
}

static int decide_shortage(struct arena *arena, const struct facts *facts, struct plan *plan)
{
	const char *why = shortage(arena, facts);

	plan->fail = true;
	return decide(
		plan, DECISION_DENIED,
		why ? arena_printf(arena, "%s (on_error: fail in %s)", why, facts->config->path)
		    : NULL);
}

static int decide_grant(struct arena *arena, const struct facts *facts, struct plan *plan)
{
	size_t n = facts->devices->n;
	bool asked = facts->request->inject == INJECT_ASKED;

	return decide(plan, DECISION_GRANT,
		      arena_printf(arena, "%zu RDMA device%s allocated%s%s", n, n == 1 ? "" : "s",
				   asked ? " and " : "", asked ? asked_how(facts) : ""));
}

static int choose(struct arena *arena, const struct facts *facts, struct plan *plan)
{
	const struct config *config = facts->config;
	const char *reason = not_asked(facts);
	bool allowed = config_allows_namespace(config, facts->spec->identity.pod_namespace);

	if (reason)
		return decide(plan, DECISION_NONE, reason);
	if (!facts->devices->n) {
		bool ignored = facts->request->inject != INJECT_ASKED ||
			       config->on_no_device == NO_DEVICE_IGNORE;

		return allowed || ignored ? decide_without_device(arena, facts, plan)
					  : decide_namespace(arena, facts, plan);
	}
	if (!allowed)
		return decide_namespace(arena, facts, plan);
	if (config->require_memory_limit && !is_limited(facts))
		return decide_memory(arena, facts, plan);
	if (config->fail_on_error && is_short(facts))
		return decide_shortage(arena, facts, plan);
	return decide_grant(arena, facts, plan);
}

/* What process.rlimits already gives is left alone: a plan only ever adds. */
static int plan_memlock(struct arena *arena, const struct facts *facts, struct plan *plan,
			struct warnings *warnings)
{
	const struct spec *spec = facts->spec;

	plan->sets_memlock = true;
	plan->memlock = wanted_memlock(facts);
	if (is_short(facts)) {
		plan->memlock = facts->memlock_max;
		plan->shortage = shortage(arena, facts);
		if (!plan->shortage ||
		    warnings_add(arena, warnings, "rootless_memlock", "%s", plan->shortage) < 0)
			return -1;
	}
	plan->adds_rlimit = !spec->has_memlock || spec->memlock_soft < plan->memlock ||
			    spec->memlock_hard < plan->memlock;
	return 0;
}

/*
 * The kernel asks a process that has CAP_IPC_LOCK for no limit (mm/mlock.c, can_do_mlock;
 * drivers/infiniband/core/umem.c, ib_umem_get): beside a finite one only an administrator who names
 * it may want it.
 */
static uint64_t granted_capabilities(const struct facts *facts)
{
	const struct config *config = facts->config;

	return config->says_capabilities || wanted_memlock(facts) == MEMLOCK_UNLIMITED
		       ? config->capabilities
		       : 0;
}

static void plan_capabilities(const struct facts *facts, struct plan *plan)
{
	uint64_t everywhere = ~UINT64_C(0);

	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++)
		everywhere &= facts->spec->capabilities[set];
	plan->granted = granted_capabilities(facts);
	plan->capabilities = plan->granted & ~everywhere;
}

static int warn_mount(struct arena *arena, const char *mount, struct warnings *warnings)
{
	return warnings_add(
		arena, warnings, "nccl_conf_mounted",
		"a mount on %.128s covers /etc/nccl.conf, so that the hook cannot write NCCL's "
		"values there: use the runtime shim or the NRI plugin for them",
		mount);
}

static const char *call_names(struct arena *arena, uint32_t calls)
{
	const char *list = "";

	for (size_t i = 0; list && i < seccomp_count(); i++) {
		if (calls & (UINT32_C(1) << i))
			list = arena_printf(arena, "%s%s%s", list, list[0] ? ", " : "",
					    seccomp_name(i));
	}
	return list;
}

/* Only what no rule refuses by name is amended: a rule was written on purpose. */
static int plan_seccomp(struct arena *arena, const struct facts *facts, struct plan *plan,
			struct warnings *warnings)
{
	const struct seccomp_profile *profile = &facts->spec->seccomp;
	uint32_t refused = seccomp_refused(profile);
	const char *list;

	if (facts->config->amend_seccomp)
		plan->seccomp = seccomp_refused_by_default(profile);
	refused &= ~plan->seccomp;
	if (!refused)
		return 0;
	list = call_names(arena, refused);
	if (!list)
		return -1;
	return warnings_add(
		arena, warnings, "seccomp_refuses",
		"linux.seccomp refuses system calls that verbs, NCCL or CUDA may need: %s", list);
}

/* The denial's reason says so. */
static int warn_identity(struct arena *arena, const struct facts *facts, struct warnings *warnings)
{
	const char *doubt = identity_doubt_reason(facts->spec->identity.doubt);

	return doubt ? warnings_add(
			       arena, warnings, "identity_unknown",
			       "pod, namespace and container are unknown: the container has %s",
			       doubt)
		     : 0;
}

/* A container that asks, and has a device, is not to run without it if the administrator says so.
 */
static int refuse_denied(struct arena *arena, const struct facts *facts, struct plan *plan)
{
	const struct config *config = facts->config;

	if (plan->decision != DECISION_DENIED || plan->fail || !config->fail_on_denied ||
	    !facts->devices->n || facts->request->inject != INJECT_ASKED)
		return 0;
	plan->fail = true;
	return decide(
		plan, DECISION_DENIED,
		arena_printf(arena, "%s (on_denied: fail in %s)", plan->reason, config->path));
}

int plan_decide(struct arena *arena, const struct facts *facts, struct plan *ret_plan,
		struct err *err)
{
	*ret_plan = (struct plan){0};
	if (choose(arena, facts, ret_plan) < 0 || refuse_denied(arena, facts, ret_plan) < 0)
		return err_memory(err);
	return 0;
}

/* What a container with devices gets beside variables */
static int plan_grant(struct arena *arena, const struct facts *facts, struct plan *plan,
		      struct warnings *warnings)
{
	plan_capabilities(facts, plan);
	if (plan_memlock(arena, facts, plan, warnings) < 0 ||
	    plan_seccomp(arena, facts, plan, warnings) < 0)
		return -1;
	return obstacles_warn(arena, facts, warnings);
}

static int plan_variables(struct arena *arena, const struct facts *facts, struct plan *plan,
			  struct warnings *warnings)
{
	if (!facts->request->nccl)
		return 0;
	if (plan->decision == DECISION_TCP)
		return nccl_tcp_settings(arena, facts, plan, warnings);
	if (nccl_rdma_settings(arena, facts, plan, warnings) < 0)
		return -1;
	return framework_settings(arena, facts, plan, warnings);
}

int plan_fill(struct arena *arena, const struct facts *facts, struct plan *plan,
	      struct warnings *warnings, struct err *err)
{
	const char *mount = nccl_conf_mount(facts->spec);

	plan->nccl_conf_mounted = mount != NULL;
	if (!plan_gives(plan))
		return 0;
	if (warn_identity(arena, facts, warnings) < 0 ||
	    (plan->decision == DECISION_GRANT && plan_grant(arena, facts, plan, warnings) < 0) ||
	    plan_variables(arena, facts, plan, warnings) < 0 ||
	    (plan->n_settings && mount && warn_mount(arena, mount, warnings) < 0))
		return err_memory(err);
	return 0;
}

bool plan_gives(const struct plan *plan)
{
	return plan->decision == DECISION_GRANT || plan->decision == DECISION_TCP;
}

bool plan_has_new_settings(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_settings; i++) {
		if (plan->settings[i].state == SETTING_NEW)
			return true;
	}
	return false;
}

const char *plan_nccl_lines(struct arena *arena, const struct plan *plan)
{
	const char *lines = "";

	for (size_t i = 0; lines && i < plan->n_settings; i++) {
		if (plan->settings[i].state == SETTING_NEW && plan->settings[i].scope == SCOPE_NCCL)
			lines = arena_printf(arena, "%s%s=%s\n", lines, plan->settings[i].name,
					     plan->settings[i].value);
	}
	return lines;
}
