/* SPDX-License-Identifier: Apache-2.0 */
/* CRI-O, by its files: handlers that run the shim, and the limits that it gives to every container
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "admin/engine/engine.h"
#include "admin/installation/installation.h"
#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "doctor/check/check.h"

struct context {
	const struct doctor *doctor;
	struct findings *findings;
	struct crio crio;
};

/* One that works: how it could do harm */
static int add_working(const struct context *context, const struct crio_handler *handler)
{
	const char *default_runtime = context->crio.default_runtime;

	if (default_runtime && strcmp(default_runtime, handler->name) == 0)
		return findings_add(context->findings, "crio_handler", handler->name, FINDING_WARN,
				    "Give the shim a handler of its own and a RuntimeClass",
				    "runtime_path %s (%s) belongs to the default handler: if that "
				    "file were missing, CRI-O would not start",
				    handler->runtime_path, handler->file);
	if (text_starts_with(handler->name, "nvidia"))
		return findings_add(context->findings, "crio_handler", handler->name, FINDING_WARN,
				    "Rename the handler to rdma",
				    "runtime_path %s (%s): NVIDIA's runtime does not search below "
				    "a handler whose name begins with nvidia",
				    handler->runtime_path, handler->file);
	return findings_add(context->findings, "crio_handler", handler->name, FINDING_OK, NULL,
			    "runtime_path %s (%s)", handler->runtime_path, handler->file);
}

static int add_crio_handler(const struct context *context, const struct crio_handler *handler)
{
	struct handler_verdict verdict;

	handler_judge_crio(context->findings->arena, context->doctor->node.root, &context->crio,
			   handler, &verdict);
	switch (verdict.fault) {
	case HANDLER_RIGHT:
		return add_working(context, handler);
	case HANDLER_NO_PROGRAM:
		return findings_add(
			context->findings, "crio_handler", handler->name, FINDING_FAIL,
			"Install the program, or remove the drop-in, then run: systemctl "
			"reload crio",
			"runtime_path %s: %s (%s): CRI-O drops the handler, and refuses "
			"pods that name it",
			handler->runtime_path, strerror(verdict.error), handler->file);
	case HANDLER_NO_MONITOR: /* keeps CRI-O from its next start, whatever it does now */
		return findings_add(context->findings, "crio_handler", handler->name, FINDING_FAIL,
				    "Write the drop-in again with oci-rdma-admin --crio-handler "
				    "SHIM, then run: systemctl restart crio",
				    "%s", verdict.why.text);
	default:
		return findings_add(context->findings, "crio_handler", handler->name, FINDING_WARN,
				    "Correct it, then check it: oci-rdma-admin --check-config",
				    "%s", verdict.why.text);
	}
}

static bool runs_crio(int root)
{
	cleanup_dir *dir = NULL;
	const struct dirent *entry;
	bool found = false;

	if (tree_open_listing(root, "proc", &dir) < 0)
		return false;
	while (dir && !found && (entry = readdir(dir))) {
		char path[NAME_MAX + sizeof("proc//comm")];
		char name[32];

		(void)snprintf(path, sizeof(path), "proc/%s/comm", entry->d_name);
		found = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
			tree_read_line(root, path, name, sizeof(name)) >= 0 &&
			strcmp(name, "crio") == 0;
	}
	return found;
}

/* A handler of ours, and no CRI-O: the one may be the other's reason. */
static int check_handlers(const struct context *context)
{
	const struct crio_handler *ours = NULL;

	for (size_t i = 0; i < context->crio.n_handlers; i++) {
		const struct crio_handler *handler = &context->crio.handler[i];

		if (!names_shim(handler->runtime_path))
			continue;
		ours = handler;
		if (add_crio_handler(context, handler) < 0)
			return -1;
	}
	if (!ours || runs_crio(context->doctor->node.root))
		return 0;
	return findings_add(
		context->findings, "crio_running", NULL, FINDING_FAIL,
		"journalctl -u crio -n 20 shows the reason. Correct what is fail here, or "
		"remove the drop-in, then run: systemctl restart crio",
		"CRI-O is configured with the handler %s (%s), but is not running", ours->name,
		ours->file);
}

/* default_ulimits: "memlock=-1:-1" (go-units, ParseUlimit) */
static int check_ulimits(const struct context *context)
{
	static const char name[] = "memlock=";
	const struct crio_list *ulimits = &context->crio.ulimits;

	for (size_t i = 0; i < ulimits->n; i++) {
		const char *entry = ulimits->item[i];

		if (!text_starts_with(entry, name))
			continue;
		if (strtoll(entry + strlen(name), NULL, 10) == -1)
			return findings_add(
				context->findings, "crio_ulimits", NULL, FINDING_OK, NULL,
				"%s (%s): every container has an unlimited limit, in an "
				"exec as well",
				entry, ulimits->file);
		return findings_add(
			context->findings, "crio_ulimits", NULL, FINDING_WARN,
			"Remove memlock from default_ulimits, or set memlock=-1:-1, then "
			"run: systemctl restart crio",
			"%s (%s) is in the spec of every container: an exec gets this "
			"limit, and runc applies it after a createRuntime hook has raised "
			"the limit",
			entry, ulimits->file);
	}
	return findings_add(
		context->findings, "crio_ulimits", NULL, FINDING_OK, NULL,
		"default_ulimits has no memlock, so that containers inherit the limit of "
		"CRI-O and the hook raises it");
}

int check_crio(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	struct context context = {.doctor = doctor, .findings = findings};

	if (crio_read(findings->arena, doctor->node.root, &context.crio, err) < 0)
		return -1;
	if (!context.crio.installed)
		return 0;
	for (size_t i = 0; i < context.crio.n_problems; i++) {
		if (findings_add(findings, "crio_config", NULL, FINDING_FAIL,
				 "Correct it: CRI-O will not start again with this file", "%s",
				 context.crio.problem[i]) < 0)
			return err_memory(err);
	}
	return check_handlers(&context) < 0 || check_ulimits(&context) < 0 ? err_memory(err) : 0;
}
