/* SPDX-License-Identifier: Apache-2.0 */
/* Files found through links: whoever can change a link can change the file. */
#include "tests/unit/unit.h"

#include <limits.h>

#include "lib/trusted_link.h"

#define SIZE_MAX_READ 16

/* ---- what lies there ---- */

static const struct {
	const char *path;
	const char *target;
} links[] = {
	{"usr/relative", "../var/real"},
	{"usr/absolute", "/var/real"},
	{"usr/far", "../../../../../../../../var/real"},
	{"usr/self", "self"},
	{"usr/nowhere", "absent"},
	{"usr/opened", "../open/leaving"},
	{"var/real/link", "file"},
	{"file", "var/real/link"},
	{"open/leaving", "../var/real"},
	{"k", "var/real"},
};

static void make_tree(int root)
{
	unit_write(root, "usr/file", "usr", 0644);
	unit_write(root, "var/real/file", "abc", 0644);
	unit_write(root, "var/real/others", "abc", 0646);
	unit_write(root, "open/file", "abc", 0644);
	assert_int_equal(fchmodat(root, "open", 0777, 0), 0);
	assert_int_equal(mkfifoat(root, "fifo", 0600), 0);
	for (size_t i = 0; i < LENGTH(links); i++)
		assert_int_equal(symlinkat(links[i].target, root, links[i].path), 0);
}

/* ---- where a path leads ---- */

static const struct linked_case {
	const char *name;
	const char *path;
	bool linked;
	const char *error; /* NULL: it is found */
} linked_cases[] = {
	{"linked: a path without a link", "/var/real/file", false, NULL},
	{"linked: slashes and dots", "//var/.//real/./file", false, NULL},
	{"linked: .. is the directory above", "/usr/../var/real/file", false, NULL},
	{"linked: .. does not leave the root", "/../usr/../../var/real/file", false, NULL},
	{"linked: a relative link", "/usr/relative/file", true, NULL},
	{"linked: an absolute link begins at the root", "/usr/absolute/file", true, NULL},
	{"linked: a link does not leave the root", "/usr/far/file", true, NULL},
	{"linked: the file is a link", "/var/real/link", true, NULL},
	{"linked: .. behind a link is the target's", "/usr/relative/../real/file", true, NULL},
	{"linked: a link to itself", "/usr/self", false, "self: Too many levels of symbolic links"},
	{"linked: a link to nowhere", "/usr/nowhere", false, "absent: No such file or directory"},
	{"linked: a directory that others may write", "/open/file", false, "open is writable"},
	{"linked: such a directory on a link's way", "/usr/opened/file", false, "open is writable"},
	{"linked: such a directory, left again by ..", "/open/../var/real/file", false,
	 "open is writable"},
	{"linked: a file that others may write", "/var/real/others", false, "others is writable"},
	{"linked: a file is no directory", "/var/real/file/x", false, "file: Not a directory"},
	{"linked: nor with a slash behind it", "/var/real/file/", false, "file: Not a directory"},
	{"linked: a directory is no file", "/var/real", false, "not a regular file"},
	{"linked: nor by its dot", "/var/real/.", false, "not a regular file"},
	{"linked: nor an empty path", "", false, "not a regular file"},
	{"linked: a FIFO is no file, and is not waited for", "/fifo", false, "not a regular file"},
};

static int read_linked(int root, const char *path, bool *ret_linked, struct err *err)
{
	cleanup_arena arena = {0};
	struct fs_text text;
	int status = trust_read_linked(&arena, root, path, SIZE_MAX_READ, &text, ret_linked, err);

	if (status == 0)
		assert_string_equal(text.bytes, "abc");
	return status;
}

UNIT_ROWS(linked_cases)
{
	WITH_DIR(root);
	bool linked = !row->linked;
	int before;
	int status;

	make_tree(root.fd);
	before = unit_descriptors();
	status = read_linked(root.fd, row->path, &linked, &err);
	assert_int_equal(unit_descriptors(), before);
	assert_int_equal(status, row->error ? -1 : 0);
	if (row->error) {
		assert_has(err.text, row->error);
		return;
	}
	assert_string_equal(err.text, "");
	assert_int_equal(linked, row->linked);
}

/* The bundle finder distinguishes "not there" from other errors. */
UNIT_TEST("linked: what is not there is told apart")
{
	WITH_DIR(root);
	cleanup_fd fd = -1;

	make_tree(root.fd);
	assert_int_equal(trust_open_linked(root.fd, "/absent/file", "what", &err), -ENOENT);
	assert_string_equal(err.text, "what: absent: No such file or directory");
	assert_int_equal(trust_open_linked(root.fd, "/var/absent", "/var/absent", &err), -ENOENT);
	assert_string_equal(err.text, "/var/absent: No such file or directory");
	assert_int_equal(trust_open_linked(root.fd, "/usr/self", "what", &err), -1);
	assert_int_equal(trust_open_linked(-1, "/file", "what", &err), -1);
	assert_string_equal(err.text, "what: Bad file descriptor");
	fd = trust_open_linked(root.fd, "/file", "what", &err);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_PATH, O_PATH);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
}

