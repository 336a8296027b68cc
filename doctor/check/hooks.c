/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks.d files of CRI-O and podman (containers/common, pkg/hooks/docs/oci-hooks.5.md): of all,
 * what keeps an engine from starting or drops the hook; of ours, what --check-config says.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "admin/engine/engine.h"
#include "admin/installation/installation.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/deadline.h"
#include "core/json/document.h"
#include "core/nri_status.h"
#include "core/policy/policy.h"
#include "doctor/check/check.h"

enum stage {
	STAGE_PRECREATE,
	STAGE_PRESTART,
	STAGE_CREATE_RUNTIME,
	STAGE_CREATE_CONTAINER,
	STAGE_START_CONTAINER,
	STAGE_POSTSTART,
	STAGE_POSTSTOP,
	STAGES,
};

static const char *const stage_names[STAGES] = {
	"precreate",      "prestart",  "createRuntime", "createContainer",
	"startContainer", "poststart", "poststop",
};

struct hook {
	const char *version;
	const char *path;
	unsigned stages;     /* bit n is enum stage */
	const char *unknown; /* a stage that is none; NULL */
	bool has_when;
};

/* A file, in the order in which the directories are read */
struct found {
	const char *file;
	bool crio_reads;
	struct hook hook;
	const char *fault; /* CRI-O does not start with it; NULL */
	int status;        /* negative: -errno, it cannot be read */
};

struct context {
	const struct doctor *doctor;
	struct findings *findings;
	struct crio crio;
	struct found *found;
	size_t n;
	size_t room;
	unsigned own_shown; /* HOOKS_*: stages in which we see every container */
	bool own_create;
	bool own_poststart;
};

/* ---- one file ---- */

static void read_stages(struct json_document *doc, const struct json_node *stages,
			struct hook *hook)
{
	json_each(item, stages) {
		const char *name = json_string(doc, item);
		int i = 0;

		while (i < STAGES && strcmp(stage_names[i], name) != 0)
			i++;
		if (i < STAGES)
			hook->stages |= 1U << i;
		else
			hook->unknown = name;
	}
}

static int parse_hook(struct arena *arena, const char *file, const struct fs_text *text,
		      struct hook *hook, struct err *err)
{
	struct json_document doc;
	const struct json_node *command;

	if (json_parse(&doc, arena, file, text->bytes, text->len, 0, err) < 0)
		return -1;
	command = json_get(&doc, doc.root, "hook", JSON_OBJECT);
	hook->version = json_string(&doc, json_get(&doc, doc.root, "version", JSON_STRING));
	hook->path = json_string(&doc, json_get(&doc, command, "path", JSON_STRING));
	hook->has_when = json_get(&doc, doc.root, "when", JSON_OBJECT) != NULL;
	read_stages(&doc, json_get(&doc, doc.root, "stages", JSON_ARRAY), hook);
	return doc.failed ? -1 : 0;
}

static int add_bad(const struct context *context, const char *file, const char *why)
{
	return findings_add(context->findings, "hook_file", file, FINDING_FAIL,
			    "Correct or remove the file: a running CRI-O skips it, but CRI-O will "
			    "not start again with it",
			    "%s", why);
}

static const char *fault_of(const struct hook *hook, struct arena *arena)
{
	if (!hook->version || strcmp(hook->version, "1.0.0") != 0)
		return "\"version\" is not \"1.0.0\"";
	if (!hook->path || hook->path[0] != '/')
		return "\"hook\".\"path\" is not absolute";
	if (!hook->has_when)
		return "no \"when\"";
	if (hook->unknown)
		return arena_printf(arena, "stage \"%s\" does not exist", hook->unknown);
	return hook->stages ? NULL : "no \"stages\"";
}

static const char *print_stages(const struct hook *hook, struct arena *arena)
{
	const char *text = "";

	for (int i = 0; i < STAGES && text; i++) {
		if (hook->stages >> i & 1)
			text = arena_printf(arena, "%s%s%s", text, text[0] ? ", " : "",
					    stage_names[i]);
	}
	return text;
}

/* Returns 1 if something is wrong, which is then said. */
static int add_others(const struct context *context, const char *file, const struct hook *hook)
{
	int status = tree_check_executable(context->doctor->node.root, hook->path);

	if (status == 0)
		return 0;
	return findings_add(
		       context->findings, "hook_file", file, FINDING_FAIL,
		       status == -EACCES ? "Run chmod 755 on it, or install it again"
					 : "Install the program, or remove the hooks.d file",
		       "path %s: %s: CRI-O skips the hook silently, and podman starts no container",
		       hook->path, strerror(-status)) < 0
		       ? -1
		       : 1;
}

/* The same. A timeout that is too short is no reason for an engine to drop it: said, if all else is
 * right. */
