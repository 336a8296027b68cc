/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/admin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>

#include "admin/engine/engine.h"
#include "admin/installation/installation.h"
#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/command_line.h"
#include "core/deadline.h"
#include "core/json/document.h"
#include "core/policy/policy.h"
#include "core/policy/trust.h"

/* What was found of a file */
struct result {
	const char *what;
	const char *note;    /* behind "ok" */
	const char *problem; /* a line that names it; NULL: it is right */
	bool is_hooks_file;
	struct hooks_file file; /* if it is right; else it shows nothing */
};

struct check {
	struct arena arena;
	struct crio crio;
	struct hooks_place place;
	struct result *result;
	size_t n;
	size_t room;
	bool whole_node;
	bool has_config;
	struct config config; /* that was checked */
};

static void free_check(const struct check *check)
{
	struct arena arena = check->arena;

	arena_free(&arena);
	cleanup_close_fd(&check->place.root);
	cleanup_close_fd(&check->place.sysroot);
}

static int add(struct check *check, const struct result *result, const struct err *problem,
	       struct err *err)
{
	struct result *larger =
		arena_grow(&check->arena, check->result, check->n, &check->room, sizeof(*larger));

	if (!larger)
		return err_memory(err);
	check->result = larger;
	larger[check->n] = *result;
	if (problem) {
		larger[check->n].problem = arena_strdup(&check->arena, problem->text);
		if (!larger[check->n].problem)
			return err_memory(err);
	}
	check->n++;
	return 0;
}

/* ---- which of the two a file is ---- */

/* By the keys that only a hooks.d file has, as far as it can be read: the check itself says what is
 * wrong with the rest. */
static bool is_hooks_file(struct arena *arena, const char *path, const struct fs_text *text)
{
	static const char *const keys[] = {"version", "hook", "when", "stages"};
	struct json_document doc;
	struct err ignored;

	(void)json_parse(&doc, arena, path, text->bytes, text->len, JSON_COMMENTS, &ignored);
	json_each(member, doc.root) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			if (json_key_is(member, keys[i]))
				return true;
		}
	}
	return false;
}

/* ---- the files ---- */

static int take_config(struct check *check, const struct config *config, struct err *err)
{
	check->config = *config;
	check->has_config = true;
	return config_check(check->place.sysroot, config, err);
}

