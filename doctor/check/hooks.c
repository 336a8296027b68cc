/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks.d files of CRI-O and podman (containers/common, pkg/hooks/docs/oci-hooks.5.md): of all,
 * what keeps an engine from starting or drops the hook; of ours, what --check-config says.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "doctor/check/check.h"
#include "doctor/crio.h"
#include "doctor/file.h"
#include "policy/hooks_dir.h"
#include "run/deadline.h"
#include "json/reader.h"

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
	struct arena *arena;
};

struct look {
	const struct doctor *doctor;
	struct findings *findings;
	struct crio crio;
	bool own_create;
	bool own_poststart;
};

/* ---- one file ---- */

static int take_stage(void *context, const struct json_value *value, struct err *err)
{
	struct hook *hook = context;

	if (value->type == JSON_ARRAY)
		return 0;
	for (int i = 0; i < STAGES; i++) {
		if (strlen(stage_names[i]) == value->len &&
		    memcmp(stage_names[i], value->text, value->len) == 0) {
			hook->stages |= 1U << i;
			return 0;
		}
	}
	return json_string(hook->arena, value, &hook->unknown, err);
}

static int take_when(void *context, const struct json_value *value, struct err *err)
{
	(void)value;
	(void)err;
	((struct hook *)context)->has_when = true;
	return 0;
}

static const struct json_shape version = {
	.types = JSON_STRING, .store = JSON_STORE_STRING, .offset = offsetof(struct hook, version)};
static const struct json_shape path = {
	.types = JSON_STRING, .store = JSON_STORE_STRING, .offset = offsetof(struct hook, path)};
static const struct json_shape hook_shape = {
	.types = JSON_OBJECT, .members = (const struct json_member[]){{"path", &path}, {0}}};
static const struct json_shape stage = {.types = JSON_STRING, .take = take_stage};
static const struct json_shape stages = {.types = JSON_ARRAY, .each = &stage};
static const struct json_shape when = {.types = JSON_OBJECT, .take = take_when};
static const struct json_shape root_shape = {
	.types = JSON_OBJECT,
	.members = (const struct json_member[]){{"version", &version},
						{"hook", &hook_shape},
						{"stages", &stages},
						{"when", &when},
						{0}},
};

