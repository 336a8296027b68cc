/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/removal/removal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"

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

bool needs_has_seen(const struct needs *needs, const char *id)
{
	for (size_t i = 0; i < needs->n_seen; i++) {
		if (strcmp(id, needs->seen[i]) == 0)
			return true;
	}
	return false;
}
