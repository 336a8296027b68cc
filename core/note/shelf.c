/* SPDX-License-Identifier: Apache-2.0 */
#include "core/note/note.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

int shelf_name(const char *id, const char *kind, char name[SHELF_NAME_SIZE])
{
	size_t len = strlen(id);

	if (!len || len > SHELF_ID_MAX || id[0] == '.' ||
	    strspn(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.-") != len)
		return -1;
	(void)snprintf(name, SHELF_NAME_SIZE, "%s%s%s" SHELF_SUFFIX, id, kind ? "." : "",
		       kind ? kind : "");
	return 0;
}

/* ---- the directory ---- */

static bool is_roots_alone(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid()) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

int shelf_open(const struct shelf *shelf, int sysroot, struct err *err)
{
	cleanup_fd dir = fs_open(sysroot, shelf->path, O_RDONLY | O_DIRECTORY, RESOLVE_IN_ROOT);

	if (dir == -ENOENT)
		return -ENOENT;
	if (dir < 0)
		return err_sys(err, -dir, "/%s", shelf->path);
	if (!is_roots_alone(dir))
		return err_set(err,
			       "/%s must belong to root alone: run chown root and chmod 0700 on it",
			       shelf->path);
	return take_fd(&dir);
}

/* Returns 0 or -errno. */
static int make_below(int sysroot, const char *parent, const char *name)
{
	cleanup_fd dir = fs_open(sysroot, parent, O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);

	if (dir < 0)
		return dir;
	return mkdirat(dir, name, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

static int make_dir(const struct shelf *shelf, int sysroot, struct err *err)
{
	int dir = shelf_open(shelf, sysroot, err);
	int status;

	if (dir != -ENOENT)
		return dir;
	status = make_below(sysroot, "run", text_base_name(SHELF_PARENT));
	if (status < 0) {
		(void)err_sys(err, -status, "/" SHELF_PARENT);
		return status == -ENOENT ? -ENOENT : -1;
	}
	status = make_below(sysroot, SHELF_PARENT, text_base_name(shelf->path));
	if (status < 0)
		return err_sys(err, -status, "/%s", shelf->path);
	dir = shelf_open(shelf, sysroot, err);
	return dir == -ENOENT ? err_sys(err, ENOENT, "/%s", shelf->path) : dir;
}

/* ---- written ---- */

/* More of them than a node has containers of ours: most have gone since. */
static void remove_oldest(int dir, const char *const *names, size_t n)
{
	const char *oldest = NULL;
	struct stat st;
	time_t time = 0;

	for (size_t i = 0; i < n; i++) {
		if (fstatat(dir, names[i], &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    (oldest && st.st_mtime >= time))
			continue;
		oldest = names[i];
		time = st.st_mtime;
	}
	if (oldest)
		(void)unlinkat(dir, oldest, 0);
}

static int make_room(const struct shelf *shelf, int dir, struct err *err)
{
	cleanup_arena arena = {0};
	const char **names;
	int n = tree_list(&arena, dir, ".", SHELF_SUFFIX, &names);

	if (n < 0)
		return err_memory(err);
	if ((size_t)n >= shelf->n_max)
		remove_oldest(dir, names, (size_t)n);
	return 0;
}

int shelf_write(const struct shelf *shelf, const char *sysroot, const char *name, const char *text,
		size_t len, struct err *err)
{
	cleanup_fd root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd dir = -1;
	char what[SHELF_NAME_SIZE];

	if (root < 0)
		return err_sys(err, errno, "%s", sysroot);
	dir = make_dir(shelf, root, err);
	if (dir < 0)
		return dir;
	if (len > shelf->size_max)
		return err_set(err, "/%s/%s would be longer than %zu bytes", shelf->path, name,
			       shelf->size_max);
	(void)snprintf(what, sizeof(what), "/%s", shelf->path);
	if (make_room(shelf, dir, err) < 0)
		return -1;
	return replace_own(
		dir, &(struct replacement){.name = name, .bytes = text, .len = len, .mode = 0600},
		what, err);
}

/* ---- read ---- */

int shelf_read(struct arena *arena, const struct shelf *shelf, int dir, const char *name,
	       const char **ret_what, struct fs_text *ret_text, struct err *err)
{
	cleanup_fd fd = fs_open(dir, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	const char *what;

	if (fd == -ENOENT)
		return 0;
	what = arena_printf(arena, "/%s/%s", shelf->path, name);
	if (!what)
		return err_memory(err);
	if (fd < 0)
		return err_sys(err, -fd, "%s", what);
	if (!is_roots_alone(fd))
		return err_set(err, "%s: others than root can write it, so it is not believed",
			       what);
	*ret_what = what;
	return fs_read_regular(arena, fd, shelf->size_max, what, ret_text, err) < 0 ? -1 : 1;
}
