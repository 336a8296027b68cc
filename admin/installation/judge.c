/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/installation/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "admin/engine/containerd.h"
#include "admin/engine/crio.h"
#include "admin/engine/docker.h"
#include "admin/engine/engine.h"
#include "admin/installation/config_check.h"
#include "admin/installation/handler.h"
#include "admin/installation/hooks_dir.h"
#include "admin/installation/hooks_file.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/deadline.h"
#include "core/policy/policy.h"
#include "core/policy/runtimes.h"
#include "explain/entry_points.h"
#include "lib/files.h"

#define CORRECT "Correct it, then check it: oci-rdma-admin --check-config"
#define OWN_HANDLER "Give the shim a handler of its own and a RuntimeClass"
#define RESTART_CONTAINERD "Correct the file, then run: systemctl restart containerd"
#define DOCKER_FILE "/" DOCKER_CONFIG

struct judge {
	int root;
	bool recorded;
	struct findings *findings;
	struct crio crio;
	struct config config;
	bool has_config; /* judge_policy() reports an unreadable one */
	unsigned stages;
};

static int fail_policy(struct findings *findings, const char *remedy, const struct err *why)
{
	const char *text = why->text;
	const char *more = why->more;

	while (text && *text) {
		size_t len = strcspn(text, "\n");

		if (findings_add(findings, "policy", NULL, FINDING_FAIL, remedy, "%.*s", (int)len,
				 text) < 0)
			return -1;
		text += len + (text[len] == '\n');
		if (!*text) {
			text = more;
			more = NULL;
		}
	}
	return 0;
}

static int judge_runtimes(int root, struct findings *findings)
{
	struct err why;

	if (!tree_exists(root, RUNTIMES_PATH))
		return 0;
	if (runtimes_check(findings->arena, root, &why) < 0)
		return findings_add(findings, "policy", "/" RUNTIMES_PATH, FINDING_FAIL, CORRECT,
				    "%s", why.text);
	return findings_add(findings, "policy", "/" RUNTIMES_PATH, FINDING_OK, NULL,
			    "names a runtime for the shim");
}

int judge_policy(int root, const char *config, struct findings *findings)
{
	struct config policy;
	struct err why;
	int status;

	if (config_load(findings->arena, root, config, &policy, &why) < 0)
		status = fail_policy(
			findings, "Correct it: until then no container is granted anything", &why);
	else if (config_check(&policy, &why) < 0)
		status = fail_policy(findings, CORRECT, &why);
	else if (!config && !tree_exists(root, CONFIG_PATH))
		status = findings_add(findings, "policy", NULL, FINDING_OK, NULL,
				      "there is no /%s, so that the defaults apply (opt in by "
				      "annotation, unlimited memlock)",
				      CONFIG_PATH);
	else
		status = findings_add(
			findings, "policy", NULL, FINDING_OK, NULL, "valid, opt in by %s (%s)",
			policy.opt_in == OPT_IN_DEVICE ? "device" : "annotation", policy.path);
	return status < 0 ? -1 : judge_runtimes(root, findings);
}

static int add_handler(const struct judge *judge, const char *id, const char *name,
		       const char *program, const char *file, const char *why, const char *remedy)
{
	return findings_add(judge->findings, id, name, why ? FINDING_WARN : FINDING_OK, remedy,
			    "%s (%s)%s%s", program, file, why ? ": " : "", why ? why : "");
}

