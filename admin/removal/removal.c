/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/removal/removal.h"

#include <stdio.h>
#include <string.h>

#include "admin/removal/conmon.h"
#include "admin/removal/containerd_tasks.h"
#include "admin/removal/needs.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/options.h"
#include "lib/files.h"

/* --crio-handler's drop-ins, removed with the shim */
#define OWN_DROPIN "/" CRIO_DROPINS "/60-oci-rdma-hook"

/* Only our drop-in goes before the executable. */
static void look_at_handlers(struct needs *needs)
{
	const struct crio *crio = &needs->crio;

	for (size_t i = 0; i < crio->n_handlers; i++) {
		const struct crio_handler *handler = &crio->handler[i];

		if (!is_shim_name(handler->runtime_path))
			continue;
		if (crio->default_runtime && strcmp(crio->default_runtime, handler->name) == 0)
			needs_say(needs,
				  "%s: handler %s is CRI-O's default (%s), and CRI-O does not "
				  "start without its program: set another default_runtime first",
				  handler->file, handler->name, crio->default_file);
		else if (!text_starts_with(handler->file, OWN_DROPIN))
			needs_say(needs,
				  "%s: handler %s runs %s: remove the handler first, then run "
				  "systemctl restart crio",
				  handler->file, handler->name, handler->runtime_path);
	}
}

static int look(struct needs *needs, struct err *err)
{
	if (crio_read(needs->arena, needs->root, &needs->crio, err) < 0)
		return -1;
	for (size_t i = 0; i < needs->crio.n_problems; i++)
		needs_say(needs, "%s: so it is not known which handlers this file has",
			  needs->crio.problem[i]);
	look_at_handlers(needs);
	find_pod_users(needs);
	find_conmon_users(needs);
	find_containerd_users(needs);
	find_docker_users(needs);
	return err_of_arena(needs->arena, err);
}

int removal_check(const struct options *options)
{
	cleanup_arena arena = {0};
	struct err err;
	cleanup_fd root = tree_open_root(options->sysroot, &err);
	struct needs needs = {.arena = &arena, .root = root};

	if (root < 0 || look(&needs, &err) < 0) {
		fprintf(stderr, ADMIN_NAME ": %s\n", err.text);
		return 1;
	}
	return needs.n ? 1 : 0;
}
