/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include <string.h>

#include "core/base/capability.h"
#include "core/nccl_conf.h"

#define NO_DEVICE "no RDMA device allocated"

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

static void set_decision(const struct planning *p, enum decision decision, const char *reason)
{
	p->plan->decision = decision;
	p->plan->reason = reason;
}

/* option: of the config, because of which the container must not start; NULL: it may start */
static void deny(const struct planning *p, const char *reason, const char *option)
{
	p->plan->fail = option != NULL;
	if (option && reason)
		reason = arena_printf(p->arena, "%s (%s: fail in %s)", reason, option,
				      p->facts->config->path);
	set_decision(p, DECISION_DENIED, reason);
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

static const char *namespace_reason(const struct planning *p)
{
	const struct identity *identity = &p->facts->spec->identity;
	const char *name = identity->pod_namespace ? identity->pod_namespace : "(unknown)";
	const char *doubt = identity_doubt_reason(identity->doubt);
	const char *path = p->facts->config->path;

	if (doubt)
		return arena_printf(p->arena,
				    "the pod's namespace is unknown, and only \"*\" in the "
				    "namespaces of %s would admit it: the container has %s",
				    path, doubt);
	return arena_printf(p->arena, "namespace %s is not among the namespaces of %s", name, path);
}

/* A limit that the node's memory is below limits nothing. */
static bool lacks_memory_limit(const struct facts *facts)
{
	unsigned long long limit = facts->spec->memory_limit;

	return facts->config->require_memory_limit && (!limit || limit >= facts->node_memory);
}

static const char *memory_reason(const struct planning *p)
{
	unsigned long long limit = p->facts->spec->memory_limit;
	unsigned long long memory = p->facts->node_memory;
	const char *path = p->facts->config->path;

	if (!limit)
		return arena_printf(p->arena, "no memory limit (require_memory_limit in %s)", path);
	if (!memory)
		return arena_printf(p->arena,
				    "the node's memory is not known (/proc/meminfo), so that the "
				    "memory limit may be above it (require_memory_limit in %s)",
				    path);
	return arena_printf(p->arena,
			    "the memory limit of %llu bytes is not below the node's %llu "
			    "(require_memory_limit in %s)",
			    limit, memory, path);
}

const char *plan_withheld_text(struct arena *arena, uint64_t capabilities)
{
	const char *const *name = capability_names(arena, capabilities);
	struct arena_text list = {.arena = arena};

	for (; name && *name; name++)
		arena_append(&list, " %s", *name);
	if (!name || list.failed)
		return NULL;
	return arena_printf(arena,
			    "this engine cannot give%s, which its bounding set lacks: add it to "
			    "CapabilityBoundingSet= of its service, or remove it from "
			    "\"capabilities\" in config.json",
			    list.text);
}

/* What the spec lists already, the engine sets itself: a plan only ever adds. */
static bool lists_memlock(const struct spec *spec, uint64_t bytes)
{
	return spec->has_memlock && spec->memlock_soft >= bytes && spec->memlock_hard >= bytes;
}

/* setrlimit(2): without CAP_SYS_RESOURCE a process may raise its soft limit as far as the hard one.
 */
static void grant_memlock(const struct planning *p, struct plan *plan)
{
	const struct facts *facts = p->facts;
	uint64_t granted = facts->config->memlock;
	uint64_t asked = facts->request->memlock;

	plan->sets_memlock = true;
	plan->memlock = granted < asked ? granted : asked;
	if (facts->memlock_max && facts->memlock_max < plan->memlock &&
	    !lists_memlock(facts->spec, plan->memlock)) {
		plan->memlock = facts->memlock_max;
		plan->shortage = arena_printf(
			p->arena,
			"RLIMIT_MEMLOCK is %llu bytes at most, since this engine cannot raise its "
			"hard limit: give it CAP_SYS_RESOURCE on the node, or, if it is rootless, "
			"set LimitMEMLOCK=infinity in a drop-in of user@.service, or memlock in "
			"/etc/security/limits.d, and log in again",
			(unsigned long long)plan->memlock);
	}
	plan->adds_rlimit = !lists_memlock(facts->spec, plan->memlock);
}

/*
 * The kernel asks a process that has CAP_IPC_LOCK for no limit (mm/mlock.c, can_do_mlock;
 * drivers/infiniband/core/umem.c, ib_umem_get): beside a finite one it is given only if the
 * administrator lists it. A vfio function proves the limit alone, whatever "capabilities" says.
 */
static void grant_capabilities(const struct planning *p, struct plan *plan)
{
	const struct facts *facts = p->facts;
	const struct config *config = facts->config;
	bool finite = config->memlock != MEMLOCK_UNLIMITED ||
		      facts->request->memlock != MEMLOCK_UNLIMITED;
	uint64_t everywhere = ~UINT64_C(0);
	uint64_t withheld;

	if (!facts->devices->n || (finite && !config->says_capabilities))
		return;
	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++)
		everywhere &= facts->spec->capabilities[set];
	plan->granted = config->capabilities;
	plan->capabilities = plan->granted & ~everywhere;
	/* In a user namespace of its own a container has all of them (user_namespaces(7)). */
	withheld = facts->spec->user_namespace ? 0 : plan->capabilities & facts->lacking;
	if (withheld)
		plan->withheld = plan_withheld_text(p->arena, withheld);
	plan->granted &= ~withheld;
	plan->capabilities &= ~withheld;
}