static int judge_crio_handler(const struct judge *judge, const struct crio_handler *handler)
{
	static const char id[] = "crio_handler";
	static const char *const remedies[] = {
		[HANDLER_NO_PROGRAM] = "Install the program, or remove the drop-in, then run: "
				       "systemctl reload crio",
		[HANDLER_NO_MONITOR] = "Write the drop-in again with oci-rdma-admin --crio-handler "
				       "SHIM, then run: systemctl restart crio",
		[HANDLER_OTHER_RUNTIME] = CORRECT,
	};
	const char *default_runtime = judge->crio.default_runtime;
	struct findings *findings = judge->findings;
	struct handler_verdict verdict;
	const char *remedy = NULL;
	const char *why = NULL;

	handler_judge_crio(findings->arena, judge->root, &judge->crio, handler, &verdict);
	if (verdict.fault)
		return findings_add(findings, id, handler->name, FINDING_FAIL,
				    remedies[verdict.fault], "%s", verdict.why.text);
	if (default_runtime && strcmp(default_runtime, handler->name) == 0) {
		why = "it is the default handler: if that file were missing, CRI-O would not start";
		remedy = OWN_HANDLER;
	} else if (text_starts_with(handler->name, "nvidia")) {
		why = "NVIDIA's runtime does not search below a handler whose name begins with "
		      "nvidia";
		remedy = "Rename the handler to rdma";
	}
	return add_handler(judge, id, handler->name, handler->runtime_path, handler->file, why,
			   remedy);
}

/* default_ulimits: "memlock=-1:-1" (go-units, ParseUlimit) */
static int judge_ulimits(const struct judge *judge)
{
	static const char id[] = "crio_ulimits";
	static const char name[] = "memlock=";
	const struct crio_list *ulimits = &judge->crio.ulimits;
	const char *entry = NULL;

	for (size_t i = 0; i < ulimits->n && !entry; i++) {
		if (text_starts_with(ulimits->item[i], name))
			entry = ulimits->item[i];
	}
	if (!entry)
		return findings_add(judge->findings, id, NULL, FINDING_OK, NULL,
				    "default_ulimits has no memlock, so that containers inherit "
				    "the limit of CRI-O, unless an entry point raises it");
	if (strtoll(entry + strlen(name), NULL, 10) == -1)
		return findings_add(
			judge->findings, id, NULL, FINDING_OK, NULL,
			"%s (%s): every container has an unlimited limit, in an exec as well",
			entry, ulimits->file);
	return findings_add(judge->findings, id, NULL, FINDING_WARN,
			    "Remove memlock from default_ulimits, or set memlock=-1:-1, then run: "
			    "systemctl restart crio",
			    "%s (%s) is in the spec of every container: an exec gets this limit, "
			    "and runc applies it after a createRuntime hook has raised the limit",
			    entry, ulimits->file);
}

static int judge_crio(const struct judge *judge)
{
	const struct crio *crio = &judge->crio;

	for (size_t i = 0; i < crio->n_problems; i++) {
		if (findings_add(judge->findings, "crio_config", NULL, FINDING_FAIL,
				 "Correct it: CRI-O will not start again with this file", "%s",
				 crio->problem[i]) < 0)
			return -1;
	}
	if (crio->installed && judge_ulimits(judge) < 0)
		return -1;
	for (size_t i = 0; i < crio->n_handlers; i++) {
		if (is_shim_name(crio->handler[i].runtime_path) &&
		    judge_crio_handler(judge, &crio->handler[i]) < 0)
			return -1;
	}
	return 0;
}

static int judge_containerd_handler(const struct judge *judge, const struct containerd *containerd,
				    const struct containerd_handler *handler)
{
	static const char id[] = "containerd_handler";
	struct findings *findings = judge->findings;
	struct handler_verdict verdict;
	const char *remedy = NULL;
	const char *why = NULL;

	handler_judge_containerd(findings->arena, judge->root, containerd, handler, &judge->config,
				 &verdict);
	if (verdict.fault)
		return findings_add(findings, id, handler->name, FINDING_FAIL, RESTART_CONTAINERD,
				    "%s", verdict.why.text);
	if (strcmp(containerd->default_runtime, handler->name) == 0) {
		why = "it is the default handler: if that file were missing, no pod of this node "
		      "would start";
		remedy = OWN_HANDLER;
	} else if (verdict.replaced_by) {
		/* The files do not show which containerd runs. */
		why = arena_printf(findings->arena,
				   "%s, which is imported, %s: its tables take the place of these",
				   verdict.replaced_by,
				   containerd->version == 3 ? "has another version"
							    : "comes later; in containerd 1.x");
		remedy = "Append the handler to that file, then: systemctl restart containerd";
	}
	return add_handler(judge, id, handler->name, handler->binary, handler->file, why, remedy);
}