/* path: NULL for the node's own, which need not be there. */
static int check_policy(struct check *check, const char *path, struct err *err)
{
	int sysroot = check->place.sysroot;
	struct result result = {.what = path ? path : "/" CONFIG_PATH, .note = ""};
	struct config config;
	struct err problem;
	int status = config_load(&check->arena, sysroot, path, &config, &problem);

	if (status == 0)
		status = take_config(check, &config, &problem);
	if (!path && status == 0 &&
	    faccessat(sysroot, CONFIG_PATH, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		result.note = " (does not exist: the defaults apply)";
	return add(check, &result, status < 0 ? &problem : NULL, err);
}

static int check_text(struct check *check, struct result *result, const struct fs_text *text,
		      bool linked, struct err *problem)
{
	struct config config;

	result->is_hooks_file = is_hooks_file(&check->arena, result->what, text);
	if (result->is_hooks_file)
		return hooks_check_text(&check->arena, &check->place, result->what, text,
					&result->file, problem);
	if (linked)
		return err_set(problem,
			       "%s: the path contains a symbolic link, and the policy is never "
			       "read through one: name the file itself",
			       result->what);
	if (config_read(&check->arena, text, result->what, &config, problem) < 0)
		return -1;
	return take_config(check, &config, problem);
}

/* Both kinds are opened so; the policy through no link at all. */
static int check_file(struct check *check, const char *path, struct err *err)
{
	struct result result = {.what = path, .note = ""};
	struct fs_text text;
	struct err problem;
	bool linked;
	int status = trust_read_linked(&check->arena, check->place.root, path, CONFIG_SIZE_MAX,
				       &text, &linked, &problem);

	if (status == 0)
		status = check_text(check, &result, &text, linked, &problem);
	return add(check, &result, status < 0 ? &problem : NULL, err);
}

/* ---- a whole node ---- */

static int check_hooks(struct check *check, struct err *err)
{
	struct hooks_found *found;
	size_t n;

	if (hooks_check_all(&check->arena, &check->place, &found, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct result result = {
			.what = found[i].path,
			.note = "",
			.problem = found[i].problem,
			.is_hooks_file = true,
			.file = found[i].file,
		};

		if (add(check, &result, NULL, err) < 0)
			return -1;
	}
	return 0;
}

static int take_engine(void *context, const struct engine_result *found, struct err *err)
{
	const struct result result = {
		.what = found->file, .note = found->note, .problem = found->problem};

	return add(context, &result, NULL, err);
}

static int check_node(struct check *check, const char *config, struct err *err)
{
	if (check_policy(check, config, err) < 0 || check_hooks(check, err) < 0)
		return -1;
	return check_engines(
		&(struct engines){
			.arena = &check->arena,
			.root = check->place.sysroot,
			.crio = &check->crio,
			.config = check->has_config ? &check->config : NULL,
			.take = take_engine,
			.context = check,
		},
		err);
}

/* ---- what belongs together ---- */

/* Another file shows us every container in these stages. */
static bool shows_all(const struct check *check, unsigned stages)
{
	unsigned shown = 0;

	for (size_t i = 0; i < check->n; i++) {
		const struct hooks_file *file = &check->result[i].file;

		if (file->always)
			shown |= file->stages;
	}
	return (stages & ~shown) == 0;
}

static int check_opt_in(struct check *check, struct err *err)
{
	for (size_t i = 0; i < check->n && check->has_config; i++) {
		struct result *r = &check->result[i];
		struct err problem;

		if (!r->is_hooks_file || r->problem || shows_all(check, r->file.stages) ||
		    hooks_file_check_opt_in(&r->file, &check->config, r->what, &problem) == 0)
			continue;
		r->problem = arena_strdup(&check->arena, problem.text);
		if (!r->problem)
			return err_memory(err);
	}
	return 0;
}

/* "ok" of a policy that nothing applies would be taken for an installation. */
static void print_nothing_installed(void)
{
	(void)puts("hooks.d files and handlers: there are none of oci-rdma-hook, so that no hook "
		   "and no shim runs here; of the NRI plugin ask oci-rdma-nri --check");
}

static bool print(const struct check *check)
{
	bool right = true;

	for (size_t i = 0; i < check->n; i++) {
		const struct result *r = &check->result[i];

		if (r->problem)
			(void)fprintf(stderr, ADMIN_NAME ": %s\n", r->problem);
		else
			(void)printf("%s: ok%s\n", r->what, r->note);
		right &= !r->problem;
	}
	if (check->whole_node && check->n == 1) /* the policy */
		print_nothing_installed();
	return command_line_printed(ADMIN_NAME) && right;
}

/* What lies in a container or below a sysroot is opened by openat2(2) alone; without it nothing is
 * found and nothing granted. */
static int check_kernel(const struct check *check, struct err *err)
{
	cleanup_fd here = fs_open(check->place.sysroot, ".", O_PATH | O_DIRECTORY, 0);

	return here == -ENOSYS ? err_sys(err, ENOSYS, "nothing can be granted") : 0;
}

static int check_all(struct check *check, const struct options *options, char *const *files,
		     size_t n_files, struct err *err)
{
	check->place.root = tree_open_root("/", err);
	if (check->place.root < 0)
		return -1;
	check->place.sysroot = tree_open_root(options->sysroot, err);
	if (check->place.sysroot < 0 || check_kernel(check, err) < 0)
		return -1;
	if (crio_read(&check->arena, check->place.sysroot, &check->crio, err) < 0)
		return -1;
	check->place.crio_dirs = crio_list_hooks_dirs(&check->arena, &check->crio);
	if (!check->place.crio_dirs)
		return err_memory(err);
	if (!n_files && check_node(check, options->config, err) < 0)
		return -1;
	if (n_files && options->config && check_policy(check, options->config, err) < 0)
		return -1;
	for (size_t i = 0; i < n_files; i++) {
		if (check_file(check, files[i], err) < 0)
			return -1;
	}
	return check_opt_in(check, err);
}

int check_config(const struct options *options, char *const *files, size_t n_files)
{
	__attribute__((cleanup(free_check))) struct check check = {
		.place = {.root = -1, .sysroot = -1, .timeout_min = DEADLINE_SECONDS},
		.whole_node = !n_files};
	struct err err;

	if (check_all(&check, options, files, n_files, &err) < 0) {
		(void)fprintf(stderr, ADMIN_NAME ": %s\n", err.text);
		return 1;
	}
	return print(&check) ? 0 : 1;
}
