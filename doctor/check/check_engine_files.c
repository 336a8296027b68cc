/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares it. CRI-O, containerd, podman: shim handlers, CRI-O's limits, hooks.d files
 * of ours and others' that keep CRI-O from starting (containers/common,
 * pkg/hooks/docs/oci-hooks.5.md) */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "admin/engine/containerd.h"
#include "admin/engine/crio.h"
#include "admin/installation/handler.h"
#include "admin/installation/hooks_dir.h"
#include "admin/installation/hooks_file.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/deadline.h"
#include "core/policy/policy.h"
#include "doctor/check/check.h"
#include "explain/entry_points.h"
#include "lib/files.h"

#define CORRECT "Correct it, then check it: oci-rdma-admin --check-config"
#define OWN_HANDLER "Give the shim a handler of its own and a RuntimeClass"

struct context {
	int root;
	bool recorded;
	struct findings *findings;
	struct crio crio;
	struct config config;
	bool has_config; /* if unreadable, check_policy reports it */
	unsigned stages; /* of our active hooks.d files */
};

static const char *crio_fault(const struct context *context, const struct crio_handler *handler,
			      enum finding_status *ret_status, const char **ret_why)
{
	const char *default_runtime = context->crio.default_runtime;
	struct arena *arena = context->findings->arena;
	struct handler_verdict verdict;

	handler_judge_crio(arena, context->root, &context->crio, handler, &verdict);
	*ret_why = arena_strdup(arena, verdict.why.text);
	*ret_status = FINDING_FAIL;
	if (verdict.fault == HANDLER_NO_PROGRAM) {
		*ret_why = arena_printf(
			arena,
			"runtime_path %s: %s (%s): CRI-O drops the handler and refuses its pods",
			handler->runtime_path, strerror(verdict.error), handler->file);
		return "Install the program, or remove the drop-in, then run: systemctl reload "
		       "crio";
	}
	if (verdict.fault == HANDLER_NO_MONITOR) /* CRI-O will not start again */
		return "Write the drop-in again with oci-rdma-admin --crio-handler SHIM, then run: "
		       "systemctl restart crio";
	*ret_status = FINDING_WARN;
	if (verdict.fault != HANDLER_RIGHT)
		return CORRECT;
	if (default_runtime && strcmp(default_runtime, handler->name) == 0) {
		*ret_why = "it is the default handler: if that file were missing, CRI-O would not "
			   "start";
		return OWN_HANDLER;
	}
	if (text_starts_with(handler->name, "nvidia")) {
		*ret_why = "NVIDIA's runtime does not search below a handler whose name begins "
			   "with nvidia";
		return "Rename the handler to rdma";
	}
	return NULL;
}

static const char *containerd_fault(const struct context *context,
				    const struct containerd *containerd,
				    const struct containerd_handler *handler,
				    enum finding_status *ret_status, const char **ret_why)
{
	struct arena *arena = context->findings->arena;
	struct handler_verdict verdict;

	handler_judge_containerd(arena, context->root, containerd, handler, &context->config,
				 &verdict);
	*ret_why = arena_strdup(arena, verdict.why.text);
	*ret_status = verdict.fault ? FINDING_FAIL : FINDING_WARN;
	if (verdict.fault)
		return "Correct the file, then run: systemctl restart containerd";
	if (strcmp(containerd->default_runtime, handler->name) == 0) {
		*ret_why = "it is the default handler: if that file were missing, no pod of this "
			   "node would start";
		return OWN_HANDLER;
	}
	if (!verdict.replaced_by)
		return NULL;
	*ret_why = arena_printf(arena,
				"%s has a table of the same plugin, which takes the place of this "
				"one in containerd 1.x, or for its version",
				verdict.replaced_by);
	return "Append the handler to that file, then: systemctl restart containerd";
}

