/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include <string.h>

#include "core/base/capability.h"
#include "core/nccl_conf.h"

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
static int set_decision(struct plan *plan, enum decision decision, const char *reason)
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

static int decide_without_device(const struct planning *planning)
{
	const struct config *config = planning->facts->config;

	/* opt_in "device" asks for containers with a device only. */
	if (planning->facts->request->inject != INJECT_ASKED ||
	    config->on_no_device == NO_DEVICE_IGNORE)
		return set_decision(planning->plan, DECISION_NONE, "no RDMA device allocated");
	if (config->on_no_device == NO_DEVICE_TCP)
		return set_decision(
			planning->plan, DECISION_TCP,
			arena_printf(planning->arena,
				     "%s, but no RDMA device allocated (on_no_device: tcp)",
				     asked_how(planning->facts)));
	planning->plan->fail = true;
	return set_decision(
		planning->plan, DECISION_DENIED,
		arena_printf(planning->arena,
			     "%s, but no RDMA device allocated (on_no_device: fail in %s); if this "
			     "container needs none, let the annotation " SPEC_ANNOTATION_PREFIX
			     "containers name only those that do",
			     asked_how(planning->facts), config->path));
}

static int decide_namespace(const struct planning *planning)
{
	const struct identity *identity = &planning->facts->spec->identity;
	const char *name = identity->pod_namespace ? identity->pod_namespace : "(unknown)";
	const char *doubt = identity_doubt_reason(identity->doubt);
	const char *path = planning->facts->config->path;

	if (doubt)
		return set_decision(
			planning->plan, DECISION_DENIED,
			arena_printf(planning->arena,
				     "the pod's namespace is unknown, and only \"*\" in the "
				     "namespaces of %s would admit it: the container has %s",
				     path, doubt));
	return set_decision(planning->plan, DECISION_DENIED,
			    arena_printf(planning->arena,
					 "namespace %s is not among the namespaces of %s", name,
					 path));
}

static int decide_memory(const struct planning *planning)
{
	unsigned long long limit = planning->facts->spec->memory_limit;
	unsigned long long memory = planning->facts->node_memory;
	const char *path = planning->facts->config->path;
	const char *reason;

	if (!limit)
		reason = arena_printf(planning->arena,
				      "no memory limit (require_memory_limit in %s)", path);
	else if (!memory)
		reason = arena_printf(planning->arena,
				      "the node's memory is not known (/proc/meminfo), so that the "
				      "memory limit may be above it (require_memory_limit in %s)",
				      path);
	else
		reason = arena_printf(planning->arena,
				      "the memory limit of %llu bytes is not below the node's %llu "
				      "(require_memory_limit in %s)",
				      limit, memory, path);
	return set_decision(planning->plan, DECISION_DENIED, reason);
}

/* The lower one of what is granted and what is asked for */
static uint64_t wanted_memlock(const struct facts *facts)
{
	return facts->config->memlock < facts->request->memlock ? facts->config->memlock
								: facts->request->memlock;
}

/* setrlimit(2): without CAP_SYS_RESOURCE a process may raise its soft limit as far as the hard one.
 * What the spec lists already, the engine sets itself. */
static bool is_short(const struct facts *facts)
{
	uint64_t wanted = wanted_memlock(facts);

	return facts->memlock_max && facts->memlock_max < wanted &&
	       !(facts->spec->has_memlock && facts->spec->memlock_soft >= wanted &&
		 facts->spec->memlock_hard >= wanted);
}

static const char *shortage_text(struct arena *arena, const struct facts *facts)
{
	return arena_printf(
		arena,
		"RLIMIT_MEMLOCK is %llu bytes at most, since this engine cannot raise its hard "
		"limit: give it CAP_SYS_RESOURCE on the node, or, if it is rootless, set "
		"LimitMEMLOCK=infinity in a drop-in of user@.service, or memlock in "
		"/etc/security/limits.d, and log in again",
		(unsigned long long)facts->memlock_max);
}

