/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policy/hooks_dir.h"

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
#include "core/base/tree.h"
#include "core/policy/trust.h"

/* CRI-O's hooks_dir in OpenShift (machine-config-operator, templates/…/crio.yaml); its own default
 * and podman's is the last. */
const char *const hooks_dirs[] = {
	"/etc/containers/oci/hooks.d",
	"/run/containers/oci/hooks.d",
	"/usr/share/containers/oci/hooks.d",
	NULL,
};

static int check_executable(int sysroot, const struct hooks_file *file, struct err *err)
{
	cleanup_fd fd = trust_open_linked(sysroot, file->path, file->path, err);
	struct statvfs fs;
	struct stat st;

	if (fd == -ENOENT)
		return err_set(err,
			       "%s does not exist, and engines leave such a hook out: install it "
			       "first",
			       file->path);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || fstatvfs(fd, &fs) < 0)
		return err_sys(err, errno, "%s", file->path);
	if (!(st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
		return err_set(err, "%s is not executable (mode %04o): chmod 0755 it", file->path,
			       st.st_mode & 07777U);
	if (fs.f_flag & ST_NOEXEC)
		return err_set(
			err, "%s is on a file system that is mounted noexec: install it elsewhere",
			file->path);
	return 0;
}

static int open_parent(int root, const char *path)
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
static int check_precreate(int root, int sysroot, const char *path, struct err *err)
{
	cleanup_fd parent = open_parent(root, path);

	for (const char *const *name = hooks_dirs; *name && parent >= 0; name++) {
		cleanup_fd dir = tree_open_dir(sysroot, *name);

		if (dir >= 0 && fs_same_file(parent, dir))
			return err_set(err,
				       "%s: a precreate hook in %s, which CRI-O reads, and then "
				       "does not start: move it to a directory of podman's own",
				       path, *name);
	}
	return 0;
}

int hooks_check_text(struct arena *arena, int root, int sysroot, const char *path,
		     const struct fs_text *text, int64_t timeout_min, struct hooks_file *ret_file,
		     struct err *err)
{
	struct hooks_file file;

	if (text->len > HOOKS_FILE_SIZE_MAX)
		return err_set(err, "%s: larger than %d bytes, which is the limit", path,
			       HOOKS_FILE_SIZE_MAX);
	if (hooks_file_read(arena, text->bytes, text->len, path, &file, err) < 0 ||
	    hooks_file_check_timeout(&file, timeout_min, path, err) < 0)
		return -1;
	if (check_executable(sysroot, &file, err) < 0)
		return err_prefix(err, "%s: line %zu: hook.path", path, file.path_line);
	if (file.stages & HOOKS_PRECREATE && check_precreate(root, sysroot, path, err) < 0)
		return -1;
	*ret_file = file;
	return 0;
}

int hooks_check(struct arena *arena, int root, int sysroot, const char *path, int64_t timeout_min,
		struct hooks_file *ret_file, struct err *err)
{
	struct fs_text text;
	bool linked;

	if (trust_read_linked(arena, root, path, HOOKS_FILE_SIZE_MAX, &text, &linked, err) < 0)
		return -1;
	return hooks_check_text(arena, root, sysroot, path, &text, timeout_min, ret_file, err);
}

/* ---- all of a node ---- */

struct search {
	struct arena *arena;
	int sysroot;
	int64_t timeout_min;
	struct hooks_found *found;
	size_t n;
	size_t room;
};

static int add(struct search *s, const struct hooks_found *found, struct err *err)
{
	struct hooks_found *larger =
		arena_grow(s->arena, s->found, s->n, &s->room, sizeof(*larger));

	if (!larger)
		return err_memory(err);
	s->found = larger;
	s->found[s->n++] = *found;
	return 0;
}

/* A file that cannot be read may be ours by its name. Others' files are not our business. */
static int add_if_ours(struct search *s, const char *path, struct err *err)
{
	struct hooks_found found = {.path = path};
	struct fs_text text = {0};
	struct err problem;
	bool linked;
	int status = trust_read_linked(s->arena, s->sysroot, path, HOOKS_FILE_SIZE_MAX, &text,
				       &linked, &problem);

	if (status < 0 ? !strstr(path, HOOK_NAME)
		       : !memmem(text.bytes, text.len, HOOK_NAME, strlen(HOOK_NAME)))
		return 0;
	if (status == 0)
		status = hooks_check_text(s->arena, s->sysroot, s->sysroot, path, &text,
					  s->timeout_min, &found.file, &problem);
	if (status < 0) {
		found.problem = arena_strdup(s->arena, problem.text);
		if (!found.problem)
			return err_memory(err);
	}
	return add(s, &found, err);
}

static int search_dir(struct search *s, const char *name, struct err *err)
{
	cleanup_dir *dir = NULL;
	const struct dirent *entry;

	if (tree_open_listing(s->sysroot, name, &dir) < 0)
		return err_memory(err);
	while (dir && (entry = readdir(dir))) {
		const char *path;

		if (!text_ends_with(entry->d_name, ".json"))
			continue;
		path = arena_printf(s->arena, "%s/%s", name, entry->d_name);
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

int hooks_check_all(struct arena *arena, int sysroot, int64_t timeout_min,
		    struct hooks_found **ret_found, size_t *ret_n, struct err *err)
{
	struct search s = {.arena = arena, .sysroot = sysroot, .timeout_min = timeout_min};

	for (const char *const *name = hooks_dirs; *name; name++) {
		if (search_dir(&s, *name, err) < 0)
			return -1;
	}
	if (s.n)
		qsort(s.found, s.n, sizeof(*s.found), by_path);
	*ret_found = s.found;
	*ret_n = s.n;
	return 0;
}
