/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/containerd_imports.h"

#include <fnmatch.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/tree.h"

/* A pattern may match all of a directory, and what is in all of those. */
#define FILES_MAX 1024

int containerd_files_add(struct arena *arena, const char *path, struct containerd_files *files,
			 struct err *err)
{
	const char **larger;

	for (size_t i = 0; i < files->n; i++) {
		if (strcmp(files->path[i], path) == 0)
			return 0;
	}
	if (files->n == FILES_MAX)
		return err_set(err, "%.256s: containerd's configuration has more than %d files",
			       path, FILES_MAX);
	larger = arena_grow(arena, files->path, files->n, &files->room, sizeof(*larger));
	if (!larger)
		return err_memory(err);
	files->path = larger;
	files->path[files->n++] = path;
	return 0;
}

/* What there is in dir that the part of a pattern matches */
static int match(struct arena *arena, int root, const char *dir, const char *part,
		 struct containerd_files *found, struct err *err)
{
	const char **names;
	int n = tree_list_all(arena, root, dir, "", &names);

	for (int i = 0; i < n; i++) {
		const char *path;

		if (fnmatch(part, names[i], 0) != 0)
			continue;
		path = arena_printf(arena, "%s/%s", dir, names[i]);
		if (!path)
			return err_memory(err);
		if (containerd_files_add(arena, path, found, err) < 0)
			return -1;
	}
	return n < 0 ? err_memory(err) : 0;
}

/* All of dirs, one part of the pattern further */
static int step(struct arena *arena, int root, const struct containerd_files *dirs,
		const char *part, struct containerd_files *found, struct err *err)
{
	for (size_t i = 0; i < dirs->n; i++) {
		const char *path;

		if (strpbrk(part, "*?[")) {
			if (match(arena, root, dirs->path[i], part, found, err) < 0)
				return -1;
			continue;
		}
		path = arena_printf(arena, "%s/%s", dirs->path[i], part);
		if (!path)
			return err_memory(err);
		if (tree_exists(root, path) && containerd_files_add(arena, path, found, err) < 0)
			return -1;
	}
	return 0;
}

/* pattern: absolute; it is taken apart */
static int expand(struct arena *arena, int root, char *pattern, struct containerd_files *files,
		  struct err *err)
{
	struct containerd_files found = {0};
	const char *part;

	if (containerd_files_add(arena, "", &found, err) < 0)
		return -1;
	while ((part = strsep(&pattern, "/"))) {
		struct containerd_files next = {0};

		if (!*part)
			continue;
		if (step(arena, root, &found, part, &next, err) < 0)
			return -1;
		found = next;
	}
	for (size_t i = 0; i < found.n; i++) {
		if (containerd_files_add(arena, found.path[i], files, err) < 0)
			return -1;
	}
	return 0;
}

/* As filepath.Clean: by its text alone, so that a file that is named in two ways is read once.
 * path: absolute */
static void clean(char *path)
{
	const char *part;
	char *rest = path;
	char *end = path;

	while ((part = strsep(&rest, "/"))) {
		size_t len = strlen(part);

		if (len == 2 && memcmp(part, "..", 2) == 0) {
			while (end > path && *--end != '/')
				;
		} else if (len && !(len == 1 && *part == '.')) {
			*end++ = '/';
			memmove(end, part, len);
			end += len;
		}
	}
	*end = '\0';
}

int containerd_files_import(struct arena *arena, int root, const char *parent, const char *import,
			    struct containerd_files *files, struct err *err)
{
	int dir = (int)(text_base_name(parent) - parent);
	char *path = import[0] == '/' ? arena_strdup(arena, import)
				      : arena_printf(arena, "%.*s%s", dir, parent, import);

	if (!path)
		return err_memory(err);
	clean(path);
	return strchr(import, '*') ? expand(arena, root, path, files, err)
				   : containerd_files_add(arena, path, files, err);
}
