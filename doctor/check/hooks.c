/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks.d files of CRI-O and podman (containers/common, pkg/hooks/docs/oci-hooks.5.md): of
 * ours, what --check-config says; of others, what keeps CRI-O from starting, and with it our hook.
 */
#include "admin/engine/engine.h"
#include "admin/installation/installation.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/deadline.h"
#include "core/policy/policy.h"
#include "doctor/check/check.h"
#include "explain/ways.h"

struct context {
	const struct doctor *doctor;
	struct findings *findings;
	struct crio crio;
	struct config config;
	bool has_config; /* one that cannot be read is check_policy's */
	bool own_create;
	bool own_poststart;
};

/* A timeout that is too short is no reason for an engine to drop it: said, if all else is right. */
static int add_own(struct context *context, const struct hooks_found *found)
{
	const struct hooks_file *own = &found->file;
	const char *stages;
	struct err why;

	if (found->problem)
		return findings_add(context->findings, "hook_file", found->path, FINDING_FAIL,
				    "Correct it, then check it: oci-rdma-admin --check-config",
				    "%s", found->problem);
	context->own_create |= (own->stages & ~(unsigned)HOOKS_POSTSTART) != 0;
	context->own_poststart |= (own->stages & HOOKS_POSTSTART) != 0;
	if (hooks_file_check_timeout(own, DEADLINE_SECONDS, found->path, &why) < 0 ||
	    (context->has_config &&
	     hooks_file_check_opt_in(own, &context->config, found->path, &why) < 0))
		return findings_add(context->findings, "hook_file", found->path, FINDING_WARN,
				    "Correct it, then check it: oci-rdma-admin --check-config",
				    "%s", why.text);
	stages = hooks_stages_text(context->findings->arena, own->stages);
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
		return findings_add(context->findings, "hook_file", found->path, FINDING_FAIL,
				    "Move it to a directory that only podman reads (--hooks-dir)",
				    "stage precreate, where CRI-O reads: CRI-O will not start "
				    "again");
	if (!found->ours)
		return 0;
	if (found->override)
		return findings_add(context->findings, "hook_file", found->path, FINDING_OK, NULL,
				    "not in force: %s has the same name and is read later",
				    found->override);
	return add_own(context, found);
}

static int check_hooks_files(struct context *context, struct err *err)
{
	int root = context->doctor->node.root;
	const struct hooks_place place = {
		.root = root,
		.sysroot = root,
		.crio_dirs = context->crio.hooks_dirs.item,
		.crio_default = context->crio.installed && !context->crio.hooks_dirs.file,
		.timeout_min = -1,
	};
	struct hooks_found *found;
	size_t n;

	if (hooks_list(context->findings->arena, &place, &found, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (add_found(context, &found[i]) < 0)
			return err_memory(err);
	}
	return 0;
}

/* Another entry point needs no hook. */
static int add_without_hook(const struct context *context, struct err *err)
{
	const struct node *node = &context->doctor->node;
	unsigned ways;

	if (ways_find(context->findings->arena, node->root, node->recorded, &ways, err) < 0)
		return -1;
	if (ways & (WAY_SHIM | WAY_NRI))
		return findings_add(context->findings, "hook_installed", NULL, FINDING_OK, NULL,
				    ways & WAY_NRI
					    ? "there is no hook; the NRI plugin is connected and "
					      "serves the pods"
					    : "there is no hook; pods with the shim's handler are "
					      "served by it");
	return findings_add(context->findings, "hook_installed", NULL, FINDING_WARN,
			    "Install what doc/entry-points.md names for the engine of this node: "
			    "on OpenShift make machineconfig, for podman make install, for "
			    "containerd the NRI plugin",
			    "no hooks.d file that is in force runs %s, so that containers keep the "
			    "engine's limit",
			    HOOK_NAME);
}

static int add_installed(const struct context *context, struct err *err)
{
	if (context->own_create && context->own_poststart)
		return findings_add(context->findings, "hook_installed", NULL, FINDING_OK, NULL,
				    "%s is installed for createRuntime and poststart", HOOK_NAME);
	if (context->own_create)
		return findings_add(context->findings, "hook_installed", NULL, FINDING_WARN,
				    "Run make install, which installs both files",
				    "%s is installed for createRuntime, but not for poststart: if "
				    "a spec lists limits, runc sets them after createRuntime",
				    HOOK_NAME);
	return add_without_hook(context, err);
}

int check_hooks(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	struct context context = {.doctor = doctor, .findings = findings};
	struct err ignored;

	if (crio_read(findings->arena, doctor->node.root, &context.crio, err) < 0)
		return -1;
	context.has_config =
		config_load(findings->arena, doctor->node.root, doctor->options.common.config,
			    &context.config, &ignored) == 0;
	if (check_hooks_files(&context, err) < 0)
		return -1;
	return add_installed(&context, err) < 0 ? err_memory(err) : 0;
}