static int add_handler(const struct context *context, const char *id, const char *name,
		       const char *program, const char *file, enum finding_status status,
		       const char *why, const char *remedy)
{
	if (!why) /* no memory */
		return -1;
	return findings_add(context->findings, id, name, remedy ? status : FINDING_OK, remedy,
			    "%s (%s)%s%s", program, file, remedy ? ": " : "", remedy ? why : "");
}

static int check_handlers(struct context *context)
{
	struct findings *findings = context->findings;
	enum finding_status status = FINDING_OK;
	struct containerd containerd = {0};
	const char *remedy;
	const char *why;
	struct err err;

	for (size_t i = 0; i < context->crio.n_handlers; i++) {
		const struct crio_handler *handler = &context->crio.handler[i];

		if (!is_shim_name(handler->runtime_path))
			continue;
		remedy = crio_fault(context, handler, &status, &why);
		if (add_handler(context, "crio_handler", handler->name, handler->runtime_path,
				handler->file, status, why, remedy) < 0)
			return -1;
	}
	if (!tree_exists(context->root, CONTAINERD_CONFIG))
		return 0;
	if (containerd_read(findings->arena, context->root, CONTAINERD_CONFIG, &containerd, &err) <
	    0)
		return err.errnum == ENOMEM
			       ? -1
			       : findings_add(findings, "containerd_config", NULL, FINDING_FAIL,
					      "containerd config dump shows what is wrong", "%s",
					      err.text);
	for (size_t i = 0; context->has_config && i < containerd.n_handlers; i++) {
		const struct containerd_handler *handler = &containerd.handler[i];

		if (!is_shim_name(handler->binary))
			continue;
		remedy = containerd_fault(context, &containerd, handler, &status, &why);
		if (add_handler(context, "containerd_handler", handler->name, handler->binary,
				handler->file, status, why, remedy) < 0)
			return -1;
	}
	return 0;
}

/* default_ulimits: "memlock=-1:-1" (go-units, ParseUlimit) */
static int check_crio(const struct context *context)
{
	static const char name[] = "memlock=";
	const struct crio_list *ulimits = &context->crio.ulimits;
	struct findings *findings = context->findings;
	const char *entry = NULL;

	for (size_t i = 0; i < context->crio.n_problems; i++) {
		if (findings_add(findings, "crio_config", NULL, FINDING_FAIL,
				 "Correct it: CRI-O will not start again with this file", "%s",
				 context->crio.problem[i]) < 0)
			return -1;
	}
	for (size_t i = 0; i < ulimits->n && !entry; i++) {
		if (text_starts_with(ulimits->item[i], name))
			entry = ulimits->item[i];
	}
	if (!entry)
		return findings_add(findings, "crio_ulimits", NULL, FINDING_OK, NULL,
				    "default_ulimits has no memlock, so that containers inherit "
				    "the limit of CRI-O, unless an entry point raises it");
	if (strtoll(entry + strlen(name), NULL, 10) == -1)
		return findings_add(
			findings, "crio_ulimits", NULL, FINDING_OK, NULL,
			"%s (%s): every container has an unlimited limit, in an exec as well",
			entry, ulimits->file);
	return findings_add(findings, "crio_ulimits", NULL, FINDING_WARN,
			    "Remove memlock from default_ulimits, or set memlock=-1:-1, then run: "
			    "systemctl restart crio",
			    "%s (%s) is in the spec of every container: an exec gets this limit, "
			    "and runc applies it after a createRuntime hook has raised the limit",
			    entry, ulimits->file);
}

/* Report a short timeout only if all else is right: engines accept it. */
static int add_own(struct context *context, const struct hooks_found *found)
{
	const struct hooks_file *own = &found->file;
	const char *stages = hooks_stages_text(context->findings->arena, own->stages);
	struct err why;

	if (found->problem || found->unread)
		return findings_add(context->findings, "hook_file", found->path,
				    found->problem ? FINDING_FAIL : FINDING_WARN, CORRECT, "%s",
				    found->problem ? found->problem : found->unread);
	context->stages |= own->stages;
	if (hooks_file_check_timeout(own, DEADLINE_SECONDS, found->path, &why) < 0 ||
	    (context->has_config &&
	     hooks_file_check_opt_in(own, &context->config, found->path, &why) < 0))
		return findings_add(context->findings, "hook_file", found->path, FINDING_WARN,
				    CORRECT, "%s", why.text);
	return stages ? findings_add(context->findings, "hook_file", found->path, FINDING_OK, NULL,
				     "%s for %s", own->path, stages)
		      : -1;
}

