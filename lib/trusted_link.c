/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/trusted_link.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/trust.h"
#include "lib/files.h"

#define LINKS_MAX 40 /* as the kernel's */

struct walk {
	int root;
	int held; /* directory reached; owned */
	char *rest;
	char *next;
	int links;
};

static int walk_from(struct walk *w, int dir)
{
	int fd = openat(dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	cleanup_close_fd(&w->held);
	w->held = fd;
	return 0;
}

static int walk_link(struct walk *w, int link)
{
	static char target[PATH_MAX];
	ssize_t len = fs_read_link(link, "", target, sizeof(target));
	size_t behind = w->next ? strlen(w->next) + 1 : 0;

	if (len < 0 || (size_t)len + 1 + behind > PATH_MAX || ++w->links > LINKS_MAX) {
		errno = len < 0 ? (int)-len : ELOOP;
		return -1;
	}
	if (behind) {
		memmove(w->rest + len + 1, w->next, behind);
		w->rest[len] = '/';
	} else {
		w->rest[len] = '\0';
	}
	memcpy(w->rest, target, (size_t)len);
	w->next = w->rest;
	return target[0] == '/' ? walk_from(w, w->root) : 0;
}

/* A link's owner decides where it leads; its mode means nothing */
static int check_link(int fd, const char *what, const char *part, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return path_part_error(errno, what, part, err);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return err_set(
			err,
			"%s: the link %s belongs to uid %u, not to root: run chown -h root on it",
			what, part, st.st_uid);
	return 0;
}

/* 1: the last component, in w->held */
static int walk_part(struct walk *w, const char *part, const char *what, struct err *err)
{
	bool up = strcmp(part, "..") == 0;
	cleanup_fd fd = -1;
	struct stat st;

	if (!part[0] || strcmp(part, ".") == 0 || (up && fs_same_file(w->held, w->root)))
		return 0;
	fd = openat(w->held, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return path_part_error(errno, what, part, err);
	if (S_ISLNK(st.st_mode)) {
		if (check_link(fd, what, part, err) < 0)
			return -1;
		return walk_link(w, fd) < 0 ? path_part_error(errno, what, part, err) : 0;
	}
	if (w->next && !S_ISDIR(st.st_mode))
		return path_part_error(ENOTDIR, what, part, err);
	if (check_path_part(fd, w->next != NULL, false, what, part, err) < 0)
		return -1;
	cleanup_close_fd(&w->held);
	w->held = steal_fd(&fd);
	return w->next == NULL;
}

static void walk_end(const struct walk *w)
{
	cleanup_close_fd(&w->held);
}

static int open_linked(int root, const char *path, const char *what, bool *ret_linked,
		       struct err *err)
{
	static char rest[PATH_MAX];
	__attribute__((cleanup(walk_end))) struct walk w = {
		.root = root, .held = -1, .rest = rest, .next = rest};
	int status = 0;

	if (strlen(path) >= sizeof(rest))
		return err_sys(err, ENAMETOOLONG, "%s", what);
	strcpy(rest, path);
	if (walk_from(&w, path[0] == '/' ? root : AT_FDCWD) < 0)
		return err_sys(err, errno, "%s", what);
	while (status == 0 && w.next)
		status = walk_part(&w, strsep(&w.next, "/"), what, err);
	if (status == 0) /* ended in ".", ".." or "/" */
		return err_set(err, "%s: not a regular file", what);
	*ret_linked = w.links > 0;
	return status < 0 ? status : steal_fd(&w.held);
}

int trust_open_linked(int root, const char *path, const char *what, struct err *err)
{
	bool linked;

	return open_linked(root, path, what, &linked, err);
}

int trust_read_linked(struct arena *arena, int root, const char *path, size_t max,
		      struct fs_text *ret_text, bool *ret_linked, struct err *err)
{
	cleanup_fd found = open_linked(root, path, path, ret_linked, err);
	cleanup_fd fd = -1;

	if (found < 0)
		return -1;
	fd = fs_reopen_regular(found);
	if (fd < 0) {
		err_sys(err, -fd, "%s", path);
		return -1;
	}
	return fs_read_regular(arena, fd, max, path, ret_text, err);
}
