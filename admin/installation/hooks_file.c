/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/installation/installation.h"

#include <limits.h>
#include <regex.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/json/reader.h"
#include "core/spec/spec.h"

#define VERSION_READ "1.0.0"

struct reading {
	struct arena *arena;
	struct hooks_file file;
	size_t args_room;
	bool has_version;
	bool never;          /* a condition that no container meets */
	unsigned conditions; /* that a container can meet */
	bool narrowed;       /* …and that not every one does */
};

static const struct {
	const char *name;
	enum hooks_stage stage;
} stage_names[] = {
	{"createRuntime", HOOKS_CREATE_RUNTIME},
	{"prestart", HOOKS_PRESTART},
	{"poststart", HOOKS_POSTSTART},
	{"precreate", HOOKS_PRECREATE},
};

/* 0 for what the executable has no stage for */
static unsigned stage_named(const char *name)
{
	for (size_t i = 0; i < sizeof(stage_names) / sizeof(stage_names[0]); i++) {
		if (strcmp(stage_names[i].name, name) == 0)
			return stage_names[i].stage;
	}
	return 0;
}

/* ---- values ---- */

static int take_version(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;
	const char *version;

	if (json_string(r->arena, value, &version, err) < 0)
		return -1;
	if (strcmp(version, VERSION_READ) != 0)
		return err_set(
			err, "\"%.64s\" is not \"" VERSION_READ "\", the version that engines read",
			version);
	r->has_version = true;
	return 0;
}

static int take_path(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	if (json_string(r->arena, value, &r->file.path, err) < 0)
		return -1;
	r->file.path_line = json_line(value);
	if (strlen(r->file.path) >= PATH_MAX)
		return err_set(err, "\"%.64s…\" is longer than a path can be (%d bytes)",
			       r->file.path, PATH_MAX - 1);
	if (r->file.path[0] != '/')
		return err_set(err, "\"%.64s\" is not an absolute path", r->file.path);
	if (strcmp(text_base_name(r->file.path), HOOK_NAME) != 0)
		return err_set(err,
			       "\"%.128s\" is not " HOOK_NAME
			       ", and this check knows no other program",
			       r->file.path);
	return 0;
}

static int begin_args(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->file.args_line = json_line(value);
	return 0;
}

static int take_arg(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	return json_append_string(r->arena, value, &r->file.args, &r->file.n_args, &r->args_room,
				  err);
}

static int take_timeout(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	r->file.timeout_line = json_line(value);
	if (json_int64(value, &r->file.timeout, err) < 0)
		return -1;
	if (r->file.timeout < 1 || r->file.timeout > HOOKS_TIMEOUT_MAX)
		return err_set(err, "%lld is not between 1 and %d seconds",
			       (long long)r->file.timeout, HOOKS_TIMEOUT_MAX);
	return 0;
}

static int take_always(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	if (value->boolean)
		r->conditions++;
	else
		r->never = true; /* conditions are ANDed; so is hasBindMounts: false */
	return 0;
}

static int take_bind_mounts(void *context, const struct json_value *value, struct err *err)
{
	((struct reading *)context)->narrowed = true;
	return take_always(context, value, err);
}

static int compile(regex_t *regex, const char *pattern, struct err *err)
{
	char reason[128];
	int status = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);

	if (status == 0)
		return 0;
	(void)regerror(status, regex, reason, sizeof(reason));
	return err_set(
		err,
		"\"%.64s\" is not a regular expression (it is checked as a POSIX extended one): %s",
		pattern, reason);
}

/* Returns 1 if a text is one that the pattern matches, 0 if not, or -1. texts: ends with NULL */
static int matches(const char *pattern, const char *const *texts, struct err *err)
{
	regex_t regex;
	int found = 0;

	if (compile(&regex, pattern, err) < 0)
		return -1;
	while (*texts && !found)
		found = regexec(&regex, *texts++, 0, NULL, 0) == 0;
	regfree(&regex);
	return found;
}

static int take_command(void *context, const struct json_value *value, struct err *err)
{
	static const char *const none[] = {NULL};
	struct reading *r = context;
	const char *pattern;

	r->conditions++;
	r->narrowed = true;
	if (json_string(r->arena, value, &pattern, err) < 0)
		return -1;
	return matches(pattern, none, err) < 0 ? -1 : 0;
}

/* One that speaks of us must be met by a container that asks. */
static int take_annotation(void *context, const struct json_value *value, struct err *err)
{
	static const char *const ours[] = {
		SPEC_ANNOTATION_PREFIX "inject", SPEC_ANNOTATION_PREFIX "containers",
		SPEC_ANNOTATION_PREFIX "memlock", SPEC_ANNOTATION_PREFIX "nccl", NULL};
	static const char *const asks[] = {"true", NULL};
	struct reading *r = context;
	const char *pattern;
	int is_ours;
	int is_asked;
	int is_inject;

	r->conditions++;
	r->narrowed = true;
	if (json_string(r->arena, value, &pattern, err) < 0)
		return -1;
	is_asked = matches(pattern, asks, err);
	is_ours = is_asked < 0 ? -1 : matches(value->key, ours, err);
	is_inject = is_ours < 0 ? -1 : matches(value->key, (const char *[]){ours[0], NULL}, err);
	if (is_inject < 0)
		return -1;
	if (!is_ours && strstr(value->key, HOOK_NAME))
		return err_set(
			err,
			"matches none of our annotations: write \"^oci-rdma-hook\\\\.io/inject$\"");
	if (is_inject && strstr(value->key, HOOK_NAME) && !is_asked)
		return err_set(
			err,
			"\"%.64s\" does not match \"true\", the value with which a container asks",
			pattern);
	return 0;
}