static int judge_containerd(const struct judge *judge)
{
	struct findings *findings = judge->findings;
	struct containerd containerd;
	struct err why;

	if (!tree_exists(judge->root, CONTAINERD_CONFIG))
		return 0;
	if (containerd_read(findings->arena, judge->root, CONTAINERD_CONFIG, &containerd, &why) < 0)
		return findings_add(findings, "containerd_config", NULL, FINDING_FAIL,
				    "containerd config dump shows what is wrong", "%s", why.text);
	for (size_t i = 0; judge->has_config && i < containerd.n_handlers; i++) {
		if (is_shim_name(containerd.handler[i].binary) &&
		    judge_containerd_handler(judge, &containerd, &containerd.handler[i]) < 0)
			return -1;
	}
	return 0;
}

static int judge_docker_runtime(const struct judge *judge, const struct docker *docker,
				const struct docker_runtime *runtime)
{
	static const char id[] = "docker_runtime";
	bool is_default = strcmp(docker->default_runtime, runtime->name) == 0;
	struct err why;

	if (handler_check_docker(judge->findings->arena, judge->root, runtime, &why) < 0)
		return findings_add(judge->findings, id, runtime->name, FINDING_FAIL, CORRECT, "%s",
				    why.text);
	return findings_add(judge->findings, id, runtime->name, FINDING_OK, NULL,
			    "%s (" DOCKER_FILE ")%s", runtime->path,
			    is_default ? ": the default, so that without the shim no container "
					 "starts"
				       : "");
}

static int judge_docker(const struct judge *judge)
{
	struct findings *findings = judge->findings;
	struct docker docker;
	struct fs_text text;
	struct err why;

	if (tree_read(findings->arena, judge->root, DOCKER_CONFIG, ENGINE_FILE_SIZE_MAX, &text) < 0)
		return 0;
	/* An unreadable file that names us: cut off while adding our entry. */
	if (docker_read_text(findings->arena, &text, &docker, &why) < 0)
		return strstr(text.bytes, SHIM_NAME)
			       ? findings_add(findings, "docker_config", NULL, FINDING_FAIL,
					      "Correct it: Docker will not start again with this "
					      "file",
					      "%s", why.text)
			       : 0;
	for (size_t i = 0; i < docker.n_runtimes; i++) {
		if (is_shim_name(docker.runtime[i].path) &&
		    judge_docker_runtime(judge, &docker, &docker.runtime[i]) < 0)
			return -1;
	}
	/* Docker's default is ours without an entry: removed, or not added yet
	 * (daemon/runtime_unix.go, setupRuntimes; `dockerd --validate` accepts it). */
	if (docker_find_runtime(&docker, docker.default_runtime) ||
	    !names_handler(docker.default_runtime))
		return 0;
	return findings_add(findings, "docker_config", NULL, FINDING_FAIL,
			    "Add that runtime, or name another",
			    DOCKER_FILE ": default-runtime %.64s is not among its runtimes, so "
					"that Docker does not start",
			    docker.default_runtime);
}

