/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces files in directories that others can write, also concurrently */
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "core/base/fs.h"
#include "core/base/replace.h"
#include "lib/files.h"
#include "tests/unit/unit.h"

#define NAME "file"
#define SIZE 65536 /* more than a pipe or a page takes at once */
#define ROUNDS 200

static int put(int dir, char letter, struct err *err)
{
	static char text[SIZE];

	memset(text, letter, sizeof(text));
	return replace_file(dir,
			    &(struct replacement){
				    .name = NAME,
				    .bytes = text,
				    .len = sizeof(text),
				    .mode = 0640,
			    },
			    NAME, err);
}

static void must_be_whole(int dir, char letter)
{
	cleanup_arena arena = {0};
	const char *text = unit_read(&arena, dir, NAME);

	assert_int_equal(strlen(text), SIZE);
	for (size_t i = 0; i < SIZE; i++)
		assert_true(letter ? text[i] == letter : text[i] == text[0]);
}

/* ---- children: what is changed about them is theirs ---- */

/* Refuses the call, as a file system would */
static void refuse(uint32_t call, int errnum)
{
	struct sock_filter instructions[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)errnum),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = LENGTH(instructions), .filter = instructions};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(2);
}

static int put_without_link(const void *dir)
{
	struct err err;

	refuse(SYS_linkat, EPERM);
	return put(*(const int *)dir, 'b', &err) < 0;
}

UNIT_TEST("replace: a file system without nameless files is served")
{
	cleanup_unit_dir dir = unit_dir_make();

	unit_write(dir.fd, NAME, "old", 0644);
	assert_int_equal(unit_result_of(put_without_link, &dir.fd), 0);
	must_be_whole(dir.fd, 'b');
	assert_int_equal(unit_stat(dir.fd, NAME).st_mode & 07777, 0640);
	assert_int_equal(unit_entries(dir.fd, "."), 1);
}

static int put_without_rename(const void *dir)
{
	struct err err;

	refuse(SYS_renameat, EACCES);
	return put(*(const int *)dir, 'b', &err) != -1 || !strstr(err.text, "Permission denied");
}

UNIT_TEST("replace: a failed rename leaves nothing")
{
	WITH_DIR(dir);

	unit_write(dir.fd, NAME, "old", 0644);
	assert_int_equal(unit_result_of(put_without_rename, &dir.fd), 0);
	assert_string_equal(unit_read(&arena, dir.fd, NAME), "old");
	assert_int_equal(unit_entries(dir.fd, "."), 1);
}

static int write_on(const void *dir)
{
	struct err err;

	for (int i = 0; i < ROUNDS; i++) {
		if (put(*(const int *)dir, (char)('b' + i % 2), &err) < 0)
			return 1;
	}
	return 0;
}

UNIT_TEST("replace: two writers and a reader see whole files")
{
	WITH_DIR(dir);
	pid_t other;

	assert_int_equal(put(dir.fd, 'a', &err), 0);
	other = unit_start(write_on, &dir.fd);
	for (int i = 0; i < ROUNDS; i++) {
		assert_int_equal(put(dir.fd, 'a', &err), 0);
		must_be_whole(dir.fd, 0);
	}
	assert_int_equal(unit_exit_of(other), 0);
	assert_int_equal(unit_entries(dir.fd, "."), 1);
}

/* ---- an idmapped mount ---- */

static int wait_for_end(const void *unused)
{
	(void)unused;
	return pause();
}

/* Opens path through a detached mount that shifts ids by 100000, or skips the test */
static int open_idmapped(const char *path)
{
	pid_t pid = unit_start_mapped(wait_for_end, NULL, "0 100000 1000\n", "0 100000 1000\n");
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_IDMAP};
	int fd = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	char text[64];
	cleanup_fd userns = -1;
	int status;

	snprintf(text, sizeof(text), "/proc/%d/ns/user", pid);
	userns = open(text, O_RDONLY | O_CLOEXEC);
	attr.userns_fd = (uint64_t)userns;
	status = mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr));
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	if (status < 0)
		UNIT_SKIP("no mount can be mapped here");
	return fd;
}

static const struct idmapped_case {
	const char *name;
	bool is_new;
	unsigned owner; /* as the mount shows it */
	int status;
} idmapped_cases[] = {
	{"replace: an idmapped mount: a file of an owner whom it maps", false, 100000, 0},
	{"replace: an idmapped mount: a new file", true, 100000, 0},
	{"replace: an idmapped mount: no file of another", false, 0, -1},
};

UNIT_ROWS_FOR_ROOT(idmapped_cases)
{
	WITH_DIR(dir);
	cleanup_fd idmapped = open_idmapped(dir.path);
	const struct stat owner = {.st_uid = row->owner, .st_gid = row->owner};
	const struct replacement file = {
		.name = NAME, .bytes = "new", .len = 3, .mode = 0644, .owner = &owner};

	if (!row->is_new)
		unit_write(dir.fd, NAME, "old", 0600);
	assert_int_equal(replace_file(idmapped, &file, NAME, &err), row->status);
	assert_int_equal(unit_entries(dir.fd, "."), 1);
	assert_string_equal(unit_read(&arena, dir.fd, NAME), row->status < 0 ? "old" : "new");
	assert_int_equal(put(dir.fd, 'b', &err), 0);
	assert_int_equal(unit_stat(dir.fd, NAME).st_uid, 0);
	assert_int_equal(setfsuid((uid_t)-1), 0);
	assert_int_equal(setfsgid((gid_t)-1), 0);
}

/* ---- by a path ---- */

UNIT_TEST("replace: a path, with a directory and without")
{
	WITH_DIR(dir);
	const char *path = arena_printf(&arena, "%s/" NAME, dir.path);

	unit_write(dir.fd, NAME, "old", 0600);
	assert_int_equal(replace_own_path(path, "new", 3, &err), 0);
	assert_string_equal(unit_read(&arena, dir.fd, NAME), "new");
	assert_int_equal(unit_stat(dir.fd, NAME).st_mode & 07777, 0644);
	assert_int_equal(fchdir(dir.fd), 0);
	assert_int_equal(replace_own_path(NAME, "newest", 6, &err), 0);
	assert_int_equal(chdir("/"), 0);
	assert_string_equal(unit_read(&arena, dir.fd, NAME), "newest");
	assert_int_equal(unit_entries(dir.fd, "."), 1);
}

static const struct path_case {
	const char *name;
	const char *behind; /* the directory; NULL: too long */
	const char *said;
} path_cases[] = {
	{"a directory is not a file name", "/", "/ is not a file name"},
	{"a directory that is not there", "/none/" NAME, "/none/" NAME ": No such file"},
	{"a file is no directory", "/" NAME "/" NAME, "/" NAME ": Not a directory"},
	{"longer than a path can be", NULL, ": File name too long"},
};

UNIT_ROWS_AS("replace: a path: ", path_cases)
{
	static char longest[PATH_MAX + 2];
	WITH_DIR(dir);

	memset(longest, '/', sizeof(longest) - 2);
	longest[sizeof(longest) - 2] = 'x';
	unit_write(dir.fd, NAME, "old", 0600);
	assert_int_equal(
		replace_own_path(row->behind ? arena_printf(&arena, "%s%s", dir.path, row->behind)
					     : longest,
				 "new", 3, &err),
		-1);
	assert_has(err.text, row->said);
	assert_string_equal(unit_read(&arena, dir.fd, NAME), "old");
	assert_int_equal(unit_entries(dir.fd, "."), 1);
}

int main(void)
{
	return unit_main("replace");
}
