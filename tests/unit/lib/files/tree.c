/* SPDX-License-Identifier: Apache-2.0 */
/* Files below a foreign root: nothing outside is found, nothing blocks */
#include "tests/unit/unit.h"

#include "core/base/fs.h"
#include "lib/files.h"

/* Links would lead out of the root, to a file beside it that must not be found */
static void make_tree(const struct unit_dir *dir)
{
	unit_write(dir->fd, "secret", "outside\n", 0644);
	unit_write(dir->fd, "root/etc/file", "first \r\nsecond\n", 0644);
	unit_write(dir->fd, "root/bin/tool", "x", 0755);
	unit_write(dir->fd, "root/conf.d/10-b.conf", "", 0644);
	unit_write(dir->fd, "root/conf.d/10-c.conf", "", 0644);
	unit_write(dir->fd, "root/conf.d/10-a.conf", "", 0644);
	unit_write(dir->fd, "root/conf.d/.hidden.conf", "", 0644);
	unit_write(dir->fd, "root/conf.d/readme", "", 0644);
	assert_int_equal(symlinkat("../../secret", dir->fd, "root/etc/out"), 0);
	assert_int_equal(symlinkat("/etc/file", dir->fd, "root/inside"), 0);
	assert_int_equal(symlinkat("../..", dir->fd, "root/etc/up"), 0);
	assert_int_equal(mkfifoat(dir->fd, "root/etc/fifo", 0644), 0);
}

static const struct read_case {
	const char *name;
	const char *path;
	int status;
	const char *line; /* if it is 0 */
} read_cases[] = {
	{"read: a file", "etc/file", 0, "first"},
	{"read: a leading slash is the root", "/etc/file", 0, "first"},
	{"read: an absolute link begins at the root", "inside", 0, "first"},
	{"read: .. does not leave the root", "../../etc/file", 0, "first"},
	{"read: a link does not lead out", "etc/out", -ENOENT, NULL},
	{"read: nor does one to a directory", "etc/up/secret", -ENOENT, NULL},
	{"read: nothing there", "etc/none", -ENOENT, NULL},
	{"read: a directory is no file", "etc", -EINVAL, NULL},
	{"read: a FIFO is none, and blocks nobody", "etc/fifo", -EINVAL, NULL},
};

UNIT_ROWS(read_cases)
{
	WITH_DIR(dir);
	cleanup_fd root = -1;
	struct fs_text text;
	char line[32];

	make_tree(&dir);
	root = tree_open_dir(dir.fd, "root");
	assert_true(root >= 0);
	assert_int_equal(tree_read(&arena, root, row->path, 64, &text), row->status);
	if (row->status < 0) {
		assert_int_equal(tree_read_line(root, row->path, line, sizeof(line)), row->status);
		return;
	}
	assert_string_equal(text.bytes, "first \r\nsecond\n");
	assert_int_equal(tree_read_line(root, row->path, line, sizeof(line)), strlen(row->line));
	assert_string_equal(line, row->line);
}

UNIT_TEST("read: more than the bound is an error")
{
	WITH_DIR(dir);
	struct fs_text text;

	unit_write(dir.fd, "file", "12345678", 0644);
	assert_int_equal(tree_read(&arena, dir.fd, "file", 8, &text), 0);
	assert_int_equal(tree_read(&arena, dir.fd, "file", 7, &text), -EFBIG);
}

UNIT_TEST("there: what is, and what can be run")
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_fd root = -1;

	make_tree(&dir);
	root = tree_open_dir(dir.fd, "root");
	assert_true(tree_exists(root, "etc/fifo"));
	assert_true(tree_exists(root, "conf.d"));
	assert_false(tree_exists(root, "etc/out"));
	assert_int_equal(tree_check_executable(root, "bin/tool"), 0);
	assert_int_equal(tree_check_executable(root, "etc/file"), -EACCES);
	assert_int_equal(tree_check_executable(root, "bin"), -EACCES);
	assert_int_equal(tree_check_executable(root, "bin/none"), -ENOENT);
	assert_int_equal(tree_open_dir(root, "etc/file"), -ENOTDIR);
}

UNIT_TEST("list: by the end of the names, in their order")
{
	WITH_DIR(dir);
	cleanup_fd root = -1;
	const char **names;

	make_tree(&dir);
	root = tree_open_dir(dir.fd, "root");
	assert_int_equal(tree_list(&arena, root, "conf.d", ".conf", &names), 4);
	assert_string_equal(names[0], ".hidden.conf");
	assert_string_equal(names[1], "10-a.conf");
	assert_string_equal(names[2], "10-b.conf");
	assert_string_equal(names[3], "10-c.conf");
	assert_int_equal(tree_list(&arena, root, "conf.d", "", &names), 5);
	assert_int_equal(tree_list(&arena, root, "none", ".conf", &names), 0);
	assert_null(names);
}

int main(void)
{
	return unit_main("tree");
}
