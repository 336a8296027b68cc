/* SPDX-License-Identifier: Apache-2.0 */

#include "admin/installation/hooks_file.h"

#include <limits.h>
#include <regex.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/json/document.h"
#include "core/policy/policy.h"
#include "core/spec/spec.h"

#define VERSION_READ "1.0.0"

struct reading {
	struct json_document doc;
	struct hooks_file file;
	bool ours; /* else only what engines refuse is an error */
	bool has_version;
	bool has_when;
	bool never;
	unsigned conditions;
	bool narrowed;
};

static const char *const stage_names[] = {
	"createRuntime",   "prestart",       "poststart", "precreate",
	"createContainer", "startContainer", "poststop",
};

/* stages: known ones. Returns 0 for other names. */
static unsigned stage_named(const char *name, unsigned stages)
{
	for (size_t i = 0; i < sizeof(stage_names) / sizeof(stage_names[0]); i++) {
		if (strcmp(stage_names[i], name) == 0)
			return 1U << i & stages;
	}
	return 0;
}

const char *hooks_stages_text(struct arena *arena, unsigned stages)
{
	const char *text = "";

	for (size_t i = 0; text && i < sizeof(stage_names) / sizeof(stage_names[0]); i++) {
		if (stages >> i & 1)
			text = arena_printf(arena, "%s%s%s", text, text[0] ? ", " : "",
					    stage_names[i]);
	}
	return text;
}

static void read_path(struct reading *r, const struct json_node *node)
{
	const char *path = json_string(&r->doc, node);

	if (!path)
		return;
	r->file.path = path;
	r->file.path_line = json_line(&r->doc, node);
	if (strlen(path) >= PATH_MAX)
		json_fail(&r->doc, node, "\"%.64s…\" is longer than a path can be (%d bytes)", path,
			  PATH_MAX - 1);
	if (path[0] != '/')
		json_fail(&r->doc, node, "\"%.64s\" is not an absolute path", path);
	if (r->ours && strcmp(text_base_name(path), HOOK_NAME) != 0)
		json_fail(&r->doc, node,
			  "\"%.128s\" is not " HOOK_NAME ", and this check knows no other program",
			  path);
}

static void read_hook(struct reading *r, const struct json_node *hook)
{
	static const char *const keys[] = {"path", "args", "env", "timeout", NULL};
	struct json_document *doc = &r->doc;
	const struct json_node *args = json_get(doc, hook, "args", JSON_ARRAY);
	const struct json_node *timeout = json_get(doc, hook, "timeout", JSON_NUMBER);
	size_t ignored;

	if (r->ours)
		json_known_keys(doc, hook, keys);
	read_path(r, json_get(doc, hook, "path", JSON_STRING));
	r->file.args_line = json_line(doc, args);
	r->file.args = json_strings(doc, args, &r->file.n_args);
	(void)json_strings(doc, json_get(doc, hook, "env", JSON_ARRAY), &ignored);
	if (!timeout)
		return;
	r->file.timeout_line = json_line(doc, timeout);
	r->file.timeout = json_int64(doc, timeout, 0);
	if (r->ours && (r->file.timeout < 1 || r->file.timeout > HOOKS_TIMEOUT_MAX))
		json_fail(doc, timeout, "%lld is not between 1 and %d seconds",
			  (long long)r->file.timeout, HOOKS_TIMEOUT_MAX);
}

static void read_stages(struct reading *r, const struct json_node *stages)
{
	r->file.stages_line = json_line(&r->doc, stages);
	json_each(item, stages) {
		const char *name = json_string(&r->doc, item);
		unsigned stage = stage_named(name, r->ours ? HOOKS_OUR_STAGES : HOOKS_ALL_STAGES);

		if (!stage && !r->ours)
			json_fail(&r->doc, item, "stage \"%.64s\" does not exist", name);
		else if (!stage)
			json_fail(
				&r->doc, item,
				"\"%.64s\" is not a stage of " HOOK_NAME
				"; its stages are createRuntime, prestart, poststart, and podman's "
				"precreate",
				name);
		r->file.stages |= stage;
	}
}

/* Conditions are ANDed, even hasBindMounts: false. */
static void read_switch(struct reading *r, const struct json_node *node)
{
	if (!node)
		return;
	if (json_bool(&r->doc, node, false))
		r->conditions++;
	else
		r->never = true;
}

