/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include <string.h>

#include "core/base/text.h"
#include "core/nccl_conf.h"
#include "core/plan/frameworks.h"
#include "core/plan/nccl.h"
#include "core/plan/planning.h"
#include "core/plan/reasons.h"
#include "core/spec/seccomp.h"

const char *const decision_names[] = {
	[DECISION_NONE] = "none",
	[DECISION_GRANT] = "grant",
	[DECISION_TCP] = "tcp",
	[DECISION_DENIED] = "denied",
};

static void set_decision(const struct planning *p, enum decision decision, const char *reason)
{
	p->plan->decision = decision;
	p->plan->reason = reason;
}

static const char *not_asked(const struct planning *p)
{
	const struct request *request = p->request;

	if (p->spec->identity.sandbox)
		return "not a workload container: the pod's sandbox";
	if (request->inject == INJECT_REFUSED)
		return "the annotation " SPEC_ANNOTATION_PREFIX "inject says \"false\"";
	if (request->inject == INJECT_UNSAID && p->config->opt_in == OPT_IN_ANNOTATION)
		return "not asked for: no annotation " SPEC_ANNOTATION_PREFIX "inject";
	if (request->excludes_this_container && p->spec->identity.doubt)
		return "the annotation " SPEC_ANNOTATION_PREFIX
		       "containers names containers, but the name of this container is unknown";
	if (request->excludes_this_container)
		return "the annotation " SPEC_ANNOTATION_PREFIX
		       "containers does not name this container";
	return NULL;
}

/* A limit of at least the node's memory has no effect. */
static bool lacks_memory_limit(const struct planning *p)
{
	uint64_t limit = p->spec->memory_limit;

	return p->config->require_memory_limit && (!limit || limit >= p->node_memory);
}

/* The engine sets what the spec lists. */
static bool lists_memlock(const struct spec *spec, uint64_t bytes)
{
	return spec->has_memlock && spec->memlock_soft >= bytes && spec->memlock_hard >= bytes;
}

/* Without CAP_SYS_RESOURCE the soft limit rises only to the hard one (setrlimit(2)). */
static void grant_memlock(const struct planning *p, struct plan *plan)
{
	uint64_t granted = p->config->memlock;
	uint64_t asked = p->request->memlock;

	plan->memlock = granted < asked ? granted : asked;
	if (p->memlock_max && p->memlock_max < plan->memlock &&
	    !lists_memlock(p->spec, plan->memlock)) {
		plan->memlock = p->memlock_max;
		plan->low_limit_reason = shortage_reason(p);
	}
	plan->adds_rlimit = !lists_memlock(p->spec, plan->memlock);
}

/* CAP_IPC_LOCK bypasses the limit (can_do_mlock in mm/mlock.c; ib_umem_get in
 * drivers/infiniband/core/umem.c): beside a finite one the policy must list it. vfio gives none. */
static void grant_capabilities(const struct planning *p, struct plan *plan)
{
	bool finite =
		p->config->memlock != MEMLOCK_UNLIMITED || p->request->memlock != MEMLOCK_UNLIMITED;
	uint64_t everywhere = ~UINT64_C(0);
	uint64_t withheld;

	if (!p->devices->n || (finite && !p->config->says_capabilities))
		return;
	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++)
		everywhere &= p->spec->capabilities[set];
	/* In its own user namespace it has them all (user_namespaces(7)). */
	withheld = p->spec->user_namespace ? 0 : p->config->capabilities & ~everywhere & p->lacking;
	if (withheld)
		plan->missing_capabilities_reason = withheld_reason(p->arena, withheld);
	plan->granted = p->config->capabilities & ~withheld;
	plan->capabilities = plan->granted & ~everywhere;
}

static const char *grant_reason(const struct planning *p)
{
	const char *count = devices_count_text(p->devices, p->arena);
	bool asked = p->request->inject == INJECT_ASKED;

	return count ? arena_printf(p->arena, "%s allocated%s%s", count, asked ? " and " : "",
				    asked ? asked_how(p) : "")
		     : NULL;
}

/* option: makes it fail; or NULL */
static void deny(const struct planning *p, const char *reason, const char *option)
{
	p->plan->fail = option != NULL;
	if (option && reason)
		reason = arena_printf(p->arena, "%s (%s: fail in %s)", reason, option,
				      p->config->path);
	set_decision(p, DECISION_DENIED, reason);
}