/* shown: stages where a file shows us every container */
static int judge_own(struct judge *judge, const struct hooks_found *found, unsigned shown)
{
	static const char id[] = "hook_file";
	const struct hooks_file *own = &found->file;
	struct findings *findings = judge->findings;
	const char *stages = hooks_stages_text(findings->arena, own->stages);
	const char *problem = found->problem ? found->problem : found->unread;
	struct err why;

	if (problem)
		return findings_add(findings, id, found->path, FINDING_FAIL, CORRECT, "%s",
				    problem);
	judge->stages |= own->stages;
	/* Engines accept a short timeout, and run the hook. */
	if (hooks_file_check_timeout(own, DEADLINE_SECONDS, found->path, &why) < 0 ||
	    (judge->has_config &&
	     hooks_file_check_opt_in(own, shown, &judge->config, found->path, &why) < 0))
		return findings_add(findings, id, found->path, FINDING_FAIL, CORRECT, "%s",
				    why.text);
	return stages ? findings_add(findings, id, found->path, FINDING_OK, NULL, "%s for %s",
				     own->path, stages)
		      : -1;
}

static int judge_hooks_file(struct judge *judge, const struct hooks_found *found, unsigned shown)
{
	static const char id[] = "hook_file";
	struct findings *findings = judge->findings;

	if (found->fault)
		return findings_add(findings, id, found->path, FINDING_FAIL,
				    "Correct or remove the file: a running CRI-O skips it, but "
				    "CRI-O will not start again with it",
				    "%s", found->fault);
	if (found->crio_reads && found->file.stages & HOOKS_PRECREATE)
		return findings_add(
			findings, id, found->path, FINDING_FAIL,
			"Move it to a directory that only podman reads (--hooks-dir)",
			"stage precreate, where CRI-O reads: CRI-O will not start again");
	if (!found->ours)
		return 0;
	if (found->override)
		return findings_add(findings, id, found->path, FINDING_OK, NULL,
				    "not in force: %s has the same name and is read later",
				    found->override);
	return judge_own(judge, found, shown);
}

/* Other entry points need no hook. */
static int judge_installed(const struct judge *judge)
{
	static const char id[] = "hook_installed";
	struct findings *findings = judge->findings;
	unsigned ways;

	if (judge->stages & HOOKS_POSTSTART && judge->stages & ~(unsigned)HOOKS_POSTSTART)
		return findings_add(findings, id, NULL, FINDING_OK, NULL,
				    "%s is installed for createRuntime and poststart", HOOK_NAME);
	if (judge->stages & ~(unsigned)HOOKS_POSTSTART)
		return findings_add(findings, id, NULL, FINDING_WARN,
				    "Run make install, which installs both files",
				    "%s is installed for createRuntime, but not for poststart: if "
				    "a spec lists limits, runc sets them after createRuntime",
				    HOOK_NAME);
	if (ways_find(findings->arena, judge->root, judge->recorded, &ways, &findings->err) < 0)
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

static int judge_hooks(struct judge *judge)
{
	const struct hooks_place place = {
		.root = judge->root,
		.sysroot = judge->root,
		.crio_dirs = judge->crio.hooks_dirs.item,
		.timeout_min = -1,
	};
	struct findings *findings = judge->findings;
	struct hooks_found *found;
	unsigned shown = 0;
	size_t n;

	if (hooks_list(findings->arena, &place, &found, &n, &findings->err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct hooks_found *f = &found[i];

		if (f->ours && f->file.always && !f->problem && !f->unread && !f->override)
			shown |= f->file.stages;
	}
	for (size_t i = 0; i < n; i++) {
		if (judge_hooks_file(judge, &found[i], shown) < 0)
			return -1;
	}
	return judge_installed(judge);
}

int judge_engines(int root, bool recorded, const char *config, struct findings *findings)
{
	struct judge judge = {.root = root, .recorded = recorded, .findings = findings};
	struct arena *arena = findings->arena;
	struct err ignored;

	judge.has_config = config_load(arena, root, config, &judge.config, &ignored) == 0;
	if (crio_read(arena, root, &judge.crio, &findings->err) < 0)
		return -1;
	if (judge_crio(&judge) < 0 || judge_containerd(&judge) < 0 || judge_docker(&judge) < 0 ||
	    judge_hooks(&judge) < 0)
		return -1;
	return err_of_arena(arena, &findings->err);
}