static int add_bad(const struct look *look, const char *file, const char *why)
{
	return findings_add(look->findings, "hook_file", file, FINDING_FAIL,
			    "Mend it or take it away: a running CRI-O skips it, and will not start "
			    "again with it",
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
static int add_others(const struct look *look, const char *file, const struct hook *hook)
{
	int status = file_executable(look->doctor->node.root, hook->path);

	if (status == 0)
		return 0;
	return findings_add(look->findings, "hook_file", file, FINDING_FAIL,
			    status == -EACCES ? "chmod 755, or install it again"
					      : "Install it, or take the file away",
			    "path %s: %s: CRI-O skips the hook without a word, podman "
			    "starts nothing",
			    hook->path, strerror(-status)) < 0
		       ? -1
		       : 1;
}

/* The same. A timeout that is too short is no reason for an engine to drop it: said, if all else is
 * right. */
static int add_own(struct look *look, const char *file)
{
	int root = look->doctor->node.root;
	struct hooks_file own;
	struct err why;
	enum finding_status status = FINDING_FAIL;

	if (hooks_check(look->findings->arena, root, root, file, -1, &own, &why) == 0) {
		status = FINDING_WARN;
		look->own_create |= (own.stages & ~(unsigned)HOOKS_POSTSTART) != 0;
		look->own_poststart |= (own.stages & HOOKS_POSTSTART) != 0;
		if (hooks_file_check_timeout(&own, DEADLINE_SECONDS, file, &why) == 0)
			return 0;
	}
	return findings_add(look->findings, "hook_file", file, status,
			    "Mend it, then: oci-rdma-hook --check-config", "%s", why.text) < 0
		       ? -1
		       : 1;
}

static int add_hook(struct look *look, const char *file, const struct hook *hook, bool crio_reads)
{
	struct arena *arena = look->findings->arena;
	const char *listed = print_stages(hook, arena);
	bool ours = strcmp(text_base_name(hook->path), HOOK_NAME) == 0;
	int wrong;

	if (!listed)
		return -1;
	if (crio_reads && (hook->stages >> STAGE_PRECREATE & 1))
		return findings_add(look->findings, "hook_file", file, FINDING_FAIL,
				    "Move it to a directory that only podman reads (--hooks-dir)",
				    "stage precreate, where CRI-O reads: CRI-O will not start "
				    "again");
	wrong = ours ? add_own(look, file) : add_others(look, file, hook);
	if (wrong)
		return wrong < 0 ? -1 : 0;
	if ((hook->stages >> STAGE_CREATE_RUNTIME & 1) && (hook->stages >> STAGE_PRESTART & 1))
		return findings_add(look->findings, "hook_file", file, FINDING_WARN,
				    "Keep one of the two",
				    "stages %s: createRuntime and prestart both run, so the hook "
				    "runs twice",
				    listed);
	return findings_add(look->findings, "hook_file", file, FINDING_OK, NULL, "%s for %s",
			    hook->path, listed);
}

static int check_file(struct look *look, const char *file, bool crio_reads)
{
	struct arena *arena = look->findings->arena;
	struct hook hook = {.arena = arena};
	struct fs_text text;
	struct err why;
	const char *fault;
	int status = file_read(arena, look->doctor->node.root, file, HOOKS_FILE_SIZE_MAX, &text);

	if (status < 0)
		return findings_add(look->findings, "hook_file", file, FINDING_UNCHECKED, NULL,
				    "%s", strerror(-status));
	if (json_read(arena, &(struct json_source){file, text.bytes, text.len, 0}, &root_shape,
		      &hook, &why) < 0)
		return add_bad(look, file, why.text);
	fault = fault_of(&hook, arena);
	return fault ? add_bad(look, file, fault) : add_hook(look, file, &hook, crio_reads);
}

/* ---- all directories ---- */

static int check_dir(struct look *look, const char *dir, bool crio_reads)
{
	struct arena *arena = look->findings->arena;
	const char **names;
	int n = file_list(arena, look->doctor->node.root, dir, ".json", &names);

	for (int i = 0; i < n; i++) {
		char *file = arena_printf(arena, "%s/%s", dir, names[i]);

		if (!file || check_file(look, file, crio_reads) < 0)
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

static int check_dirs(struct look *look)
{
	const struct crio *crio = &look->crio;

	for (size_t i = 0; i < crio->hooks_dirs.n; i++) {
		if (check_dir(look, crio->hooks_dirs.item[i], true) < 0)
			return -1;
	}
	for (const char *const *usual = hooks_dirs; *usual; usual++) {
		bool crio_reads = crio->installed && !crio->hooks_dirs.file;

		if (!crio_lists(crio, *usual) && check_dir(look, *usual, crio_reads) < 0)
			return -1;
	}
	return 0;
}

/* Another way in, which needs no hook */
static const char *find_other_way(const struct look *look)
{
	for (size_t i = 0; i < look->crio.n_handlers; i++) {
		const char *runtime = look->crio.handler[i].runtime_path;

		if (names_shim(runtime))
			return look->crio.handler[i].name;
	}
	return NULL;
}

static int add_installed(const struct look *look)
{
	const char *handler = find_other_way(look);

	if (look->own_create && look->own_poststart)
		return findings_add(look->findings, "hook_installed", NULL, FINDING_OK, NULL,
				    "%s is there for createRuntime and poststart", HOOK_NAME);
	if (look->own_create)
		return findings_add(look->findings, "hook_installed", NULL, FINDING_WARN,
				    "make install: it takes both files",
				    "%s is there for createRuntime, not for poststart: runc takes "
				    "the limits of a spec that lists one after createRuntime",
				    HOOK_NAME);
	if (handler)
		return findings_add(look->findings, "hook_installed", NULL, FINDING_OK, NULL,
				    "no hook; pods with the handler %s go through the shim",
				    handler);
	return findings_add(look->findings, "hook_installed", NULL, FINDING_WARN,
			    "make install; OpenShift: make machineconfig, then oc apply (README, "
			    "\"Install it\")",
			    "%s is in none of the hooks.d directories: containers keep the "
			    "engine's limit",
			    HOOK_NAME);
}

int check_hooks(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	struct look look = {.doctor = doctor, .findings = findings};

	if (crio_read(findings->arena, doctor->node.root, &look.crio, err) < 0)
		return -1;
	if (check_dirs(&look) < 0 || add_installed(&look) < 0)
		return err_memory(err);
	return 0;
}
