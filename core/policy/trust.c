/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policy/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

/* "/etc/x.json: etc: Permission denied". The file itself is named once: "/etc/x.json: No such …" */
static int fail_sys(int errnum, const char *what, const char *part, struct err *err)
{
	if (strcmp(text_base_name(what), part) == 0)
		return err_sys(err, errnum, "%s", what);
	return err_sys(err, errnum, "%s: %s", what, part);
}

static int fail_owner(uid_t uid, const char *what, const char *part, struct err *err)
{
	if (uid == OVERFLOW_UID && rootless())
		return err_set(
			err,
			"%s: the owner of %s is not mapped into this user namespace; a rootless "
			"engine trusts such a file only if it is the policy in /etc",
			what, part);
	return err_set(err, "%s: %s belongs to uid %u, not to root: run chown root on it", what,
		       part, uid);
}

static int check(int fd, bool directory, bool in_etc, const char *what, const char *part,
		 struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fail_sys(errno, what, part, err);
	if (!directory && !S_ISREG(st.st_mode))
		return err_set(err, "%s: not a regular file", what);
	if (st.st_uid != 0 && st.st_uid != geteuid() &&
	    !(in_etc && st.st_uid == OVERFLOW_UID && rootless()))
		return fail_owner(st.st_uid, what, part, err);
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(directory && st.st_mode & S_ISVTX))
		return err_set(err,
			       "%s: %s is writable by others (mode %04o): run chmod go-w on it",
			       what, part, st.st_mode & 07777U);
	return 0;
}

static int open_part(int dir, const char *part, bool directory)
{
	int flags = O_NOFOLLOW | O_CLOEXEC;

	flags |= directory ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK | O_NOCTTY;
	return openat(dir, part, flags);
}

int trust_open(int dir, const char *path, bool in_etc, const char *what, struct err *err)
{
	cleanup_fd held = -1;
	static char parts[PATH_MAX]; /* as copy_attribute of base/replace.c has it */
	char *rest = parts;
	char *part;

	if (strlen(path) >= sizeof(parts))
		return err_sys(err, ENAMETOOLONG, "%s", what);
	strcpy(parts, path);
	held = openat(dir, path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	while ((part = strsep(&rest, "/"))) {
		bool directory = rest != NULL;
		int next;

		if (directory && !part[0])
			continue;
		next = held < 0 ? -1 : open_part(held, part, directory);
		if (next < 0 && errno == ENOENT) {
			(void)err_sys(err, ENOENT, "%s", what);
			return -ENOENT;
		}
		if (next < 0 && (errno == ELOOP || errno == ENOTDIR))
			return err_set(err, "%s: %s is a symbolic link or not a directory", what,
				       part);
		if (next < 0)
			return fail_sys(errno, what, part, err);
		cleanup_close_fd(&held);
		held = next;
		if (check(held, directory, in_etc, what, part, err) < 0)
			return -1;
	}
	return take_fd(&held);
}

#define LINKS_MAX 40 /* as the kernel's */

struct walk {
	int root;
	int held;   /* the directory reached; owned */
	char *rest; /* what is still to go: PATH_MAX bytes */
	char *next; /* in rest */
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

/* Puts a link's target in front of what is still to go. */
static int walk_link(struct walk *w, int link)
{
	static char target[PATH_MAX]; /* a caller's stack may be small */
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

/* The writer of a link decides where it leads; a link's own mode says nothing. */
static int check_link(int fd, const char *what, const char *part, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fail_sys(errno, what, part, err);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return err_set(
			err,
			"%s: the link %s belongs to uid %u, not to root: run chown -h root on it",
			what, part, st.st_uid);
	return 0;
}

/* One component. Returns 1 if it was the last one, and w->held is it. */
static int walk_part(struct walk *w, const char *part, const char *what, struct err *err)
{
	bool up = strcmp(part, "..") == 0;
	cleanup_fd fd = -1;
	struct stat st;

	if (!part[0] || strcmp(part, ".") == 0 || (up && fs_same_file(w->held, w->root)))
		return 0;
	fd = openat(w->held, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		int missing = errno == ENOENT;

		(void)fail_sys(errno, what, part, err);
		return missing ? -ENOENT : -1;
	}
	if (S_ISLNK(st.st_mode)) {
		if (check_link(fd, what, part, err) < 0)
			return -1;
		return walk_link(w, fd) < 0 ? fail_sys(errno, what, part, err) : 0;
	}
	if (w->next && !S_ISDIR(st.st_mode))
		return fail_sys(ENOTDIR, what, part, err);
	if (check(fd, w->next != NULL, false, what, part, err) < 0)
		return -1;
	cleanup_close_fd(&w->held);
	w->held = take_fd(&fd);
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
	if (status == 0) /* it ended in ".", ".." or "/" */
		return err_set(err, "%s: not a regular file", what);
	*ret_linked = w.links > 0;
	return status < 0 ? status : take_fd(&w.held);
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
		(void)err_sys(err, -fd, "%s", path);
		return -1;
	}
	return fs_read_regular(arena, fd, max, path, ret_text, err);
}