static int add_own(struct context *context, const char *file)
{
	int root = context->doctor->node.root;
	const struct hooks_place place = {
		.root = root,
		.sysroot = root,
		.crio_dirs = crio_list_hooks_dirs(context->findings->arena, &context->crio),
		.timeout_min = -1,
	};
	struct hooks_file own;
	struct err why;
	enum finding_status status = FINDING_FAIL;

	if (hooks_check(context->findings->arena, &place, file, &own, &why) == 0) {
		status = FINDING_WARN;
		context->own_shown |= own.always ? own.stages : 0;
		context->own_create |= (own.stages & ~(unsigned)HOOKS_POSTSTART) != 0;
		context->own_poststart |= (own.stages & HOOKS_POSTSTART) != 0;
		if (hooks_file_check_timeout(&own, DEADLINE_SECONDS, file, &why) == 0)
			return 0;
	}
	return findings_add(context->findings, "hook_file", file, status,
			    "Correct it, then check it: oci-rdma-admin --check-config", "%s",
			    why.text) < 0
		       ? -1
		       : 1;
}

static int add_hook(struct context *context, const struct found *found)
{
	const struct hook *hook = &found->hook;
	const char *listed = print_stages(hook, context->findings->arena);
	bool ours = strcmp(text_base_name(hook->path), HOOK_NAME) == 0;
	int wrong;

	if (!listed)
		return -1;
	wrong = ours ? add_own(context, found->file) : add_others(context, found->file, hook);
	if (wrong)
		return wrong < 0 ? -1 : 0;
	if ((hook->stages >> STAGE_CREATE_RUNTIME & 1) && (hook->stages >> STAGE_PRESTART & 1))
		return findings_add(context->findings, "hook_file", found->file, FINDING_WARN,
				    "Keep only one of the two stages",
				    "stages %s: createRuntime and prestart both run, so the hook "
				    "runs twice",
				    listed);
	return findings_add(context->findings, "hook_file", found->file, FINDING_OK, NULL,
			    "%s for %s", hook->path, listed);
}

/* ---- which of one name is in force ---- */

/* The engine has the file for a hook (containers/common, pkg/hooks/read.go): not if its program is
 * missing. */
static bool is_taken(const struct context *context, const struct found *found)
{
	return found->status >= 0 && !found->fault &&
	       tree_check_executable(context->doctor->node.root, found->hook.path) != -ENOENT;
}

/*
 * oci-hooks(5): of files of one name that in the directory that is read last wins. NULL: it is in
 * force, or would be. Directories that CRI-O does not read are podman's.
 */
static const char *find_override(const struct context *context, const struct found *found)
{
	const char *name = text_base_name(found->file);
	const char *last = NULL;

	for (const struct found *f = found + 1; f < context->found + context->n; f++) {
		if (f->crio_reads == found->crio_reads &&
		    strcmp(text_base_name(f->file), name) == 0 &&
		    strcmp(f->file, found->file) != 0 && is_taken(context, f))
			last = f->file;
	}
	return last;
}

static int add_found(struct context *context, const struct found *found)
{
	const char *override;

	if (found->status < 0)
		return findings_add(context->findings, "hook_file", found->file, FINDING_UNCHECKED,
				    NULL, "%s", strerror(-found->status));
	if (found->fault)
		return add_bad(context, found->file, found->fault);
	if (found->crio_reads && (found->hook.stages >> STAGE_PRECREATE & 1))
		return findings_add(context->findings, "hook_file", found->file, FINDING_FAIL,
				    "Move it to a directory that only podman reads (--hooks-dir)",
				    "stage precreate, where CRI-O reads: CRI-O will not start "
				    "again");
	override = find_override(context, found);
	if (override)
		return findings_add(context->findings, "hook_file", found->file, FINDING_OK, NULL,
				    "not in force: %s has the same name and is read later",
				    override);
	return add_hook(context, found);
}

/* ---- all directories ---- */

static int read_hook(struct context *context, const char *file, bool crio_reads)
{
	struct arena *arena = context->findings->arena;
	struct found *larger =
		arena_grow(arena, context->found, context->n, &context->room, sizeof(*larger));
	struct found found = {.file = file, .crio_reads = crio_reads};
	struct fs_text text;
	struct err why;

	if (!larger)
		return -1;
	found.status =
		tree_read(arena, context->doctor->node.root, file, HOOKS_FILE_SIZE_MAX, &text);
	if (found.status >= 0 && parse_hook(arena, file, &text, &found.hook, &why) < 0) {
		found.fault = arena_strdup(arena, why.text);
		if (!found.fault)
			return -1;
	} else if (found.status >= 0) {
		found.fault = fault_of(&found.hook, arena);
	}
	context->found = larger;
	context->found[context->n++] = found;
	return 0;
}

