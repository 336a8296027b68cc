/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/installation/hooks_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "admin/installation/hooks_file.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "lib/files.h"
#include "lib/trusted_link.h"

const char *const hooks_dirs[] = {
	"/etc/containers/oci/hooks.d",
	"/run/containers/oci/hooks.d",
	"/usr/share/containers/oci/hooks.d",
	NULL,
};

static int check_executable(int sysroot, const struct hooks_file *file, struct err *err)
{
	size_t len = strlen(file->path);
	/* Keep a long path's end, for the error's room. */
	const char *path = file->path + (len > 256 ? len - 256 : 0);
	cleanup_fd fd = -1;
	struct statvfs fs;
	struct stat st;

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
	snprintf(parent, sizeof(parent), "%.*s", (int)len, len ? path : "");
	if (path[0] == '/')
		return tree_open_dir(root, parent);
	return fs_open(AT_FDCWD, len ? parent : ".", O_PATH | O_DIRECTORY, 0);
}

/* Compares directories, not paths. */
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
	/* A tree may be for a node with CRI-O. */
	const char *const *dirs = place->crio_dirs ? place->crio_dirs : hooks_dirs;
	const char *dir = parent < 0 ? NULL : find_dir(place->sysroot, dirs, parent);

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
	if (hooks_file_read(arena, text->bytes, text->len, path, true, &file, err) < 0 ||
	    hooks_file_check_timeout(&file, place->timeout_min, path, err) < 0)
		return -1;
	if (check_executable(place->sysroot, &file, err) < 0)
		return err_prefix(err, "%s: line %zu: hook.path", path, file.path_line);
	if (file.stages & HOOKS_PRECREATE && check_precreate(place, path, err) < 0)
		return -1;
	*ret_file = file;
	return 0;
}

struct search {
	struct arena *arena;
	const struct hooks_place *place;
	struct hooks_found *found;
	size_t n;
	size_t room;
};

static void add_hooks_file(struct search *s, const char *path, bool crio_reads)
{
	struct hooks_found found = {.path = path, .crio_reads = crio_reads};
	struct hooks_found *added;
	struct fs_text text = {0};
	struct err why;
	bool linked;
	int status = tree_read(s->arena, s->place->sysroot, path, HOOKS_FILE_SIZE_MAX, &text);

	why.errnum = 0;
	if (status < 0)
		err_sys(&why, -status, "%s", path);
	else
		status = hooks_file_read(s->arena, text.bytes, text.len, path, false, &found.file,
					 &why);
	if (status < 0) {
		found.fault = arena_strdup(s->arena, why.text);
		found.ours =
			strstr(path, HOOK_NAME) ||
			(text.bytes && memmem(text.bytes, text.len, HOOK_NAME, strlen(HOOK_NAME)));
	} else {
		found.ours = strcmp(text_base_name(found.file.path), HOOK_NAME) == 0;
	}
	/* Also checks owners and modes of the path and of what its links lead to. */
	if (found.ours &&
	    (trust_read_linked(s->arena, s->place->root, path, HOOKS_FILE_SIZE_MAX, &text, &linked,
			       &why) < 0 ||
	     hooks_check_text(s->arena, s->place, path, &text, &found.file, &why) < 0))
		found.problem = arena_strdup(s->arena, why.text);
	s->arena->failed |= why.errnum == ENOMEM;
	added = arena_push(s->arena, s->found, s->n, s->room);
	if (added)
		*added = found;
}

static void add_dir(struct search *s, const char *dir, bool crio_reads)
{
	const char **names;
	/* Also hidden ones: engines check only the ending (pkg/hooks/read.go, ReadDir). */
	int n = tree_list(s->arena, s->place->sysroot, dir, ".json", &names);

	for (int i = 0; i < n; i++) {
		const char *path = arena_printf(s->arena, "%s/%s", dir, names[i]);

		if (path)
			add_hooks_file(s, path, crio_reads);
	}
}

/* Engines skip files without their program (pkg/hooks/read.go). */
static bool is_taken(const struct search *s, const struct hooks_found *found)
{
	return !found->fault &&
	       tree_check_executable(s->place->sysroot, found->file.path) != -ENOENT;
}

static const char *find_override(const struct search *s, const struct hooks_found *found)
{
	const char *last = NULL;

	for (const struct hooks_found *f = found + 1; f < s->found + s->n; f++) {
		if (f->crio_reads == found->crio_reads &&
		    strcmp(text_base_name(f->path), text_base_name(found->path)) == 0 &&
		    is_taken(s, f))
			last = f->path;
	}
	return last;
}

/* Ours unread by CRI-O, if no other has their stages */
static void find_unread(struct search *s)
{
	const char *const *dirs = s->place->crio_dirs;
	unsigned given = HOOKS_PRECREATE;

	for (size_t i = 0; i < s->n; i++) {
		if (s->found[i].ours && s->found[i].crio_reads && !s->found[i].problem)
			given |= s->found[i].file.stages;
	}
	for (size_t i = 0; dirs && i < s->n; i++) {
		struct hooks_found *found = &s->found[i];

		if (found->ours && !found->crio_reads && found->file.stages & ~given)
			found->unread = arena_printf(
				s->arena,
				"%s: CRI-O does not read this directory: move the file to %s, or "
				"add the directory to hooks_dir",
				found->path, *dirs ? *dirs : "a directory of its hooks_dir");
	}
}

/* CRI-O's order, then podman's (libpod: hooks.DefaultDir, OverrideDir) */
int hooks_list(struct arena *arena, const struct hooks_place *place, struct hooks_found **ret_found,
	       size_t *ret_n, struct err *err)
{
	struct hooks_place below = *place;
	struct search s = {.arena = arena, .place = &below};
	size_t n = 0;

	below.root = place->sysroot;
	for (const char *const *dir = place->crio_dirs; dir && *dir; dir++)
		add_dir(&s, *dir, true);
	while (hooks_dirs[n])
		n++;
	while (n-- > 0) {
		cleanup_fd dir = tree_open_dir(place->sysroot, hooks_dirs[n]);

		if (dir >= 0 && !find_dir(place->sysroot, place->crio_dirs, dir))
			add_dir(&s, hooks_dirs[n], false);
	}
	for (size_t i = 0; i < s.n; i++)
		s.found[i].override = find_override(&s, &s.found[i]);
	find_unread(&s);
	*ret_found = s.found;
	*ret_n = s.n;
	return err_of_arena(arena, err);
}
