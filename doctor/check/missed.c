/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers of the node that ask, have a device, and lack the memlock limit, whatever the reason:
 * no entry point was there, it failed, or it is older than the installation. A training job in such
 * a container fails hours later, on one rank. Those that the policy denies are a finding of their
 * own: nothing is broken, but the pod's author has to learn it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "doctor/check/check.h"
#include "explain/bundle.h"
#include "explain/explain.h"
#include "explain/limits.h"

/* Named one by one; of the rest the number is said. */
#define NAMED_MAX 32

struct scan {
	const struct doctor *doctor;
	struct findings *findings;
	size_t looked_at; /* ask, and have a device */
	size_t lacking;
	size_t denied;  /* ask, have a device, and the policy says no */
	size_t unknown; /* have a device, and it is not known whether they ask */
};

/* Returns 1 if it is to have the limit or is denied, 0 if neither, or -1: it cannot be decided
 * about. */
static int decide_about(const struct scan *scan, const struct bundle *bundle,
			struct container *container)
{
	struct err ignored;
	int status = plan_of_config(scan->doctor, bundle->config, bundle->id, false, container,
				    &ignored);

	if (status <= 0)
		return status;
	return devices_any(&container->devices) &&
	       (container->plan.decision == DECISION_DENIED ||
		(container->plan.decision == DECISION_GRANT && container->plan.sets_memlock));
}

static const char *name_of(struct arena *arena, const struct container *container)
{
	const struct identity *identity = &container->spec.identity;

	if (!identity->name && !identity->pod)
		return arena_printf(arena, "%.12s", container->id);
	return arena_printf(
		arena, "%s/%s/%s", identity->pod_namespace ? identity->pod_namespace : "-",
		identity->pod ? identity->pod : "-", identity->name ? identity->name : "-");
}

static int add_lacking(struct scan *scan, const struct container *container,
		       const struct limits *limits)
{
	struct arena *arena = scan->findings->arena;
	const char *name = name_of(arena, container);
	const char *count = devices_count_text(&container->devices, arena);
	char have[LIMITS_TEXT_SIZE];
	char want[LIMITS_TEXT_SIZE];

	if (!name || !count)
		return -1;
	if (++scan->lacking > NAMED_MAX)
		return 0;
	return findings_add(scan->findings, "missed", name, FINDING_FAIL,
			    "Delete the pod, so that it is created again; oci-rdma-doctor "
			    "--container says more",
			    "it asks and has %s, but its first process has %s (%s) instead of %s "
			    "(container %.12s)",
			    count, limits_text(limits->soft, have), limits->where,
			    limits_text(container->plan.memlock, want), container->id);
}

static int add_denied(struct scan *scan, const struct container *container)
{
	struct arena *arena = scan->findings->arena;
	const char *name = name_of(arena, container);
	const char *count = devices_count_text(&container->devices, arena);

	if (!name || !count)
		return -1;
	if (++scan->denied > NAMED_MAX)
		return 0;
	return findings_add(scan->findings, "denied", name, FINDING_WARN,
			    "Allow it in config.json, or take the annotation from the pod",
			    "it asks and has %s, and gets nothing: %s (container %.12s)", count,
			    container->plan.reason, container->id);
}

/* It is to have the limit. */
static int add_granted(struct scan *scan, struct container *container, int64_t pid)
{
	const char *path = arena_printf(scan->findings->arena, "/proc/%" PRId64 "/limits", pid);
	struct limits limits;

	scan->looked_at++;
	if (!path)
		return -1;
	limits = limits_read(&container->arena, scan->doctor->node.root, path);
	return limits.known && limits.soft < container->plan.memlock
		       ? add_lacking(scan, container, &limits)
		       : 0;
}

static int look_at_bundle(void *context, const struct bundle *bundle)
{
	cleanup_container container = CONTAINER_NONE;
	struct scan *scan = context;

	container.id = bundle->id;
	if (!bundle->config ||
	    !bundle_has_process(&container.arena, scan->doctor->node.root, bundle))
		return 0;
	if (decide_about(scan, bundle, &container) <= 0) {
		scan->unknown += container.doubt && devices_any(&container.devices);
		return 0;
	}
	if (container.plan.decision == DECISION_DENIED)
		return add_denied(scan, &container);
	return add_granted(scan, &container, bundle->pid);
}

static int add_denied_sum(const struct scan *scan)
{
	if (scan->denied > NAMED_MAX)
		return findings_add(scan->findings, "denied", NULL, FINDING_WARN,
				    "Allow them in config.json, or take the annotation from the "
				    "pods",
				    "%zu more containers are denied", scan->denied - NAMED_MAX);
	return scan->denied ? 0
			    : findings_add(scan->findings, "denied", NULL, FINDING_OK, NULL,
					   "no container that asks and has an RDMA device is "
					   "denied");
}

static int add_sum(const struct scan *scan)
{
	if (scan->lacking > NAMED_MAX)
		return findings_add(scan->findings, "missed", NULL, FINDING_FAIL,
				    "Delete their pods, so that they are created again",
				    "%zu more containers lack their limit",
				    scan->lacking - NAMED_MAX);
	if (scan->lacking)
		return 0;
	if (scan->unknown)
		return findings_add(scan->findings, "missed", NULL, FINDING_UNCHECKED,
				    "oci-rdma-doctor --container ID says for each how to find out",
				    "containers of containerd with an RDMA device, of which it is "
				    "not known whether they ask: %zu; of %zu others that ask each "
				    "has its limit",
				    scan->unknown, scan->looked_at);
	return findings_add(scan->findings, "missed", NULL, FINDING_OK, NULL,
			    "of the node's containers %zu ask and have an RDMA device; each has "
			    "its limit",
			    scan->looked_at);
}

int check_missed(const struct doctor *doctor, struct findings *findings)
{
	struct scan scan = {.doctor = doctor, .findings = findings};

	/* A container that is examined by itself has the finding plan_memlock. */
	if (doctor->target.id || doctor->target.pid)
		return 0;
	return bundle_each(findings->arena, doctor->node.root, look_at_bundle, &scan) < 0 ||
			       add_sum(&scan) < 0 || add_denied_sum(&scan) < 0
		       ? -1
		       : 0;
}