/* NULL-terminated */
static bool matches(struct reading *r, const struct json_node *node, const char *pattern,
		    const char *const *texts)
{
	regex_t regex;
	char reason[128];
	bool found = false;
	int status = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);

	if (status != 0) {
		(void)regerror(status, &regex, reason, sizeof(reason));
		json_fail(&r->doc, node,
			  "\"%.64s\" is not a regular expression (it is checked as a POSIX "
			  "extended one): %s",
			  pattern, reason);
		return false;
	}
	while (*texts && !found)
		found = regexec(&regex, *texts++, 0, NULL, 0) == 0;
	regfree(&regex);
	return found;
}

/* Conditions on our annotations must match containers that ask. */
static void read_annotation(struct reading *r, const struct json_node *member)
{
	static const char *const ours[] = {
		SPEC_ANNOTATION_PREFIX "inject", SPEC_ANNOTATION_PREFIX "containers",
		SPEC_ANNOTATION_PREFIX "memlock", SPEC_ANNOTATION_PREFIX "nccl", NULL};
	const char *key = json_key(&r->doc, member);
	const char *pattern = json_string(&r->doc, member);
	bool is_asked = matches(r, member, pattern, (const char *[]){"true", NULL});
	bool is_ours = matches(r, member, key, ours);
	bool is_inject = matches(r, member, key, (const char *[]){ours[0], NULL});

	if (!strstr(key, HOOK_NAME))
		return;
	if (!is_ours)
		json_fail(&r->doc, member,
			  "matches none of our annotations: write "
			  "\"^oci-rdma-hook\\\\.io/inject$\"");
	if (is_inject && !is_asked)
		json_fail(
			&r->doc, member,
			"\"%.64s\" does not match \"true\", the value with which a container asks",
			pattern);
}

static void read_when(struct reading *r, const struct json_node *when)
{
	static const char *const keys[] = {"always", "annotations", "commands", "hasBindMounts",
					   NULL};
	static const char *const none[] = {NULL};
	struct json_document *doc = &r->doc;
	const struct json_node *annotations = json_get(doc, when, "annotations", JSON_OBJECT);
	const struct json_node *commands = json_get(doc, when, "commands", JSON_ARRAY);
	const struct json_node *bind_mounts = json_get(doc, when, "hasBindMounts", JSON_BOOL);

	r->has_when = when != NULL;
	if (!r->ours)
		return;
	json_known_keys(doc, when, keys);
	r->file.when_line = json_line(doc, when);
	read_switch(r, json_get(doc, when, "always", JSON_BOOL));
	read_switch(r, bind_mounts);
	json_each(member, annotations) {
		read_annotation(r, member);
		r->conditions++;
	}
	json_each(command, commands) {
		(void)matches(r, command, json_string(doc, command), none);
		r->conditions++;
	}
	r->narrowed = bind_mounts || json_first(annotations) || json_first(commands);
}

static void read_root(struct reading *r, const struct json_node *root)
{
	static const char *const keys[] = {"version", "hook", "when", "stages", NULL};
	const struct json_node *version = json_get(&r->doc, root, "version", JSON_STRING);

	if (r->ours)
		json_known_keys(&r->doc, root, keys);
	r->has_version = version != NULL;
	if (version && !json_equals(version, VERSION_READ))
		json_fail(&r->doc, version,
			  "\"%.64s\" is not \"" VERSION_READ "\", the version that engines read",
			  json_string(&r->doc, version));
	read_hook(r, json_get(&r->doc, root, "hook", JSON_OBJECT));
	read_when(r, json_get(&r->doc, root, "when", JSON_OBJECT));
	read_stages(r, json_get(&r->doc, root, "stages", JSON_ARRAY));
}

static int check_present(const struct reading *r, const char *what, struct err *err)
{
	if (!r->has_version)
		return err_set(err, "%s: no \"version\": add \"version\": \"" VERSION_READ "\"",
			       what);
	if (!r->file.path)
		return err_set(err, "%s: no hook.path: add the path of the executable", what);
	if (!r->file.stages)
		return err_set(
			err,
			"%s: no stage in \"stages\", so that no engine would run the hook: add one",
			what);
	if (!r->has_when)
		return err_set(err,
			       "%s: no \"when\": write \"always\": true in it, or name annotations",
			       what);
	if (r->ours && (!r->conditions || r->never))
		return err_set(err,
			       "%s: \"when\" matches no container: write \"always\": true, or name "
			       "annotations",
			       what);
	return 0;
}