static int read_dir(struct context *context, const char *dir, bool crio_reads)
{
	struct arena *arena = context->findings->arena;
	const char **names;
	/* Also hidden ones: the engines look at the ending alone (pkg/hooks/read.go, ReadDir). */
	int n = tree_list_all(arena, context->doctor->node.root, dir, ".json", &names);

	for (int i = 0; i < n; i++) {
		char *file = arena_printf(arena, "%s/%s", dir, names[i]);

		if (!file || read_hook(context, file, crio_reads) < 0)
			return -1;
	}
	return n < 0 ? -1 : 0;
}

static bool crio_lists(const struct crio *crio, const char *dir)
{
	for (size_t i = 0; i < crio->hooks_dirs.n; i++) {
		if (strcmp(crio->hooks_dirs.item[i], dir) == 0)
			return true;
	}
	return false;
}

/* In CRI-O's order; then podman's directories, in podman's (libpod: hooks.DefaultDir, OverrideDir)
 */
static int read_dirs(struct context *context)
{
	const struct crio *crio = &context->crio;
	bool by_default = crio->installed && !crio->hooks_dirs.file;
	size_t n = 0;

	for (size_t i = 0; i < crio->hooks_dirs.n; i++) {
		if (read_dir(context, crio->hooks_dirs.item[i], true) < 0)
			return -1;
	}
	while (hooks_dirs[n])
		n++;
	while (n-- > 0) {
		if (!crio_lists(crio, hooks_dirs[n]) &&
		    read_dir(context, hooks_dirs[n], by_default) < 0)
			return -1;
	}
	return 0;
}

static int check_files(struct context *context)
{
	for (size_t i = 0; i < context->n; i++) {
		if (add_found(context, &context->found[i]) < 0)
			return -1;
	}
	return 0;
}

/* Another entry point, which needs no hook */
static const char *find_other_way(const struct context *context)
{
	for (size_t i = 0; i < context->crio.n_handlers; i++) {
		const char *runtime = context->crio.handler[i].runtime_path;

		if (names_shim(runtime))
			return context->crio.handler[i].name;
	}
	return NULL;
}

/* A policy that cannot be read is check_policy's. */
static bool wants_all(const struct context *context)
{
	struct config config;
	struct err ignored;

	return config_load(context->findings->arena, context->doctor->node.root,
			   context->doctor->options.common.config, &config, &ignored) == 0 &&
	       config.opt_in == OPT_IN_DEVICE;
}

static bool has_nri_plugin(const struct context *context)
{
	const struct node *node = &context->doctor->node;
	struct nri_status status;
	struct err ignored;

	return nri_status_find(context->findings->arena, node->root, node->recorded, &status,
			       &ignored) == 0 &&
	       status.since;
}

static int add_without_hook(const struct context *context)
{
	const char *handler = find_other_way(context);

	if (handler)
		return findings_add(
			context->findings, "hook_installed", NULL, FINDING_OK, NULL,
			"there is no hook; pods with the handler %s are served by the shim",
			handler);
	if (has_nri_plugin(context))
		return findings_add(
			context->findings, "hook_installed", NULL, FINDING_OK, NULL,
			"there is no hook; the NRI plugin is connected and serves the pods");
	return findings_add(context->findings, "hook_installed", NULL, FINDING_WARN,
			    "Install what doc/entry-points.md names for the engine of this node: "
			    "on OpenShift make machineconfig, for podman make install, for "
			    "containerd the NRI plugin",
			    "no hooks.d file that is in force runs %s, so that containers keep the "
			    "engine's limit",
			    HOOK_NAME);
}

static int add_installed(const struct context *context)
{
	if (context->own_create && wants_all(context) &&
	    !(context->own_shown & (HOOKS_CREATE_RUNTIME | HOOKS_PRESTART)))
		return findings_add(
			context->findings, "hook_installed", NULL, FINDING_WARN,
			"Install the files of hooks.d/device: make install HOOKS=device",
			"\"opt_in\" is \"device\", but the hooks.d files run the hook only for "
			"annotated containers");
	if (context->own_create && context->own_poststart)
		return findings_add(context->findings, "hook_installed", NULL, FINDING_OK, NULL,
				    "%s is installed for createRuntime and poststart", HOOK_NAME);
	if (context->own_create)
		return findings_add(context->findings, "hook_installed", NULL, FINDING_WARN,
				    "Run make install, which installs both files",
				    "%s is installed for createRuntime, but not for poststart: if "
				    "a spec lists limits, runc sets them after createRuntime",
				    HOOK_NAME);
	return add_without_hook(context);
}

int check_hooks(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	struct context context = {.doctor = doctor, .findings = findings};

	if (crio_read(findings->arena, doctor->node.root, &context.crio, err) < 0)
		return -1;
	if (read_dirs(&context) < 0 || check_files(&context) < 0 || add_installed(&context) < 0)
		return err_memory(err);
	return 0;
}