/*
 * The kernel asks a process that has CAP_IPC_LOCK for no limit (mm/mlock.c, can_do_mlock;
 * drivers/infiniband/core/umem.c, ib_umem_get): beside a finite one it is given only if the
 * administrator lists it.
 */
static uint64_t granted_capabilities(const struct facts *facts)
{
	const struct config *config = facts->config;

	/* A vfio function proves the limit alone, whatever "capabilities" says. */
	if (!facts->devices->n)
		return 0;
	return config->says_capabilities || wanted_memlock(facts) == MEMLOCK_UNLIMITED
		       ? config->capabilities
		       : 0;
}

/* Those that at least one of the five sets lacks */
static uint64_t added_capabilities(const struct facts *facts)
{
	uint64_t everywhere = ~UINT64_C(0);

	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++)
		everywhere &= facts->spec->capabilities[set];
	return granted_capabilities(facts) & ~everywhere;
}

/* In a user namespace of its own a container has all of them (user_namespaces(7)). */
static uint64_t withheld_capabilities(const struct facts *facts)
{
	return facts->spec->user_namespace ? 0 : added_capabilities(facts) & facts->lacking;
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

static int decide_lack(const struct planning *planning, const char *why)
{
	planning->plan->fail = true;
	return set_decision(planning->plan, DECISION_DENIED,
			    why ? arena_printf(planning->arena, "%s (on_error: fail in %s)", why,
					       planning->facts->config->path)
				: NULL);
}

/* What process.rlimits already gives is left alone: a plan only ever adds. */
static int plan_memlock(const struct planning *planning)
{
	const struct spec *spec = planning->facts->spec;
	struct plan *plan = planning->plan;

	plan->sets_memlock = true;
	plan->memlock = wanted_memlock(planning->facts);
	if (is_short(planning->facts)) {
		plan->memlock = planning->facts->memlock_max;
		plan->shortage = shortage_text(planning->arena, planning->facts);
		if (!plan->shortage)
			return -1;
	}
	plan->adds_rlimit = !spec->has_memlock || spec->memlock_soft < plan->memlock ||
			    spec->memlock_hard < plan->memlock;
	return 0;
}

static int plan_capabilities(const struct planning *planning)
{
	uint64_t without = withheld_capabilities(planning->facts);
	struct plan *plan = planning->plan;

	plan->granted = granted_capabilities(planning->facts) & ~without;
	plan->capabilities = added_capabilities(planning->facts) & ~without;
	if (without)
		plan->withheld =
			plan_withheld_text(planning->arena, withheld_capabilities(planning->facts));
	return without && !plan->withheld ? -1 : 0;
}

static int decide_grant(const struct planning *planning)
{
	const char *count = devices_count_text(planning->facts->devices, planning->arena);
	bool asked = planning->facts->request->inject == INJECT_ASKED;

	if (!count || plan_capabilities(planning) < 0 || plan_memlock(planning) < 0)
		return -1;
	return set_decision(planning->plan, DECISION_GRANT,
			    arena_printf(planning->arena, "%s allocated%s%s", count,
					 asked ? " and " : "",
					 asked ? asked_how(planning->facts) : ""));
}

static int choose_decision(const struct planning *planning)
{
	const struct config *config = planning->facts->config;
	const char *reason = not_asked(planning->facts);
	bool allowed =
		config_allows_namespace(config, planning->facts->spec->identity.pod_namespace);

	if (reason)
		return set_decision(planning->plan, DECISION_NONE, reason);
	if (!devices_any(planning->facts->devices)) {
		bool ignored = planning->facts->request->inject != INJECT_ASKED ||
			       config->on_no_device == NO_DEVICE_IGNORE;

		return allowed || ignored ? decide_without_device(planning)
					  : decide_namespace(planning);
	}
	if (!allowed)
		return decide_namespace(planning);
	/* A limit that the node's memory is below limits nothing. */
	if (config->require_memory_limit &&
	    (!planning->facts->spec->memory_limit ||
	     planning->facts->spec->memory_limit >= planning->facts->node_memory))
		return decide_memory(planning);
	if (config->fail_on_error && is_short(planning->facts))
		return decide_lack(planning, shortage_text(planning->arena, planning->facts));
	if (config->fail_on_error && withheld_capabilities(planning->facts))
		return decide_lack(planning,
				   plan_withheld_text(planning->arena,
						      withheld_capabilities(planning->facts)));
	return decide_grant(planning);
}

/* If the administrator says so, a container that asks, has a device and is denied must not
 * start. */
static int refuse_denied(const struct planning *planning)
{
	const struct config *config = planning->facts->config;
	struct plan *plan = planning->plan;

	if (plan->decision != DECISION_DENIED || plan->fail || !config->fail_on_denied ||
	    !devices_any(planning->facts->devices) ||
	    planning->facts->request->inject != INJECT_ASKED)
		return 0;
	plan->fail = true;
	return set_decision(plan, DECISION_DENIED,
			    arena_printf(planning->arena, "%s (on_denied: fail in %s)",
					 plan->reason, config->path));
}

int plan_decide(const struct planning *planning, struct err *err)
{
	*planning->plan = (struct plan){0};
	if (choose_decision(planning) < 0 || refuse_denied(planning) < 0)
		return err_memory(err);
	return 0;
}

bool memlock_raise(struct rlimit64 *limit, uint64_t bytes)
{
	struct rlimit64 old = *limit;

	limit->rlim_cur = old.rlim_cur > bytes ? old.rlim_cur : bytes;
	limit->rlim_max = old.rlim_max > bytes ? old.rlim_max : bytes;
	return limit->rlim_cur != old.rlim_cur || limit->rlim_max != old.rlim_max;
}

static int warn_mount(const struct planning *planning, const char *mount)
{
	return warnings_add(
		planning->arena, planning->warnings, "nccl_conf_mounted",
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

/* Amend only calls that no rule refuses by name: such a rule was written on purpose. */
static int plan_seccomp(const struct planning *planning)
{
	const struct seccomp_profile *profile = &planning->facts->spec->seccomp;
	uint32_t refused = seccomp_refused(profile);
	const char *list;

	if (planning->facts->config->amend_seccomp)
		planning->plan->seccomp = seccomp_refused_by_default(profile);
	refused &= ~planning->plan->seccomp;
	if (!refused)
		return 0;
	list = call_names(planning->arena, refused);
	if (!list)
		return -1;
	return warnings_add(
		planning->arena, planning->warnings, "seccomp_refuses",
		"linux.seccomp refuses system calls that verbs, NCCL or CUDA may need: %s", list);
}

/* The denial's reason says so. */
static int warn_identity(const struct planning *planning)
{
	const char *doubt = identity_doubt_reason(planning->facts->spec->identity.doubt);

	return doubt ? warnings_add(
			       planning->arena, planning->warnings, "identity_unknown",
			       "pod, namespace and container are unknown: the container has %s",
			       doubt)
		     : 0;
}

/* What a container with devices gets besides variables */
static int plan_grant(const struct planning *planning)
{
	const char *shortage = planning->plan->shortage;

	if (shortage && warnings_add(planning->arena, planning->warnings, "rootless_memlock", "%s",
				     shortage) < 0)
		return -1;
	return planning->facts->devices->n ? plan_seccomp(planning) : 0;
}

static int plan_variables(const struct planning *planning)
{
	if (!planning->facts->request->nccl)
		return 0;
	if (planning->plan->decision == DECISION_TCP)
		return nccl_tcp_settings(planning);
	if (!planning->facts->devices->n)
		return 0;
	if (nccl_rdma_settings(planning) < 0)
		return -1;
	return framework_settings(planning);
}

int plan_fill(const struct planning *planning, struct err *err)
{
	const char *mount = nccl_conf_mount(planning->facts->spec);

	planning->plan->nccl_conf_mounted = mount != NULL;
	if (!plan_gives(planning->plan))
		return 0;
	if (warn_identity(planning) < 0 ||
	    (planning->plan->decision == DECISION_GRANT && plan_grant(planning) < 0) ||
	    plan_variables(planning) < 0 ||
	    (planning->plan->n_settings && mount && warn_mount(planning, mount) < 0))
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