static int add_found(struct context *context, const struct hooks_found *found)
{
	if (found->fault)
		return findings_add(context->findings, "hook_file", found->path, FINDING_FAIL,
				    "Correct or remove the file: a running CRI-O skips it, but "
				    "CRI-O will not start again with it",
				    "%s", found->fault);
	if (found->crio_reads && found->file.stages & HOOKS_PRECREATE)
		return findings_add(
			context->findings, "hook_file", found->path, FINDING_FAIL,
			"Move it to a directory that only podman reads (--hooks-dir)",
			"stage precreate, where CRI-O reads: CRI-O will not start again");
	if (!found->ours)
		return 0;
	if (found->override)
		return findings_add(context->findings, "hook_file", found->path, FINDING_OK, NULL,
				    "not in force: %s has the same name and is read later",
				    found->override);
	return add_own(context, found);
}

/* Other entry points need no hook. */
static int add_installed(const struct context *context, struct err *err)
{
	static const char id[] = "hook_installed";
	struct findings *findings = context->findings;
	unsigned ways;

	if (context->stages & HOOKS_POSTSTART && context->stages & ~(unsigned)HOOKS_POSTSTART)
		return findings_add(findings, id, NULL, FINDING_OK, NULL,
				    "%s is installed for createRuntime and poststart", HOOK_NAME);
	if (context->stages & ~(unsigned)HOOKS_POSTSTART)
		return findings_add(findings, id, NULL, FINDING_WARN,
				    "Run make install, which installs both files",
				    "%s is installed for createRuntime, but not for poststart: if "
				    "a spec lists limits, runc sets them after createRuntime",
				    HOOK_NAME);
	if (ways_find(findings->arena, context->root, context->recorded, &ways, err) < 0)
		return -1;
	if (ways & (WAY_SHIM | WAY_NRI))
		return findings_add(findings, id, NULL, FINDING_OK, NULL,
				    ways & WAY_NRI ? "there is no hook; the NRI plugin is "
						     "connected and serves the pods"
						   : "there is no hook; pods with the shim's "
						     "handler are served by it");
	return findings_add(
		findings, id, NULL, FINDING_WARN,
		"Install what doc/entry-points.md names for the engine of this node: OpenShift: "
		"make machineconfig, podman: make install, containerd: the NRI plugin",
		"no hooks.d file in force runs %s: containers keep the engine's limit", HOOK_NAME);
}

static int check_hooks(struct context *context, struct err *err)
{
	struct arena *arena = context->findings->arena;
	const struct hooks_place place = {
		.root = context->root,
		.sysroot = context->root,
		.crio_dirs = context->crio.hooks_dirs.item,
		.timeout_min = -1,
	};
	struct hooks_found *found;
	size_t n;

	if (hooks_list(arena, &place, &found, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (add_found(context, &found[i]) < 0)
			return -1;
	}
	return add_installed(context, err);
}

int check_engine_files(const struct doctor *doctor, struct findings *findings)
{
	struct context context = {
		.root = doctor->node.root, .recorded = doctor->node.recorded, .findings = findings};
	struct arena *arena = findings->arena;
	struct err ignored;

	context.has_config = config_load(arena, context.root, doctor->options.common.config,
					 &context.config, &ignored) == 0;
	if (crio_read(arena, context.root, &context.crio, &findings->err) < 0)
		return -1;
	return (context.crio.installed && check_crio(&context) < 0) ||
			       check_handlers(&context) < 0 ||
			       check_hooks(&context, &findings->err) < 0
		       ? -1
		       : 0;
}
