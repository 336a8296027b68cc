/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/check_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "admin/engine/crio.h"
#include "admin/installation/config_check.h"
#include "admin/installation/hooks_dir.h"
#include "admin/installation/hooks_file.h"
#include "admin/installation/judge.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/command_line.h"
#include "core/deadline.h"
#include "core/json/document.h"
#include "core/policy/policy.h"
#include "lib/finding.h"
#include "lib/trusted_link.h"

struct check {
	struct arena arena;
	struct hooks_place place;
	bool has_config;
	struct config config;
};

struct named {
	const char *path;
	struct hooks_file file; /* else zero */
	struct err problem;     /* "" if it is right */
};

static void free_check(struct check *check)
{
	arena_free(&check->arena);
	cleanup_close_fd(&check->place.root);
	cleanup_close_fd(&check->place.sysroot);
}

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

static int keep_config(struct check *check, const struct config *config, struct err *err)
{
	check->config = *config;
	check->has_config = true;
	return config_check(config, err);
}

/* hooks.d files may be behind links, a policy never. */
static int read_named_file(struct check *check, struct named *named)
{
	struct arena *arena = &check->arena;
	struct err *problem = &named->problem;
	const char *path = named->path;
	struct fs_text text;
	struct config config;
	bool linked;

	if (trust_read_linked(arena, check->place.root, path, CONFIG_SIZE_MAX, &text, &linked,
			      problem) < 0)
		return -1;
	if (is_hooks_file(arena, path, &text))
		return hooks_check_text(arena, &check->place, path, &text, &named->file, problem);
	if (linked)
		return err_set(problem,
			       "%s: the path contains a symbolic link, and the policy is never "
			       "read through one: name the file itself",
			       path);
	if (config_read(arena, &text, path, &config, problem) < 0)
		return -1;
	return keep_config(check, &config, problem);
}

static void print_problem(const struct err *problem)
{
	fprintf(stderr, ADMIN_NAME ": %s\n", problem->text);
	for (const char *line = problem->more; line && *line;) {
		size_t len = strcspn(line, "\n");

		fprintf(stderr, ADMIN_NAME ": %.*s\n", (int)len, line);
		line += len + (line[len] != '\0');
	}
}

static void check_named(struct check *check, struct named *named, bool is_policy)
{
	struct config config;

	if (!is_policy)
		(void)read_named_file(check, named);
	else if (config_load(&check->arena, check->place.sysroot, named->path, &config,
			     &named->problem) == 0)
		(void)keep_config(check, &config, &named->problem);
}

/* Returns 1 if all right, else 0. */
static int check_files(struct check *check, const char *config, char *const *files, size_t n_files,
		       struct err *err)
{
	size_t n = n_files + (config != NULL);
	struct named *named = arena_alloc(&check->arena, n * sizeof(*named));
	unsigned shown = 0;
	bool right = true;

	if (!named)
		return err_memory(err);
	for (size_t i = 0; i < n; i++) {
		bool is_policy = config && i == 0;

		named[i].path = is_policy ? config : files[i - (config != NULL)];
		check_named(check, &named[i], is_policy);
		if (!named[i].problem.text[0] && named[i].file.always)
			shown |= named[i].file.stages;
	}
	if (err_of_arena(&check->arena, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (check->has_config && !named[i].problem.text[0])
			(void)hooks_file_check_opt_in(&named[i].file, shown, &check->config,
						      named[i].path, &named[i].problem);
		if (named[i].problem.text[0])
			print_problem(&named[i].problem);
		else
			printf("%s: ok\n", named[i].path);
		right &= !named[i].problem.text[0];
	}
	return right;
}

static bool print_findings(const struct findings *findings)
{
	bool right = true;

	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->item[i];
		bool fails = finding->status == FINDING_FAIL;

		fprintf(fails ? stderr : stdout, "%s%s%s%s: %s: %s%s%s\n",
			fails ? ADMIN_NAME ": " : "", finding->id, finding->subject[0] ? " " : "",
			finding->subject, finding_status_name(finding->status), finding->evidence,
			finding->remedy[0] ? " -> " : "", finding->remedy);
		right &= !fails;
	}
	return right;
}

static int check_installed(struct check *check, const struct options *options, struct err *err)
{
	struct findings findings = {.arena = &check->arena};
	bool recorded = strcmp(options->sysroot, "/") != 0;
	int root = check->place.sysroot;

	err_memory(&findings.err);
	if (judge_policy(root, options->config, &findings) < 0 ||
	    judge_engines(root, recorded, options->config, &findings) < 0) {
		*err = findings.err;
		return -1;
	}
	return print_findings(&findings);
}

/* Only openat2(2) opens files in containers and sysroots. */
static int check_openat2(const struct check *check, struct err *err)
{
	cleanup_fd here = fs_open(check->place.sysroot, ".", O_PATH | O_DIRECTORY, 0);

	return here == -ENOSYS ? err_sys(err, ENOSYS, "nothing can be granted") : 0;
}

static int check_all(struct check *check, const struct options *options, char *const *files,
		     size_t n_files, struct err *err)
{
	struct crio crio;

	check->place.root = tree_open_root("/", err);
	if (check->place.root < 0)
		return -1;
	check->place.sysroot = tree_open_root(options->sysroot, err);
	if (check->place.sysroot < 0 || check_openat2(check, err) < 0)
		return -1;
	if (!n_files)
		return check_installed(check, options, err);
	if (crio_read(&check->arena, check->place.sysroot, &crio, err) < 0)
		return -1;
	check->place.crio_dirs = crio.hooks_dirs.item;
	return check_files(check, options->config, files, n_files, err);
}

int check_config(const struct options *options, char *const *files, size_t n_files)
{
	__attribute__((cleanup(free_check))) struct check check = {
		.place = {.root = -1, .sysroot = -1, .timeout_min = DEADLINE_SECONDS}};
	struct err err;
	int right = check_all(&check, options, files, n_files, &err);

	if (right < 0)
		fprintf(stderr, ADMIN_NAME ": %s\n", err.text);
	return command_line_printed(ADMIN_NAME) && right > 0 ? 0 : 1;
}
