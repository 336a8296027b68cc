/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/removal/removal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "lib/files.h"

void needs_say(struct needs *needs, const char *format, ...)
{
	char line[ERR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	text_make_printable(line);
	(void)fprintf(stderr, ADMIN_NAME ": %s\n", line);
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

DIR *needs_open(struct needs *needs, const char *path)
{
	DIR *dir = NULL;
	int status = path ? tree_open_entries(needs->root, path, &dir) : -ENOMEM;

	if (status == -ENOMEM)
		needs->arena->failed = true;
	else if (status < 0)
		needs_unread(needs, path, -status);
	return dir;
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

bool needs_read_json(struct needs *needs, struct arena *arena, const char *path, size_t max,
		     struct json_document *ret_doc)
{
	struct fs_text text;
	struct err ignored;
	int status = path ? tree_read(arena, needs->root, path, max, &text) : -ENOMEM;

	if (status < 0)
		needs_unread(needs, path ? path : "a container", -status);
	return status >= 0 &&
	       json_parse(ret_doc, arena, path, text.bytes, text.len, 0, &ignored) == 0;
}

/* Below the directory of drop-ins: those that --crio-handler has made, which go with the shim */
#define OWN_DROPIN "/" CRIO_DROPINS "/60-oci-rdma-hook"

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

static int look(struct needs *needs, struct err *err)
{
	if (crio_read(needs->arena, needs->root, &needs->crio, err) < 0)
		return -1;
	for (size_t i = 0; i < needs->crio.n_problems; i++)
		needs_say(needs, "%s: so it is not known which handlers this file has",
			  needs->crio.problem[i]);
	look_at_handlers(needs);
	needs_of_pods(needs);
	needs_of_monitors(needs);
	needs_of_containerd(needs);
	needs_of_docker(needs);
	return err_of_arena(needs->arena, err);
}

int removal_check(const struct options *options)
{
	cleanup_arena arena = {0};
	struct err err;
	cleanup_fd root = tree_open_root(options->sysroot, &err);
	struct needs needs = {.arena = &arena, .root = root};

	if (root < 0 || look(&needs, &err) < 0) {
		(void)fprintf(stderr, ADMIN_NAME ": %s\n", err.text);
		return 1;
	}
	return needs.n ? 1 : 0;
}
