/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/removal/needs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/names.h"
#include "core/base/text.h"
#include "lib/files.h"

void needs_say(struct needs *needs, const char *format, ...)
{
	char line[ERR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	text_make_printable(line);
	fprintf(stderr, ADMIN_NAME ": %s\n", line);
	needs->n++;
}

void needs_unread(struct needs *needs, const char *path, int error)
{
	/* ENOTDIR: a file among containers; ESRCH: an ended process */
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
