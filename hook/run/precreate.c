/* SPDX-License-Identifier: Apache-2.0 */
#include "run/precreate.h"

#include <stdio.h>
#include <unistd.h>

#include "apply/spec_edit.h"
#include "base/fs.h"
#include "report/log.h"
#include "run/container.h"

#define WAY_IN "precreate"
#define WHAT "config.json on stdin"

/* *ret_text: what podman is to go on with */
static int edit(struct container *container, const struct options *options, bool *ret_proven,
		struct fs_text *ret_text, struct err *err)
{
	struct applied applied = {.spec = true};
	struct grant grant;

	if (container_parse_spec(container, WHAT, err) < 0)
		return -1;
	/* podman's config.json says the id in the cgroup alone: "/libpod_parent/libpod-<id>" */
	if (!container->id)
		container->id = spec_cgroup_name(&container->spec);
	if (container_decide(container, options, ret_proven, err) < 0)
		return -1;
	if (container->plan.decision == DECISION_DENIED)
		log_denial(container, WAY_IN);
	if (container->plan.decision != DECISION_GRANT && container->plan.decision != DECISION_TCP)
		return 0;
	grant = grant_of_plan(&container->plan);
	if (container_limit_grant(container, &grant, WAY_IN, err) < 0 ||
	    spec_edit(&container->arena, &container->text, &container->spec, &grant, ret_text,
		      err) < 0)
		return -1;
	applied.memlock = grant.memlock != 0;
	if (ret_text->bytes != container->text.bytes)
		log_grant(container, &applied, WAY_IN);
	return 0;
}

int precreate_run(const struct options *options)
{
	cleanup_container container = CONTAINER_NONE;
	struct fs_text text;
	struct err err;
	bool proven = false;

	/* Larger than our bound is larger than podman would write. */
	if (fs_read(&container.arena, STDIN_FILENO, SPEC_SIZE_MAX, WHAT, &container.text, &err) <
	    0) {
		log_failure(NULL, &err, WAY_IN);
		return 1;
	}
	text = container.text;
	if (edit(&container, options, &proven, &text, &err) < 0) {
		text = container.text;
		if (proven)
			log_failure(&container, &err, WAY_IN);
		if (proven && container.has_config && container.config.fail_on_error)
			return 1;
	}
	if (container.plan.fail)
		return 1;
	return fs_write(STDOUT_FILENO, text.bytes, text.len) < 0;
}
