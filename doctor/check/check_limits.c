/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares it. The kernel checks the caller's soft limit; CAP_IPC_LOCK bypasses it only in
 * the first user namespace (capable() in drivers/infiniband/core/umem.c, ib_umem_get). */
#include <inttypes.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/container/container.h"
#include "core/policy/policy.h"
#include "doctor/check/check.h"
#include "doctor/check/check_plan.h"
#include "lib/limits.h"

#define PROC_FILE_MAX (64 * 1024)
#define MIB (UINT64_C(1) << 20)
/* Engines and systemd give 8 MiB; NCCL needs several per channel and peer. */
#define TOO_LITTLE (64 * MIB)
#define ENOUGH (1024 * MIB)

struct rights {
	bool known;
	uint64_t effective;
	uint64_t bounding;
	bool first_user_namespace;
	const char *where;
};

static struct limits read_limits(const struct doctor *doctor, struct arena *arena)
{
	const struct target *target = &doctor->target;
	struct limits limits = {0};
	struct fs_text text;

	if (target_read(arena, target, "limits", PROC_FILE_MAX, &text) == 0) {
		limits = limits_parse(text.bytes);
		limits.where = arena_printf(arena, "%s/limits", target->proc_path);
	} else if (target->has_spec && target->spec.has_memlock) {
		limits = (struct limits){.known = true,
					 .soft = target->spec.memlock_soft,
					 .hard = target->spec.memlock_hard,
					 .where = target->spec_path};
	}
	limits.known = limits.known && limits.where;
	return limits;
}

static struct rights read_rights(const struct doctor *doctor, struct arena *arena)
{
	const struct target *target = &doctor->target;
	uint64_t namespace = location_namespace(target->proc, "user");
	int64_t effective = target_status(arena, target, "CapEff:", 16);
	struct rights rights = {
		.effective = (uint64_t)effective,
		.bounding = (uint64_t)target_status(arena, target, "CapBnd:", 16),
		.first_user_namespace = !namespace || namespace == FIRST_USER_NAMESPACE,
		.where = arena_printf(arena, "%s/status", target->proc_path),
	};

	rights.known = effective >= 0 && rights.where;
	return rights;
}

static bool has_ipc_lock(const struct rights *rights)
{
	return rights->known && (rights->effective >> CAP_IPC_LOCK & 1);
}

static bool is_exempt(const struct rights *rights)
{
	return has_ipc_lock(rights) && rights->first_user_namespace;
}

static const char *remedy_by_plan(const struct doctor *doctor, struct arena *arena)
{
	cleanup_container container = CONTAINER_NONE;
	const char *remedy;
	struct err err;
	int status = plan_of_target(doctor, &container, &err);

	/* The hook raises the limit only with a device. */
	if (status == 0 && doctor->files.readable && !doctor->files.n)
		return REMEDY_REQUEST ". Then ask for the limit with the annotation "
				      "oci-rdma-hook.io/inject: \"true\"";
	if (status == 0)
		return "Run oci-rdma-doctor --container ID on the node, which shows what is "
		       "decided for this container. A pod asks with the annotation "
		       "oci-rdma-hook.io/inject: \"true\" (podman: --annotation "
		       "oci-rdma-hook.io/inject=true)";
	remedy = plan_remedy(arena, status, &container, &err);
	return remedy ? remedy
		      : "The container is granted the limit but does not have it: see the finding "
			"plan_memlock";
}

static const char *remedy_of(const struct doctor *doctor, struct arena *arena,
			     const struct limits *limits)
{
	if (limits->hard > limits->soft && limits->hard >= ENOUGH)
		return "Raise the soft limit, because only the soft limit counts: run ulimit -l "
		       "unlimited before the program starts";
	if (limits_of_first_are_higher(doctor, limits->soft))
		return "The container's first process has a higher limit, but an exec gets the "
		       "engine's limit. Start the program as the main process, or use the runtime "
		       "shim (runtimeClassName: rdma) or the NRI plugin";
	if (doctor->target.container || doctor->target.has_spec)
		return remedy_by_plan(doctor, arena);
	return "Run as root: ulimit -l unlimited; for a service, set LimitMEMLOCK=infinity";
}

