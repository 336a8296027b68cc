/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include "core/nccl_conf.h"

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

/* Only what no rule refuses by name is amended: a rule was written on purpose. */
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

/* What a container with devices gets beside variables */
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
