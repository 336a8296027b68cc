/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/check_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/deadline.h"
#include "core/json/reader.h"
#include "core/policy/config.h"
#include "core/policy/hooks_dir.h"
#include "core/policy/trust.h"

struct check {
	struct arena arena;
	int root;    /* where the caller's absolute paths begin */
	int sysroot; /* the node */
	bool failed;
};

static void free_check(const struct check *check)
{
	struct arena arena = check->arena;

	arena_free(&arena);
	cleanup_close_fd(&check->root);
	cleanup_close_fd(&check->sysroot);
}

static void say(struct check *check, int status, const char *what, const char *note,
		const struct err *err)
{
	if (status < 0) {
		(void)fprintf(stderr, "oci-rdma-hook: %s\n", err->text);
		check->failed = true;
	} else if (printf("%s: ok%s\n", what, note) < 0) {
		check->failed = true;
	}
}

/* ---- which of the two a file is ---- */

static int take_kind(void *context, const struct json_value *value, struct err *err)
{
	bool *is_hooks_file = context;

	(void)value;
	(void)err;
	*is_hooks_file = true;
	return 0;
}

#define ANYTHING (JSON_NULL | JSON_BOOL | JSON_NUMBER | JSON_STRING | JSON_ARRAY | JSON_OBJECT)

static const struct json_shape kind = {.types = ANYTHING, .take = take_kind};
static const struct json_shape root = {
	.types = JSON_OBJECT,
	.members = (const struct json_member[]){{"version", &kind},
						{"hook", &kind},
						{"when", &kind},
						{"stages", &kind},
						{0}},
};

/* By the keys that only a hooks.d file has, as far as it can be read: the check itself says what is
 * wrong with the rest. */
static bool is_hooks_file(struct arena *arena, const char *path, const struct fs_text *text)
{
	bool answer = false;
	struct err ignored;

	(void)json_read(arena, &(struct json_source){path, text->bytes, text->len, JSON_COMMENTS},
			&root, &answer, &ignored);
	return answer;
}

/* ---- the files ---- */

/* path: NULL for the node's own, which need not be there. */
static void check_policy(struct check *check, const char *path)
{
	struct config config;
	struct err err;
	int status = config_load(&check->arena, check->sysroot, path, &config, &err);
	bool absent = !path && status == 0 &&
		      faccessat(check->sysroot, CONFIG_PATH, F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
		      errno == ENOENT;

	say(check, status, path ? path : "/" CONFIG_PATH,
	    absent ? " (not there: the defaults hold)" : "", &err);
}

static int check_text(struct check *check, const char *path, const struct fs_text *text,
		      bool linked, struct err *err)
{
	struct hooks_file file;
	struct config config;

	if (is_hooks_file(&check->arena, path, text))
		return hooks_check_text(&check->arena, check->root, check->sysroot, path, text,
					DEADLINE_SECONDS, &file, err);
	if (linked)
		return err_set(err,
			       "%s: a symbolic link leads there, which the policy is not read "
			       "through: name the file itself",
			       path);
	return config_read(&check->arena, text, path, &config, err);
}

/* Both kinds are opened so; the policy through no link at all. */
static void check_file(struct check *check, const char *path)
{
	struct fs_text text;
	struct err err;
	bool linked;
	int status = trust_read_linked(&check->arena, check->root, path, CONFIG_SIZE_MAX, &text,
				       &linked, &err);

	if (status == 0)
		status = check_text(check, path, &text, linked, &err);
	say(check, status, path, "", &err);
}

static void check_node(struct check *check, const char *config)
{
	struct hooks_found *found;
	struct err err;
	size_t n;

	check_policy(check, config);
	if (hooks_check_all(&check->arena, check->sysroot, DEADLINE_SECONDS, &found, &n, &err) <
	    0) {
		say(check, -1, "", "", &err);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (found[i].problem)
			(void)err_set(&err, "%s", found[i].problem);
		say(check, found[i].problem ? -1 : 0, found[i].path, "", &err);
	}
}

int check_config(const struct options *options, char *const *files, size_t n_files)
{
	__attribute__((cleanup(free_check))) struct check check = {.root = -1, .sysroot = -1};
	struct err err;

	check.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	check.sysroot = open(options->sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (check.root < 0 || check.sysroot < 0) {
		(void)err_sys(&err, errno, "sysroot %s", options->sysroot);
		say(&check, -1, "", "", &err);
		return 1;
	}
	if (!n_files)
		check_node(&check, options->config);
	else if (options->config)
		check_policy(&check, options->config);
	for (size_t i = 0; i < n_files; i++)
		check_file(&check, files[i]);
	if (fflush(stdout) != 0)
		check.failed = true;
	return check.failed ? 1 : 0;
}