int plan_decide(const struct planning *p, struct err *err)
{
	const struct config *config = p->config;
	bool asks = p->request->inject == INJECT_ASKED;
	bool has_device = devices_any(p->devices);
	const char *not_wanted = not_asked(p);
	const char *on_denied = config->fail_on_denied && asks && has_device ? "on_denied" : NULL;
	struct plan grant = {.decision = DECISION_GRANT};

	*p->plan = (struct plan){0};
	grant_memlock(p, &grant);
	grant_capabilities(p, &grant);
	if (not_wanted)
		set_decision(p, DECISION_NONE, not_wanted);
	/* opt_in "device" asks only with a device. */
	else if (!has_device && (!asks || config->on_no_device == NO_DEVICE_IGNORE))
		set_decision(p, DECISION_NONE, NO_DEVICE);
	else if (!config_allows_namespace(config, p->spec->identity.pod_namespace))
		deny(p, namespace_reason(p), on_denied);
	else if (!has_device && config->on_no_device == NO_DEVICE_TCP)
		set_decision(p, DECISION_TCP, tcp_reason(p));
	else if (!has_device)
		deny(p, no_device_reason(p), "on_no_device");
	else if (lacks_memory_limit(p))
		deny(p, memory_reason(p), on_denied);
	else if (config->fail_on_error &&
		 (grant.low_limit_reason || grant.missing_capabilities_reason))
		deny(p,
		     grant.low_limit_reason ? grant.low_limit_reason
					    : grant.missing_capabilities_reason,
		     "on_error");
	else {
		*p->plan = grant;
		p->plan->reason = grant_reason(p);
	}
	return err_of_arena(p->arena, err);
}

static void plan_seccomp(const struct planning *p)
{
	const struct seccomp_profile *profile = &p->spec->seccomp;
	uint32_t refused = profile->refused;
	struct arena_text list = {.arena = p->arena};

	if (p->config->amend_seccomp)
		p->plan->seccomp = profile->by_default;
	refused &= ~p->plan->seccomp;
	for (size_t i = 0; seccomp_names[i]; i++) {
		if (refused & (UINT32_C(1) << i))
			arena_append(&list, "%s%s", list.len ? ", " : "", seccomp_names[i]);
	}
	if (list.len)
		plan_warn(p, "seccomp_refuses",
			  "linux.seccomp refuses system calls that verbs, NCCL or CUDA may need: "
			  "%s",
			  list.text);
}

int plan_fill(const struct planning *p, struct err *err)
{
	const char *mount = nccl_conf_mount(p->spec);
	struct plan *plan = p->plan;

	plan->nccl_conf_mounted = mount != NULL;
	if (p->spec->identity.doubt)
		plan_warn(p, "identity_unknown",
			  "pod, namespace and container are unknown: the container has %s",
			  p->spec->identity.doubt);
	if (plan->low_limit_reason)
		plan_warn(p, "rootless_memlock", "%s", plan->low_limit_reason);
	if (p->devices->n)
		plan_seccomp(p);
	if (p->request->nccl && plan->decision == DECISION_TCP)
		nccl_tcp_settings(p);
	if (p->request->nccl && plan->decision != DECISION_TCP && p->devices->n) {
		nccl_rdma_settings(p);
		framework_settings(p);
	}
	if (plan->n_settings && mount)
		plan_warn(p, "nccl_conf_mounted",
			  "a mount on %.128s covers /etc/nccl.conf, so that the hook cannot write "
			  "NCCL's values there: use the runtime shim or the NRI plugin for them",
			  mount);
	return err_of_arena(p->arena, err);
}

bool plan_gives(const struct plan *plan)
{
	return plan->decision == DECISION_GRANT || plan->decision == DECISION_TCP;
}

const char *plan_nccl_lines(struct arena *arena, const struct plan *plan)
{
	struct arena_text lines = {.arena = arena};

	arena_append(&lines, "%s", "");
	for (size_t i = 0; i < plan->n_settings; i++) {
		const struct setting *setting = &plan->settings[i];

		if (setting->state != SETTING_KEPT && setting->scope == SCOPE_NCCL)
			arena_append(&lines, "%s=%s\n", setting->name, setting->value);
	}
	return lines.failed ? NULL : lines.text;
}
