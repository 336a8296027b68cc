/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/precreate.h"

#include <stdio.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/container/container.h"
#include "core/deadline.h"
#include "core/report/log.h"
#include "hook/apply/limit.h"
#include "hook/apply/spec_edit.h"
#include "hook/confinement.h"

#define WAY_IN "precreate"
#define WHAT "config.json on stdin"

/* *ret_text: what podman is to go on with */
static int edit(struct container *container, const struct options *options, bool *ret_proven,
		struct fs_text *ret_text, struct err *err)
{
	struct applied applied = {.capabilities = true};
	struct grant grant;

	if (container_parse_spec(container, WHAT, err) < 0)
		return -1;
	/* podman's config.json says the id in the cgroup alone: "/libpod_parent/libpod-<id>" */
	if (!container->id)
		container->id = spec_cgroup_name(&container->spec);
	if (container_decide(container, options, ret_proven, err) < 0)
		return -1;
	if (container->plan.decision == DECISION_DENIED) {
		deadline_must_fail(container->plan.fail);
		log_denial(container, WAY_IN);
	}
	if (container->plan.decision == DECISION_NONE)
		log_none(container, container->plan.reason, WAY_IN);
	if (container->plan.decision != DECISION_GRANT && container->plan.decision != DECISION_TCP)
		return 0;
	grant = grant_of_plan(&container->plan);
	if (limit_grant(container, &grant, WAY_IN, err) < 0 ||
	    spec_edit(&container->arena, &container->text, &container->spec, &grant, ret_text,
		      err) < 0)
		return -1;
	applied.nccl = plan_has_new_settings(&container->plan) ? "env" : NULL;
	if (ret_text->bytes != container->text.bytes)
		log_grant(container, &applied, WAY_IN);
	return 0;
}

/* What podman gets back when time is up; set before that can be */
static struct fs_text unchanged;

static void hand_back(void)
{
	_exit(fs_write(STDOUT_FILENO, unchanged.bytes, unchanged.len) < 0);
}

/* Larger than we read: podman gets back what it sent, since the container may have no RDMA at all.
 */
static int hand_on(const struct fs_text *read_so_far)
{
	static char buffer[65536];
	ssize_t n = 0;
	int status = fs_write(STDOUT_FILENO, read_so_far->bytes, read_so_far->len);

	while (status == 0 && (n = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0)
		status = fs_write(STDOUT_FILENO, buffer, (size_t)n);
	return status < 0 || n < 0;
}

static int run(struct container *container, const struct options *options)
{
	struct fs_text text;
	struct err err;
	bool proven = false;
	bool more;
	int status;

	container->what = WHAT;
	if (fs_read_up_to(&container->arena, STDIN_FILENO, SPEC_SIZE_MAX, WHAT, &container->text,
			  &more, &err) < 0) {
		log_failure(NULL, &err, WAY_IN);
		return 1;
	}
	if (more)
		return hand_on(&container->text);
	unchanged = container->text;
	deadline_arm(hand_back);
	confine(&hook_confinement, options_directory(options));
	text = container->text;
	if (edit(container, options, &proven, &text, &err) < 0) {
		text = container->text;
		if (proven)
			log_failure(container, &err, WAY_IN);
		else
			log_none(container, err.text, WAY_IN);
		if (proven && container->has_config && container->config.fail_on_error)
			return 1;
	}
	deadline_disarm();
	if (container->plan.fail)
		return 1;
	status = fs_write(STDOUT_FILENO, text.bytes, text.len);
	if (status == 0)
		return 0;
	(void)err_sys(&err, -status, "cannot write the edited config.json to stdout");
	log_failure(container, &err, WAY_IN);
	return 1;
}

int precreate_run(const struct options *options)
{
	static struct container container; /* a caller's stack may be small */
	int status;

	container = CONTAINER_NONE;
	status = run(&container, options);
	container_free(&container);
	return status;
}