/* Where this operand works (enum stage of hook/hook.h) */
static unsigned stages_for(unsigned operand)
{
	if (operand & (HOOKS_CREATE_RUNTIME | HOOKS_PRESTART))
		return HOOKS_CREATE_RUNTIME | HOOKS_PRESTART;
	return operand;
}

/* Like main(), but strict: unknown options or extra operands fail all containers. */
static int read_args(const struct hooks_file *file, const char **ret_name, struct err *err)
{
	static const char *const options[] = {"--config", "--sysroot"};

	*ret_name = NULL;
	for (size_t i = 1; i < file->n_args; i++) {
		const char *word = file->args[i];
		size_t len = strcspn(word, "=");
		bool known = false;

		for (size_t n = 0; n < sizeof(options) / sizeof(options[0]); n++)
			known |= strncmp(word, options[n], len) == 0 && !options[n][len];
		if (known && !word[len] && ++i == file->n_args)
			return err_set(err, "%s has no value: write one after it", word);
		if (known && (word[len] ? word + len + 1 : file->args[i])[0] != '/')
			return err_set(err,
				       "%s must be an absolute path, because a hook runs in the "
				       "directory of the bundle",
				       word);
		if (known)
			continue;
		if (!stage_named(word, HOOKS_OUR_STAGES))
			return err_set(err,
				       "\"%.64s\" is neither a stage nor an option that a hook "
				       "takes (--config FILE, --sysroot DIR)",
				       word);
		if (*ret_name)
			return err_set(err, "names two stages, %s and %s: keep one of them",
				       *ret_name, word);
		*ret_name = word;
	}
	return 0;
}

static int check_args(const struct hooks_file *file, const char *what, struct err *err)
{
	const char *name;

	if (read_args(file, &name, err) < 0)
		return err_prefix(err, "%s: line %zu: hook.args", what, file->args_line);
	if (!name)
		return err_set(err,
			       "%s: hook.args names no stage, so that every container with this "
			       "hook would fail: write [\"" HOOK_NAME "\", \"createRuntime\"]",
			       what);
	if (is_shim_name(file->args[0]))
		return err_set(err,
			       "%s: line %zu: hook.args[0] would make the program act as the "
			       "runtime shim: write \"" HOOK_NAME "\"",
			       what, file->args_line);
	if (file->stages & ~stages_for(stage_named(name, HOOKS_OUR_STAGES)))
		return err_set(err,
			       "%s: line %zu: hook.args names the stage %s, but \"stages\" names "
			       "another one: write one file for each stage",
			       what, file->stages_line, name);
	return 0;
}

int hooks_file_read(struct arena *arena, const char *text, size_t len, const char *what, bool ours,
		    struct hooks_file *ret_file, struct err *err)
{
	struct reading r = {.ours = ours};

	if (json_parse(&r.doc, arena, what, text, len, 0, err) < 0)
		return -1;
	read_root(&r, r.doc.root);
	if (r.doc.failed || check_present(&r, what, err) < 0 ||
	    (ours && check_args(&r.file, what, err) < 0))
		return -1;
	*ret_file = r.file;
	ret_file->always = !r.narrowed;
	return 0;
}

int hooks_file_check_opt_in(const struct hooks_file *file, unsigned shown,
			    const struct config *config, const char *what, struct err *err)
{
	if (!(file->stages & ~shown) || file->always || config->opt_in != OPT_IN_DEVICE)
		return 0;
	return err_set(err,
		       "%s: line %zu: \"when\" matches only some containers, but \"opt_in\": "
		       "\"device\" in %s is for all containers: write \"when\": {\"always\": "
		       "true}, as the files of hooks.d/device do",
		       what, file->when_line, config->path);
}

int hooks_file_check_timeout(const struct hooks_file *file, int64_t timeout_min, const char *what,
			     struct err *err)
{
	if (file->timeout > timeout_min)
		return 0;
	if (!file->timeout)
		return err_set(err, "%s: no hook.timeout: add \"timeout\": %lld", what,
			       (long long)timeout_min * 2);
	return err_set(err,
		       "%s: line %zu: hook.timeout: %lld s is not longer than the %lld s that the "
		       "hook allows itself, so that the engine could kill the hook before it gives "
		       "its reason: write %lld",
		       what, file->timeout_line, (long long)file->timeout, (long long)timeout_min,
		       (long long)timeout_min * 2);
}
