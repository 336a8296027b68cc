/* SPDX-License-Identifier: Apache-2.0 */

#include "explain/from_record.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/container/container.h"
#include "core/plan/plan.h"
#include "core/record/record.h"
#include "lib/nri_status.h"

/* containerd's CRI has its own namespace (core/runtime/v2/bundle.go). */
#define CRI_BUNDLES "io.containerd.runtime.v2.task/k8s.io/"
#define LOOK                                                                                       \
	"whether the pod is annotated is not in containerd's config.json: look at the pod with "   \
	"kubectl get pod -o yaml"

static int add_annotations(struct container *container, const struct record *record,
			   struct err *err)
{
	struct spec *spec = &container->spec;

	for (size_t i = 0; i < record->annotations.n; i++) {
		const struct json_pair *pair = &record->annotations.item[i];

		if (!spec_annotation(spec, pair->name) &&
		    spec_add_annotation(
			    &container->arena, spec,
			    (struct spec_annotation){.name = pair->name, .value = pair->value},
			    err) < 0)
			return -1;
	}
	return 0;
}

/* When config.json was written; "": unknown */
static void created(const struct recall *what, char text[CLOCK_UTC_SIZE])
{
	cleanup_fd fd = fs_open(what->sysroot, what->config, O_PATH, RESOLVE_IN_ROOT);
	struct stat st;

	text[0] = '\0';
	if (fd >= 0 && fstat(fd, &st) == 0)
		clock_utc(st.st_mtime, text);
}

/* Why we cannot know whether the pod asks, or NULL: a connected plugin records every container with
 * our annotation or a device. */
static const char *doubt(struct container *container, const struct recall *what)
{
	struct arena *arena = &container->arena;
	struct nri_status status = {0};
	char time[CLOCK_UTC_SIZE];
	struct err ignored;
	bool connected =
		nri_status_find(arena, what->sysroot, what->recorded, &status, &ignored) == 0 &&
		status.state == NRI_SERVES;

	created(what, time);
	if (!connected)
		return LOOK "; if it is, no entry point has served it: install one "
			    "(oci-rdma-nri --check), then delete the pod, so that it is created "
			    "again";
	/* One UTC format: text order is time order. */
	if (time[0] && strcmp(time, status.since) >= 0)
		return NULL;
	return arena_printf(arena,
			    "created %s, the NRI plugin is connected since %s: " LOOK
			    "; if it is annotated, delete the pod, so that it is created again",
			    time[0] ? time : "at an unknown time", status.since);
}

int apply_record(struct container *container, const struct recall *what, struct err *err)
{
	struct record *record = arena_alloc(&container->arena, sizeof(*record));
	int status;

	if (!record)
		return err_memory(err);
	status =
		what->id ? record_read(&container->arena, what->sysroot, what->id, record, err) : 0;
	if (status < 0)
		return -1;
	if (status > 0) {
		container->record = record;
		return add_annotations(container, record, err);
	}
	if (what->config && strstr(what->config, CRI_BUNDLES) && !container->spec.n_annotations &&
	    !container->spec.identity.sandbox)
		container->doubt = doubt(container, what);
	return 0;
}

void apply_recorded_decision(struct container *container)
{
	struct plan *plan = &container->plan;
	const struct record *record = container->record;

	if (!record) {
		/* "opt_in": "device" needs no annotation. */
		if (plan->decision != DECISION_NONE || container->request.inject != INJECT_UNSAID ||
		    container->config.opt_in != OPT_IN_ANNOTATION)
			container->doubt = NULL;
		if (container->doubt)
			plan->reason = "it is not known whether the pod asks";
		return;
	}
	if (record->reason)
		plan->reason = record->reason;
	/* Drop this node's plan: another policy decided. */
	if (record->result == RECORD_DENIED || record->result == RECORD_NOTHING)
		*plan = (struct plan){.decision = record->result == RECORD_DENIED ? DECISION_DENIED
										  : DECISION_NONE,
				      .reason = plan->reason};
	if (record->result == RECORD_GRANTED && plan->decision == DECISION_TCP)
		return;
	if (record->result == RECORD_GRANTED || record->result == RECORD_MISSED ||
	    record->result == RECORD_MENDED) {
		plan->decision = DECISION_GRANT;
		plan->memlock = record->memlock;
	}
}
