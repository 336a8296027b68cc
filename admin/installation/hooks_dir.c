/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/installation/installation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/policy/trust.h"

/* CRI-O's hooks_dir in OpenShift (machine-config-operator, templates/…/crio.yaml); its own default
 * and podman's is the last. */
const char *const hooks_dirs[] = {
	"/etc/containers/oci/hooks.d",
	"/run/containers/oci/hooks.d",
	"/usr/share/containers/oci/hooks.d",
	NULL,
};

/* A long one would leave no room for what is wrong with it. */
static void shorten(const char *path, char *shown, size_t size)
{
	size_t len = strlen(path);
	size_t half = size / 2 - sizeof("…");

	if (len < size)
		(void)snprintf(shown, size, "%s", path);
	else
		(void)snprintf(shown, size, "%.*s…%s", (int)half, path, path + len - half);
}

static int check_executable(int sysroot, const struct hooks_file *file, struct err *err)
{
	char path[256];
	cleanup_fd fd = -1;
	struct statvfs fs;
	struct stat st;

	shorten(file->path, path, sizeof(path));
	fd = trust_open_linked(sysroot, file->path, path, err);
	if (fd == -ENOENT)
		return err_set(
			err, "%s does not exist, so that no engine runs the hook: install it first",
			path);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || fstatvfs(fd, &fs) < 0)
		return err_sys(err, errno, "%s", path);
	if (!(st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
		return err_set(err, "%s is not executable (mode %04o): run chmod 0755 on it", path,
			       st.st_mode & 07777U);
	if (fs.f_flag & ST_NOEXEC)
		return err_set(
			err, "%s is on a file system that is mounted noexec: install it elsewhere",
			path);
	return 0;
}

static int open_above(int root, const char *path)
{
	size_t len = (size_t)(text_base_name(path) - path);
	char parent[PATH_MAX];

	if (len >= sizeof(parent))
		return -ENAMETOOLONG;
	(void)snprintf(parent, sizeof(parent), "%.*s", (int)len, len ? path : "");
	if (path[0] == '/')
		return tree_open_dir(root, parent);
	return fs_open(AT_FDCWD, len ? parent : ".", O_PATH | O_DIRECTORY, 0);
}

/* The directory as such, whatever path leads to it */
static const char *find_dir(int sysroot, const char *const *dirs, int wanted)
{
	for (; dirs && *dirs; dirs++) {
		cleanup_fd dir = tree_open_dir(sysroot, *dirs);

		if (dir >= 0 && fs_same_file(wanted, dir))
			return *dirs;
	}
	return NULL;
}

static int check_precreate(const struct hooks_place *place, const char *path, struct err *err)
{
	cleanup_fd parent = open_above(place->root, path);
	const char *dir = parent < 0 ? NULL : find_dir(place->sysroot, hooks_dirs, parent);

	if (parent >= 0 && !dir)
		dir = find_dir(place->sysroot, place->crio_dirs, parent);
	if (!dir)
		return 0;
	return err_set(err,
		       "%s: CRI-O reads %s, and does not start if it finds a precreate hook there: "
		       "move the file to a directory that only podman reads",
		       path, dir);
}

int hooks_check_text(struct arena *arena, const struct hooks_place *place, const char *path,
		     const struct fs_text *text, struct hooks_file *ret_file, struct err *err)
{
	struct hooks_file file;

	if (text->len > HOOKS_FILE_SIZE_MAX)
		return err_set(err, "%s: larger than %d bytes, which is the limit", path,
			       HOOKS_FILE_SIZE_MAX);
	if (hooks_file_read(arena, text->bytes, text->len, path, &file, err) < 0 ||
	    hooks_file_check_timeout(&file, place->timeout_min, path, err) < 0)
		return -1;
	if (check_executable(place->sysroot, &file, err) < 0)
		return err_prefix(err, "%s: line %zu: hook.path", path, file.path_line);
	if (file.stages & HOOKS_PRECREATE && check_precreate(place, path, err) < 0)
		return -1;
	*ret_file = file;
	return 0;
}

int hooks_check(struct arena *arena, const struct hooks_place *place, const char *path,
		struct hooks_file *ret_file, struct err *err)
{
	struct fs_text text;
	bool linked;

	if (trust_read_linked(arena, place->root, path, HOOKS_FILE_SIZE_MAX, &text, &linked, err) <
	    0)
		return -1;
	return hooks_check_text(arena, place, path, &text, ret_file, err);
}

/* ---- all of a node ---- */

struct search {
	struct arena *arena;
	const struct hooks_place *place;
	struct hooks_found *found;
	size_t n;
	size_t room;
};

/* A file that cannot be read may be ours by its name. Others' files are not our business. */
static int add_if_ours(struct search *s, const char *path, struct err *err)
{
	struct hooks_found found = {.path = path};
	struct hooks_found *added;
	struct fs_text text = {0};
	struct err problem;
	bool linked;
	int status = trust_read_linked(s->arena, s->place->sysroot, path, HOOKS_FILE_SIZE_MAX,
				       &text, &linked, &problem);

	if (status < 0 ? !strstr(path, HOOK_NAME)
		       : !memmem(text.bytes, text.len, HOOK_NAME, strlen(HOOK_NAME)))
		return 0;
	if (status == 0)
		status = hooks_check_text(s->arena, s->place, path, &text, &found.file, &problem);
	if (status < 0) {
		found.problem = arena_strdup(s->arena, problem.text);
		if (!found.problem)
			return err_memory(err);
	}
	added = arena_push(s->arena, s->found, s->n, s->room);
	if (!added)
		return err_memory(err);
	*added = found;
	return 0;
}

static int search_dir(struct search *s, const char *dir, struct err *err)
{
	const char **names;
	int n = tree_list_all(s->arena, s->place->sysroot, dir, ".json", &names);

	if (n < 0)
		return err_memory(err);
	for (int i = 0; i < n; i++) {
		const char *path = arena_printf(s->arena, "%s/%s", dir, names[i]);

		if (!path)
			return err_memory(err);
		if (add_if_ours(s, path, err) < 0)
			return -1;
	}
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct hooks_found *)a)->path, ((const struct hooks_found *)b)->path);
}

int hooks_check_all(struct arena *arena, const struct hooks_place *place,
		    struct hooks_found **ret_found, size_t *ret_n, struct err *err)
{
	struct hooks_place below = *place;
	struct search s = {.arena = arena, .place = &below};

	below.root = place->sysroot; /* the paths are the node's */

	for (const char *const *name = hooks_dirs; *name; name++) {
		if (search_dir(&s, *name, err) < 0)
			return -1;
	}
	for (const char *const *name = place->crio_dirs; name && *name; name++) {
		cleanup_fd dir = tree_open_dir(place->sysroot, *name);

		/* One that is one of the others is not searched twice. */
		if (dir >= 0 && !find_dir(place->sysroot, hooks_dirs, dir) &&
		    search_dir(&s, *name, err) < 0)
			return -1;
	}
	if (s.n)
		qsort(s.found, s.n, sizeof(*s.found), by_path);
	*ret_found = s.found;
	*ret_n = s.n;
	return 0;
}
