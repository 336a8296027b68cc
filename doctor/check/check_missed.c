/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares it. Containers that ask and have a device, but no limit: the entry point was
 * absent, late or failed */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/container/container.h"
#include "doctor/check/check.h"
#include "doctor/check/check_plan.h"
#include "explain/bundle.h"
#include "lib/limits.h"

struct scan {
	const struct doctor *doctor;
	struct findings *findings;
	size_t looked_at;
	size_t lacking;
	size_t denied;
	size_t unknown; /* whether they ask */
};

/* how: follows "it asks and has DEVICES, " */
static int add_named(const struct scan *scan, const struct container *container, const char *id,
		     enum finding_status status, const char *remedy, const char *how)
{
	struct arena *arena = scan->findings->arena;
	const char *count = devices_count_text(&container->devices, arena);
	const char *name = plan_container_name(arena, container);

	return !name || !count || !how ? -1
				       : findings_add(scan->findings, id, name, status, remedy,
						      "it asks and has %s, %s (container %.12s)",
						      count, how, container->id);
}

static int add_granted(struct scan *scan, struct container *container, int64_t pid)
{
	struct arena *arena = scan->findings->arena;
	const char *path = arena_printf(arena, "/proc/%" PRId64 "/limits", pid);
	char have[LIMITS_TEXT_SIZE];
	char want[LIMITS_TEXT_SIZE];
	struct limits limits;

	scan->looked_at++;
	if (!path)
		return -1;
	limits = limits_read(&container->arena, scan->doctor->node.root, path);
	if (!limits.known || limits.soft >= container->plan.memlock)
		return 0;
	scan->lacking++;
	return add_named(scan, container, "missed", FINDING_FAIL,
			 "Delete the pod, so that it is created again; --container says more",
			 arena_printf(arena, "but its first process has %s (%s) instead of %s",
				      limits_text(limits.soft, have), limits.where,
				      limits_text(container->plan.memlock, want)));
}

static int look_at_bundle(void *context, const struct bundle *bundle)
{
	cleanup_container container = CONTAINER_NONE;
	struct scan *scan = context;
	struct err ignored;
	bool with;
	int status;

	container.id = bundle->id;
	if (!bundle->config ||
	    !bundle_has_process(&container.arena, scan->doctor->node.root, bundle))
		return 0;
	status = plan_of_config(scan->doctor, bundle->config, bundle->id, false, &container,
				&ignored);
	with = devices_any(&container.devices);
	if (status > 0 && with && container.plan.decision == DECISION_GRANT &&
	    container.plan.memlock)
		return add_granted(scan, &container, bundle->pid);
	if (status <= 0 || !with || container.plan.decision != DECISION_DENIED) {
		scan->unknown += container.doubt && with;
		return 0;
	}
	scan->denied++;
	return add_named(
		scan, &container, "denied", FINDING_WARN,
		"Allow it in config.json, or take the annotation from the pod",
		arena_printf(scan->findings->arena, "and gets nothing: %s", container.plan.reason));
}

static int add_sum(const struct scan *scan)
{
	if (!scan->denied &&
	    findings_add(scan->findings, "denied", NULL, FINDING_OK, NULL,
			 "no container that asks and has an RDMA device is denied") < 0)
		return -1;
	if (scan->lacking)
		return 0;
	if (scan->unknown)
		return findings_add(
			scan->findings, "missed", NULL, FINDING_UNCHECKED,
			"oci-rdma-doctor --container ID says for each how to find out",
			"containers of containerd with an RDMA device, of which it is not known "
			"whether they ask: %zu; each of %zu others has its limit",
			scan->unknown, scan->looked_at);
	return findings_add(
		scan->findings, "missed", NULL, FINDING_OK, NULL,
		"of the node's containers %zu ask and have an RDMA device; each has its limit",
		scan->looked_at);
}

int check_missed(const struct doctor *doctor, struct findings *findings)
{
	struct scan scan = {.doctor = doctor, .findings = findings};

	/* plan_memlock covers it. */
	if (doctor->target.id || doctor->target.pid)
		return 0;
	return bundle_each(findings->arena, doctor->node.root, look_at_bundle, &scan) < 0 ||
			       add_sum(&scan) < 0
		       ? -1
		       : 0;
}