static int begin_when(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->file.when_line = json_line(value);
	return 0;
}

static int begin_stages(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->file.stages_line = json_line(value);
	return 0;
}

static int take_stage(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;
	const char *name;

	if (json_string(r->arena, value, &name, err) < 0)
		return -1;
	if (!stage_named(name))
		return err_set(err,
			       "\"%.64s\" is not a stage of " HOOK_NAME
			       "; its stages are createRuntime, prestart, poststart, and podman's "
			       "precreate",
			       name);
	r->file.stages |= stage_named(name);
	return 0;
}

/* ---- where they stand ---- */

#define SHAPE(name, ...) static const struct json_shape name = {__VA_ARGS__}
#define MEMBERS(...) .closed = true, JSON_MEMBERS(__VA_ARGS__)

SHAPE(version, .types = JSON_STRING, .take = take_version);
SHAPE(path, .types = JSON_STRING, .take = take_path);
SHAPE(arg, .types = JSON_STRING, .take = take_arg);
SHAPE(args, .types = JSON_ARRAY, .take = begin_args, .each = &arg);
SHAPE(variable, .types = JSON_STRING);
SHAPE(env, .types = JSON_ARRAY, .each = &variable);
SHAPE(timeout, .types = JSON_NUMBER, .take = take_timeout);
SHAPE(hook, .types = JSON_OBJECT,
      MEMBERS({"path", &path}, {"args", &args}, {"env", &env}, {"timeout", &timeout}));
SHAPE(always, .types = JSON_BOOL, .take = take_always);
SHAPE(annotation, .types = JSON_STRING, .take = take_annotation);
SHAPE(annotations, .types = JSON_OBJECT, .closed = true, .each = &annotation);
SHAPE(command, .types = JSON_STRING, .take = take_command);
SHAPE(commands, .types = JSON_ARRAY, .each = &command);
SHAPE(bind_mounts, .types = JSON_BOOL, .take = take_bind_mounts);
SHAPE(when, .types = JSON_OBJECT, .take = begin_when,
      MEMBERS({"always", &always}, {"annotations", &annotations}, {"commands", &commands},
	      {"hasBindMounts", &bind_mounts}));
SHAPE(stage, .types = JSON_STRING, .take = take_stage);
SHAPE(stages, .types = JSON_ARRAY, .take = begin_stages, .each = &stage);
SHAPE(root, .types = JSON_OBJECT,
      MEMBERS({"version", &version}, {"hook", &hook}, {"when", &when}, {"stages", &stages}));

/* ---- what belongs together ---- */

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
	if (!r->conditions || r->never)
		return err_set(err,
			       "%s: \"when\" matches no container: write \"always\": true, or name "
			       "annotations",
			       what);
	return 0;
}

/* The stages in which a run with this operand does the right thing (enum stage of hook/hook.h). */
static unsigned stages_for(unsigned operand)
{
	if (operand & (HOOKS_CREATE_RUNTIME | HOOKS_PRESTART))
		return HOOKS_CREATE_RUNTIME | HOOKS_PRESTART;
	return operand;
}

/*
 * As main() reads them, but strictly: an option that it does not know, or an operand too many,
 * fails every container. Sets *ret_name to the one operand that there may be.
 */
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
		if (!stage_named(word))
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
	if (names_shim(file->args[0]))
		return err_set(err,
			       "%s: line %zu: hook.args[0] would make the program act as the "
			       "runtime shim: write \"" HOOK_NAME "\"",
			       what, file->args_line);
	if (file->stages & ~stages_for(stage_named(name)))
		return err_set(err,
			       "%s: line %zu: hook.args names the stage %s, but \"stages\" names "
			       "another one: write one file for each stage",
			       what, file->stages_line, name);
	return 0;
}

int hooks_file_read(struct arena *arena, const char *text, size_t len, const char *what,
		    struct hooks_file *ret_file, struct err *err)
{
	struct reading r = {.arena = arena};

	if (json_read(arena, &(struct json_source){what, text, len, 0}, &root, &r, err) < 0 ||
	    check_present(&r, what, err) < 0 || check_args(&r.file, what, err) < 0)
		return -1;
	*ret_file = r.file;
	ret_file->always = !r.narrowed;
	return 0;
}

int hooks_file_check_opt_in(const struct hooks_file *file, const struct config *config,
			    const char *what, struct err *err)
{
	if (file->always || config->opt_in != OPT_IN_DEVICE)
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
