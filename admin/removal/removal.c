/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/removal/removal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "admin/removal/needs.h"
#include "admin/removal/record.h"
#include "core/base/cleanup.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/tree.h"
#include "core/policy/config.h"

/* Below the directory of drop-ins: those that --crio-handler has made, which go with the shim */
#define OWN_DROPIN "/" CRIO_DROPINS "/60-oci-rdma-hook"

void needs_say(struct needs *needs, const char *format, ...)
{
	char line[ERR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	text_make_printable(line);
	(void)fprintf(stderr, "oci-rdma-hook: %s\n", line);
	needs->n++;
}

void needs_unread(struct needs *needs, const char *path, int error)
{
	/* ENOTDIR: a file beside the containers; ESRCH: a process that has ended */
	if (error != ENOENT && error != ENOTDIR && error != ESRCH)
		needs_say(needs,
			  "%.512s: cannot be read (%s), so it is not known whether a container "
			  "there needs the shim",
			  path, strerror(error));
}

int needs_open(struct needs *needs, const char *path, DIR **ret_dir)
{
	int status = tree_open_entries(needs->root, path, ret_dir);

	if (status == -ENOMEM)
		return -1;
	if (status < 0)
		needs_unread(needs, path, -status);
	return 0;
}

const char *needs_next(struct needs *needs, DIR *dir, const char *path)
{
	const struct dirent *entry;

	do {
		errno = 0;
		entry = dir ? readdir(dir) : NULL;
	} while (entry && entry->d_name[0] == '.');
	if (!entry && errno)
		needs_unread(needs, path, errno);
	return entry ? entry->d_name : NULL;
}

int needs_remember(struct needs *needs, const char *id)
{
	const char **larger = arena_grow(needs->arena, needs->seen, needs->n_seen,
					 &needs->seen_room, sizeof(*larger));

	if (!larger)
		return -1;
	needs->seen = larger;
	needs->seen[needs->n_seen++] = id;
	return 0;
}

bool needs_has_seen(const struct needs *needs, const char *name)
{
	for (size_t i = 0; i < needs->n_seen; i++) {
		size_t len = strlen(needs->seen[i]);

		/* A record is called "<id>@<hash>.json" or "<id>.json". */
		if (strncmp(name, needs->seen[i], len) == 0 && strchr("@.", name[len]))
			return true;
	}
	return false;
}

/* Our own drop-in goes before the executable does; any other is its author's. */
static void look_at_handlers(struct needs *needs)
{
	const struct crio *crio = &needs->crio;

	for (size_t i = 0; i < crio->n_handlers; i++) {
		const struct crio_handler *handler = &crio->handler[i];

		if (!names_shim(handler->runtime_path))
			continue;
		if (crio->default_runtime && strcmp(crio->default_runtime, handler->name) == 0)
			needs_say(needs,
				  "%s: handler %s is CRI-O's default (%s), and CRI-O does not "
				  "start without its program: set another default_runtime first",
				  handler->file, handler->name, crio->default_file);
		else if (!text_starts_with(handler->file, OWN_DROPIN))
			needs_say(needs,
				  "%s: handler %s runs %s: remove the handler first, then run "
				  "systemctl restart crio",
				  handler->file, handler->name, handler->runtime_path);
	}
}

/* What the shim remembers: containers of engines without conmon, too, if they were granted
 * something. */
static int look_at_records(struct needs *needs, const char *state_dir, struct err *err)
{
	cleanup_dir *dir = NULL;
	const char *name;

	if (needs_open(needs, state_dir, &dir) < 0)
		return err_memory(err);
	while ((name = needs_next(needs, dir, state_dir))) {
		if (needs_has_seen(needs, name) || !is_record(dirfd(dir), name))
			continue;
		needs_say(needs,
			  "container %.128s was created through the shim: remove the container "
			  "first; if it no longer exists, remove the file %s/%.128s",
			  name, state_dir, name);
	}
	return 0;
}

static int look(struct needs *needs, const struct options *options, struct err *err)
{
	struct config config;
	struct err unusable;

	/* Without a usable policy the shim keeps its records where it does by default. */
	if (config_load(needs->arena, needs->root, options->config, &config, &unusable) < 0 &&
	    config_defaults(needs->arena, &config, err) < 0)
		return -1;
	if (crio_read(needs->arena, needs->root, &needs->crio, err) < 0)
		return -1;
	for (size_t i = 0; i < needs->crio.n_problems; i++)
		needs_say(needs, "%s: so it is not known which handlers this file has",
			  needs->crio.problem[i]);
	look_at_handlers(needs);
	if (needs_of_pods(needs, err) < 0 || needs_of_monitors(needs, err) < 0 ||
	    needs_of_containerd(needs, err) < 0 || needs_of_docker(needs, err) < 0)
		return -1;
	return look_at_records(needs, config.state_dir, err);
}

int removal_check(const struct options *options)
{
	cleanup_arena arena = {0};
	struct err err;
	cleanup_fd root = tree_open_root(options->sysroot, &err);
	struct needs needs = {.arena = &arena, .root = root};

	if (root < 0 || look(&needs, options, &err) < 0) {
		(void)fprintf(stderr, "oci-rdma-hook: %s\n", err.text);
		return 1;
	}
	return needs.n ? 1 : 0;
}
