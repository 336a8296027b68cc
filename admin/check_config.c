/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/check_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "admin/check_engines.h"
#include "admin/engine/crio.h"
#include "admin/installation/config_check.h"
#include "admin/installation/hooks_dir.h"
#include "admin/installation/hooks_file.h"
#include "admin/results.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/command_line.h"
#include "core/deadline.h"
#include "core/json/document.h"
#include "core/policy/policy.h"
#include "core/policy/runtimes.h"
#include "lib/files.h"
#include "lib/trusted_link.h"

struct check {
	struct results results;
	struct crio crio;
	struct hooks_place place;
	size_t n_own; /* of policy and runtimes; the rest is the engines' */
	bool has_config;
	struct config config;
};

static void free_check(const struct check *check)
{
	struct arena arena = check->results.arena;

	arena_free(&arena);
	cleanup_close_fd(&check->place.root);
	cleanup_close_fd(&check->place.sysroot);
}

/* By keys that only hooks.d files have */
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

/* path: NULL for the node's own, which is optional */
static void check_policy_file(struct check *check, const char *path)
{
	int sysroot = check->place.sysroot;
	const char *note = "";
	struct config config;
	struct err problem;
	int status = config_load(&check->results.arena, sysroot, path, &config, &problem);

	if (status == 0)
		status = keep_config(check, &config, &problem);
	if (!path && status == 0 &&
	    faccessat(sysroot, CONFIG_PATH, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		note = " (does not exist: the defaults apply)";
	results_add(&check->results, path ? path : "/" CONFIG_PATH, note,
		    status < 0 ? &problem : NULL, NULL);
}

/* The shim's list is optional too. */
static void check_runtimes(struct check *check)
{
	struct err problem;
	int status;

	if (!tree_exists(check->place.sysroot, RUNTIMES_PATH))
		return;
	status = runtimes_check(&check->results.arena, check->place.sysroot, &problem);
	results_add(&check->results, "/" RUNTIMES_PATH, "", status < 0 ? &problem : NULL, NULL);
}

/* A hooks.d file may be behind a link, a policy never. */
static int read_named_file(struct check *check, const char *path, struct hooks_file *file,
			   struct err *problem)
{
	struct arena *arena = &check->results.arena;
	struct fs_text text;
	struct config config;
	bool linked;

	if (trust_read_linked(arena, check->place.root, path, CONFIG_SIZE_MAX, &text, &linked,
			      problem) < 0)
		return -1;
	if (is_hooks_file(arena, path, &text))
		return hooks_check_text(arena, &check->place, path, &text, file, problem);
	if (linked)
		return err_set(problem,
			       "%s: the path contains a symbolic link, and the policy is never "
			       "read through one: name the file itself",
			       path);
	if (config_read(arena, &text, path, &config, problem) < 0)
		return -1;
	return keep_config(check, &config, problem);
}

static void check_named_files(struct check *check, char *const *files, size_t n_files)
{
	for (size_t i = 0; i < n_files; i++) {
		struct hooks_file file = {0};
		struct err problem;
		int status = read_named_file(check, files[i], &file, &problem);

		results_add(&check->results, files[i], "", status < 0 ? &problem : NULL, &file);
	}
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct hooks_found *)a)->path, ((const struct hooks_found *)b)->path);
}

static int check_installed(struct check *check, const char *config, struct err *err)
{
	struct results *results = &check->results;
	struct hooks_found *found;
	const char *why;
	struct err problem;
	size_t n;

	check_policy_file(check, config);
	check_runtimes(check);
	check->n_own = results->n;
	if (hooks_list(&results->arena, &check->place, &found, &n, err) < 0)
		return -1;
	if (n)
		qsort(found, n, sizeof(*found), by_path);
	for (size_t i = 0; i < n; i++) {
		if (!found[i].ours)
			continue;
		why = found[i].problem ? found[i].problem : found[i].unread;
		if (why)
			err_set(&problem, "%s", why);
		results_add(results, found[i].path, "", why ? &problem : NULL,
			    why ? NULL : &found[i].file);
	}
	check_engines(results, check->place.sysroot, &check->crio,
		      check->has_config ? &check->config : NULL);
	return 0;
}

static void check_opt_in(struct check *check)
{
	struct results *results = &check->results;
	unsigned shown = 0; /* stages in which a file shows us every container */

	for (size_t i = 0; i < results->n; i++) {
		const struct hooks_file *file = &results->item[i].file;

		shown |= file->always ? file->stages : 0;
	}
	for (size_t i = 0; i < results->n && check->has_config; i++) {
		struct result *r = &results->item[i];
		struct err problem;

		if (!(r->file.stages & ~shown) ||
		    hooks_file_check_opt_in(&r->file, &check->config, r->what, &problem) == 0)
			continue;
		r->problem = arena_strdup(&results->arena, problem.text);
	}
}

static bool print_results(const struct results *results)
{
	bool right = true;

	for (size_t i = 0; i < results->n; i++) {
		const struct result *r = &results->item[i];

		for (const char *line = r->problem; line && *line;) {
			size_t len = strcspn(line, "\n");

			fprintf(stderr, ADMIN_NAME ": %.*s\n", (int)len, line);
			line += len + (line[len] != '\0');
		}
		if (!r->problem)
			printf("%s: ok%s\n", r->what, r->note);
		right &= !r->problem;
	}
	return right;
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
	struct arena *arena = &check->results.arena;

	check->place.root = tree_open_root("/", err);
	if (check->place.root < 0)
		return -1;
	check->place.sysroot = tree_open_root(options->sysroot, err);
	if (check->place.sysroot < 0 || check_openat2(check, err) < 0 ||
	    crio_read(arena, check->place.sysroot, &check->crio, err) < 0)
		return -1;
	check->place.crio_dirs = check->crio.hooks_dirs.item;
	if (!n_files && check_installed(check, options->config, err) < 0)
		return -1;
	if (n_files && options->config)
		check_policy_file(check, options->config);
	check_named_files(check, files, n_files);
	check_opt_in(check);
	return err_of_arena(arena, err);
}

int check_config(const struct options *options, char *const *files, size_t n_files)
{
	__attribute__((cleanup(free_check))) struct check check = {
		.place = {.root = -1, .sysroot = -1, .timeout_min = DEADLINE_SECONDS}};
	struct err err;
	bool right;

	if (check_all(&check, options, files, n_files, &err) < 0) {
		fprintf(stderr, ADMIN_NAME ": %s\n", err.text);
		return 1;
	}
	right = print_results(&check.results);
	/* A bare "ok" for an unused policy would look like an installation. */
	if (!n_files && check.results.n == check.n_own)
		puts("hooks.d files and handlers: there are none of oci-rdma-hook, so that "
		     "no hook and no shim runs here; of the NRI plugin ask oci-rdma-nri "
		     "--check");
	return command_line_printed(ADMIN_NAME) && right ? 0 : 1;
}