static const char *grant_reason(const struct planning *p)
{
	const struct facts *facts = p->facts;
	const char *count = devices_count_text(facts->devices, p->arena);
	bool asked = facts->request->inject == INJECT_ASKED;

	return count ? arena_printf(p->arena, "%s allocated%s%s", count, asked ? " and " : "",
				    asked ? asked_how(facts) : "")
		     : NULL;
}

int plan_decide(const struct planning *p, struct err *err)
{
	const struct facts *facts = p->facts;
	const struct config *config = facts->config;
	bool asks = facts->request->inject == INJECT_ASKED;
	bool has_device = devices_any(facts->devices);
	const char *not_wanted = not_asked(facts);
	/* If the administrator says so, a container that asks and has a device must not start. */
	const char *on_denied = config->fail_on_denied && asks && has_device ? "on_denied" : NULL;
	struct plan grant = {.decision = DECISION_GRANT};

	*p->plan = (struct plan){0};
	grant_memlock(p, &grant);
	grant_capabilities(p, &grant);
	if (not_wanted)
		set_decision(p, DECISION_NONE, not_wanted);
	/* opt_in "device" asks for containers with a device only. */
	else if (!has_device && (!asks || config->on_no_device == NO_DEVICE_IGNORE))
		set_decision(p, DECISION_NONE, NO_DEVICE);
	else if (!config_allows_namespace(config, facts->spec->identity.pod_namespace))
		deny(p, namespace_reason(p), on_denied);
	else if (!has_device && config->on_no_device == NO_DEVICE_TCP)
		set_decision(p, DECISION_TCP,
			     arena_printf(p->arena, "%s, but " NO_DEVICE " (on_no_device: tcp)",
					  asked_how(facts)));
	else if (!has_device)
		deny(p,
		     arena_printf(p->arena,
				  "%s, but " NO_DEVICE "; if this container needs none, let the "
				  "annotation " SPEC_ANNOTATION_PREFIX "containers name only "
				  "those that do",
				  asked_how(facts)),
		     "on_no_device");
	else if (lacks_memory_limit(facts))
		deny(p, memory_reason(p), on_denied);
	else if (config->fail_on_error && (grant.shortage || grant.withheld))
		deny(p, grant.shortage ? grant.shortage : grant.withheld, "on_error");
	else {
		*p->plan = grant;
		p->plan->reason = grant_reason(p);
	}
	return err_of_arena(p->arena, err);
}

bool memlock_raise(struct rlimit64 *limit, uint64_t bytes)
{
	struct rlimit64 old = *limit;

	limit->rlim_cur = old.rlim_cur > bytes ? old.rlim_cur : bytes;
	limit->rlim_max = old.rlim_max > bytes ? old.rlim_max : bytes;
	return limit->rlim_cur != old.rlim_cur || limit->rlim_max != old.rlim_max;
}

/* Amend only calls that no rule refuses by name: such a rule was written on purpose. */
static void plan_seccomp(const struct planning *p)
{
	const struct seccomp_profile *profile = &p->facts->spec->seccomp;
	uint32_t refused = seccomp_refused(profile);
	struct arena_text list = {.arena = p->arena};

	if (p->facts->config->amend_seccomp)
		p->plan->seccomp = seccomp_refused_by_default(profile);
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

static void plan_variables(const struct planning *p)
{
	const struct config *config = p->facts->config;

	if (!p->facts->request->nccl)
		return;
	if (p->plan->decision == DECISION_TCP) {
		nccl_tcp_settings(p);
		return;
	}
	if (!p->facts->devices->n)
		return;
	nccl_rdma_settings(p);
	if (config->frameworks.ucx || config->frameworks.nvshmem || config->frameworks.deepep ||
	    config->frameworks.gloo)
		framework_settings(p);
}

int plan_fill(const struct planning *p, struct err *err)
{
	const char *mount = nccl_conf_mount(p->facts->spec);
	const char *doubt = identity_doubt_reason(p->facts->spec->identity.doubt);
	struct plan *plan = p->plan;

	plan->nccl_conf_mounted = mount != NULL;
	if (!plan_gives(plan))
		return 0;
	/* A denial's reason says so. */
	if (doubt)
		plan_warn(p, "identity_unknown",
			  "pod, namespace and container are unknown: the container has %s", doubt);
	if (plan->shortage)
		plan_warn(p, "rootless_memlock", "%s", plan->shortage);
	if (p->facts->devices->n)
		plan_seccomp(p);
	plan_variables(p);
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
	struct arena_text lines = {.arena = arena};

	arena_append(&lines, "%s", "");
	for (size_t i = 0; i < plan->n_settings; i++) {
		const struct setting *setting = &plan->settings[i];

		if (setting->state == SETTING_NEW && setting->scope == SCOPE_NCCL)
			arena_append(&lines, "%s=%s\n", setting->name, setting->value);
	}
	return lines.failed ? NULL : lines.text;
}