UNIT_TEST("linked: a relative path begins in the working directory")
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_unit_dir elsewhere = unit_dir_make();
	cleanup_fd before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd usr = -1;
	struct err err = {0};
	bool linked;

	make_tree(root.fd);
	usr = openat(root.fd, "usr", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(fchdir(usr), 0);
	assert_int_equal(read_linked(elsewhere.fd, "relative/file", &linked, &err), 0);
	assert_int_equal(read_linked(elsewhere.fd, "../var/real/file", &linked, &err), 0);
	assert_int_equal(read_linked(elsewhere.fd, "absolute/file", &linked, &err), -1);
	assert_int_equal(fchdir(before), 0);
	assert_has(err.text, "var: No such file or directory");
}

UNIT_TEST("linked: as many links as the kernel follows, and no more")
{
	WITH_DIR(root);
	char from[16];
	char to[16];
	bool linked;

	make_tree(root.fd);
	assert_int_equal(symlinkat("var/real/file", root.fd, "n1"), 0);
	for (int i = 2; i <= 41; i++) {
		snprintf(from, sizeof(from), "n%d", i);
		snprintf(to, sizeof(to), "n%d", i - 1);
		assert_int_equal(symlinkat(to, root.fd, from), 0);
	}
	assert_int_equal(read_linked(root.fd, "/n40", &linked, &err), 0);
	assert_int_equal(read_linked(root.fd, "/n41", &linked, &err), -1);
	assert_has(err.text, "Too many levels of symbolic links");
}

/* front, slashes up to len bytes in all, back */
static const char *path_of(struct arena *arena, const char *front, const char *back, size_t len)
{
	char *path = arena_alloc(arena, len + 1);

	assert_non_null(path);
	memset(path, '/', len);
	memcpy(path, front, strlen(front));
	memcpy(path + len - strlen(back), back, strlen(back));
	return path;
}

static int open_long(int root, const char *front, const char *back, size_t len, struct err *err)
{
	cleanup_arena arena = {0};
	int fd = trust_open_linked(root, path_of(&arena, front, back, len), "what", err);

	if (fd >= 0)
		(void)close(fd);
	return fd < 0 ? fd : 0;
}

UNIT_TEST("linked: a path has its bounds, with what a link puts in front")
{
	WITH_DIR(root);
	size_t behind_link = PATH_MAX - strlen("var/real") + strlen("/k") - 1;

	make_tree(root.fd);
	assert_int_equal(open_long(root.fd, "/", "var/real/file", PATH_MAX - 1, &err), 0);
	assert_int_equal(open_long(root.fd, "/", "var/real/file", PATH_MAX, &err), -1);
	assert_string_equal(err.text, "what: File name too long");
	assert_int_equal(open_long(root.fd, "/k", "file", behind_link, &err), 0);
	assert_int_equal(open_long(root.fd, "/k", "file", behind_link + 1, &err), -1);
	assert_string_equal(err.text, "what: k: Too many levels of symbolic links");
}

UNIT_TEST("linked: a file has its bound")
{
	WITH_DIR(root);
	struct fs_text text;
	bool linked;

	make_tree(root.fd);
	assert_int_equal(
		trust_read_linked(&arena, root.fd, "/file", strlen("abc"), &text, &linked, &err),
		0);
	assert_int_equal(trust_read_linked(&arena, root.fd, "/file", strlen("abc") - 1, &text,
					   &linked, &err),
			 -1);
	assert_has(err.text, "/file");
}

/* ---- whose it is ---- */

UNIT_TEST_FOR_ROOT("linked: nothing of another user's is on the way")
{
	static const struct {
		const char *path;
		const char *error;
	} owned[] = {
		{"usr", "usr belongs to uid 12345"},
		{"usr/relative",
		 "the link relative belongs to uid 12345, not to root: run chown -h root on it"},
		{"var", "var belongs to uid 12345"},
		{"var/real/file", "file belongs to uid 12345"},
	};

	for (size_t i = 0; i < LENGTH(owned); i++) {
		WITH_DIR(root);
		bool linked;

		make_tree(root.fd);
		assert_int_equal(fchownat(root.fd, owned[i].path, 12345, 0, AT_SYMLINK_NOFOLLOW),
				 0);
		assert_int_equal(read_linked(root.fd, "/usr/relative/file", &linked, &err), -1);
		assert_has(err.text, owned[i].error);
	}
}

/* As that user; name NULL: an existing file of root's */
static int read_as(int root, const char *name, uid_t owner, struct err *err)
{
	bool linked;
	int status;

	if (name)
		assert_int_equal(fchownat(root, name, owner, 0, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(seteuid(12345), 0);
	status = read_linked(root, "/usr/relative/file", &linked, err);
	assert_int_equal(seteuid(0), 0);
	return status;
}

UNIT_TEST_FOR_ROOT("linked: another user trusts himself and root")
{
	static const char *const parts[] = {"usr", "usr/relative", "var/real", "var/real/file"};
	WITH_DIR(root);

	make_tree(root.fd);
	assert_int_equal(read_as(root.fd, NULL, 0, &err), 0);
	for (size_t i = 0; i < LENGTH(parts); i++) {
		assert_int_equal(read_as(root.fd, parts[i], 54321, &err), -1);
		assert_has(err.text, "belongs to uid 54321");
		assert_int_equal(read_as(root.fd, parts[i], 12345, &err), 0);
	}
	assert_int_equal(fchmodat(root.fd, "var/real/file", 0600, 0), 0);
	assert_int_equal(read_as(root.fd, "var/real/file", 0, &err), -1);
	assert_string_equal(err.text, "/usr/relative/file: Permission denied");
}

int main(void)
{
	return unit_main("linked");
}
