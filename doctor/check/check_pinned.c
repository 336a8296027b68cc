/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares it. One container, or each with an RDMA device or pinned memory */
#include <inttypes.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/container/container.h"
#include "doctor/check/check.h"
#include "doctor/check/check_plan.h"
#include "explain/bundle.h"
#include "lib/pinned.h"

#define CGROUP_MAX (64 * 1024)

static int add_pinned(const struct doctor *doctor, struct findings *findings,
		      const struct pinned *pinned)
{
	const char *text = pinned_text(findings->arena, doctor->node.root, pinned);

	if (!text ||
	    findings_add(findings, "pinned", pinned->name, FINDING_OK, NULL, "%s", text) < 0)
		return -1;
	return findings_add_values(findings, "bytes=%" PRIu64 "%s%s", pinned->bytes,
				   pinned->labels ? " " : "", pinned->labels ? pinned->labels : "");
}

struct scan {
	const struct doctor *doctor;
	struct arena *arena;
	struct pinned *items;
	size_t n;
	size_t room;
	size_t n_with_device;
};

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* By id if a name has a blank, which ends a value */
static void name_container(struct arena *arena, const struct container *container,
			   struct pinned *pinned)
{
	const struct identity *identity = &container->spec.identity;

	pinned->name = plan_container_name(arena, container);
	if (!pinned->name)
		return;
	if (!strchr(pinned->name, '/') || strchr(pinned->name, ' ')) {
		pinned->name = arena_printf(arena, "%.12s", container->id);
		pinned->labels =
			arena_printf(arena, "namespace= pod= container=%.12s", container->id);
	} else {
		pinned->labels = arena_printf(arena, "namespace=%s pod=%s container=%s",
					      or_empty(identity->pod_namespace),
					      or_empty(identity->pod), or_empty(identity->name));
	}
}

static int collect(void *context, const struct bundle *bundle)
{
	cleanup_container container = CONTAINER_NONE;
	struct scan *scan = context;
	struct pinned pinned = pinned_container(scan->arena, scan->doctor->node.root, bundle->pid);
	struct pinned *added;
	struct err ignored;

	container.id = bundle->id;
	if (!bundle->config || !pinned.cgroup ||
	    !bundle_has_process(&container.arena, scan->doctor->node.root, bundle))
		return 0;
	(void)plan_of_config(scan->doctor, bundle->config, bundle->id, false, &container, &ignored);
	name_container(scan->arena, &container, &pinned);
	added = arena_push(scan->arena, scan->items, scan->n, scan->room);
	if (!pinned.name || !pinned.labels || !added)
		return -1;
	*added = pinned;
	if (devices_any(&container.devices)) {
		*added = scan->items[scan->n_with_device];
		scan->items[scan->n_with_device++] = pinned;
	}
	return 0;
}

static int add_containers(const struct doctor *doctor, struct findings *findings)
{
	struct scan scan = {.doctor = doctor, .arena = findings->arena};

	if (bundle_each(findings->arena, doctor->node.root, collect, &scan) < 0 ||
	    pinned_sum(doctor->node.root, scan.items, scan.n) < 0)
		return -1;
	for (size_t i = 0; i < scan.n; i++) {
		if ((i < scan.n_with_device || scan.items[i].bytes) &&
		    add_pinned(doctor, findings, &scan.items[i]) < 0)
			return -1;
	}
	return 0;
}

int check_pinned(const struct doctor *doctor, struct findings *findings)
{
	const struct target *target = &doctor->target;
	struct pinned pinned = {0};
	struct fs_text cgroup;

	if (!doctor->location.container && !target->id && !target->pid)
		return add_containers(doctor, findings);
	if (!target->container || target->proc < 0 ||
	    target_read(findings->arena, target, "cgroup", CGROUP_MAX, &cgroup) < 0)
		return 0;
	pinned.cgroup = cgroup.bytes;
	return pinned_sum(doctor->node.root, &pinned, 1) < 0
		       ? -1
		       : add_pinned(doctor, findings, &pinned);
}