static int add_known_limit(const struct doctor *doctor, struct findings *findings,
			   const struct limits *limits, const struct rights *rights)
{
	char soft[LIMITS_TEXT_SIZE];
	char hard[LIMITS_TEXT_SIZE];

	(void)limits_text(limits->soft, soft);
	(void)limits_text(limits->hard, hard);
	if (limits->soft >= ENOUGH || is_exempt(rights))
		return findings_add(findings, "memlock", NULL, FINDING_OK, NULL,
				    "soft %s, hard %s (%s)%s", soft, hard, limits->where,
				    limits->soft >= ENOUGH ? ""
							   : "; CAP_IPC_LOCK overrides the limit");
	return findings_add(findings, "memlock", NULL,
			    limits->soft >= TOO_LITTLE ? FINDING_WARN : FINDING_FAIL,
			    remedy_of(doctor, findings->arena, limits),
			    "soft %s, hard %s (%s): ibv_reg_mr and ibv_create_qp fail with ENOMEM, "
			    "\"Cannot allocate memory\"",
			    soft, hard, limits->where);
}

static int add_limit(const struct doctor *doctor, struct findings *findings,
		     const struct limits *limits, const struct rights *rights)
{
	if (!limits->known)
		return findings_add(findings, "memlock", NULL, FINDING_UNCHECKED,
				    "Run the doctor as root on the node, or inside the container",
				    "the limits of %s cannot be read", doctor->target.name);
	if (add_known_limit(doctor, findings, limits, rights) < 0)
		return -1;
	return limits->soft == MEMLOCK_UNLIMITED
		       ? findings_add_values(findings, "soft=unlimited")
		       : findings_add_values(findings, "soft=%" PRIu64, limits->soft);
}

static int add_ipc_lock(const struct doctor *doctor, struct findings *findings,
			const struct limits *limits, const struct rights *rights)
{
	bool needed = limits->known && limits->soft < ENOUGH;
	bool bounded = rights->bounding >> CAP_IPC_LOCK & 1;

	if (!rights->known)
		return findings_add(findings, "ipc_lock", NULL, FINDING_UNCHECKED,
				    "Run the doctor as root on the node, or inside the container",
				    "the capabilities of %s cannot be read", doctor->target.name);
	if (is_exempt(rights))
		return findings_add(
			findings, "ipc_lock", NULL, FINDING_OK, NULL,
			"CAP_IPC_LOCK is effective, in the first user namespace (CapEff %016" PRIx64
			", %s)",
			rights->effective, rights->where);
	if (has_ipc_lock(rights))
		return findings_add(findings, "ipc_lock", NULL, needed ? FINDING_WARN : FINDING_OK,
				    needed ? "Raise the limit instead, because the capability "
					     "counts only with hostUsers: true"
					   : NULL,
				    "CAP_IPC_LOCK is effective (%s), but only in a user namespace: "
				    "the kernel ignores it",
				    rights->where);
	if (needed)
		return findings_add(
			findings, "ipc_lock", NULL, FINDING_WARN,
			bounded ? "Raise the limit, which needs no capability; or run as root, or "
				  "let the runtime shim add the capability to the ambient set"
				: "Raise the limit, which needs no capability: see the finding "
				  "memlock",
			"%s (CapEff %016" PRIx64 ", %s)%s",
			bounded ? "CAP_IPC_LOCK is in the bounding set but not effective"
				: "no CAP_IPC_LOCK",
			rights->effective, rights->where,
			bounded ? ": a user other than root loses it at execve"
				: ", so that the limit counts, which is too low");
	return findings_add(findings, "ipc_lock", NULL, FINDING_OK, NULL,
			    "no CAP_IPC_LOCK (CapEff %016" PRIx64 ", %s)%s", rights->effective,
			    rights->where,
			    limits->known ? ", and the limit is so high that none is needed" : "");
}

int check_limits(const struct doctor *doctor, struct findings *findings)
{
	struct limits limits = read_limits(doctor, findings->arena);
	struct rights rights = read_rights(doctor, findings->arena);

	return add_limit(doctor, findings, &limits, &rights) < 0 ||
			       add_ipc_lock(doctor, findings, &limits, &rights) < 0
		       ? -1
		       : 0;
}
