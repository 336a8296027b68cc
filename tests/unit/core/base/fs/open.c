/* SPDX-License-Identifier: Apache-2.0 */
/* Files are opened once and then held: what may be opened, and what children inherit */
#include "tests/unit/unit.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "core/base/fs.h"
#include "lib/files.h"

/* ---- what is made ---- */

UNIT_TEST("made: a file has mode 0600 by any umask, a nameless one, too")
{
	cleanup_unit_dir dir = unit_dir_make();
	mode_t before = umask(0);
	cleanup_fd made = fs_open(dir.fd, "made", O_WRONLY | O_CREAT | O_EXCL, RESOLVE_BENEATH);
	cleanup_fd nameless = fs_open(dir.fd, ".", O_WRONLY | O_TMPFILE, RESOLVE_BENEATH);
	struct stat st;

	(void)umask(before);
	assert_true(made >= 0);
	assert_int_equal(unit_stat(dir.fd, "made").st_mode & 07777, 0600);
	if (nameless == -EOPNOTSUPP)
		UNIT_SKIP("this file system has no nameless files");
	assert_int_equal(fstat(nameless, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

UNIT_TEST("open: a FIFO without a reader does not block")
{
	cleanup_unit_dir dir = unit_dir_make();

	assert_int_equal(mkfifoat(dir.fd, "fifo", 0600), 0);
	assert_int_equal(fs_open(dir.fd, "fifo", O_WRONLY, RESOLVE_BENEATH), -ENXIO);
}

/* 1: it has become ours */
static int has_terminal(void)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);

	return fd >= 0;
}

/* A session leader's first terminal becomes its controlling terminal, with signals. */
static int open_a_terminal(UNUSED const void *context)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	const char *name = master < 0 ? NULL : ptsname(master);
	char line[8];
	int fd;

	if (setsid() < 0 || !name || unlockpt(master) < 0)
		return UNIT_NOT_HERE;
	fd = fs_open(AT_FDCWD, name, O_RDWR, 0);
	if (fd < 0 || has_terminal())
		return 1;
	if (fs_read_line(AT_FDCWD, name, line, sizeof(line)) != -EAGAIN || has_terminal())
		return 2;
	fd = open(name, O_RDWR | O_CLOEXEC);
	return fd >= 0 && has_terminal() ? 0 : UNIT_NOT_HERE;
}

UNIT_TEST("open: a terminal does not become ours")
{
	assert_int_equal(unit_result_of(open_a_terminal, NULL), 0);
}

/* ---- regular files ---- */

static void make_kinds(const struct unit_dir *dir)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	cleanup_fd socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	unit_write(dir->fd, "file", "text", 0644);
	assert_int_equal(symlinkat("file", dir->fd, "link"), 0);
	assert_int_equal(mkdirat(dir->fd, "directory", 0755), 0);
	assert_int_equal(mkfifoat(dir->fd, "fifo", 0600), 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/socket", dir->fd);
	assert_int_equal(bind(socket_fd, (struct sockaddr *)&address, sizeof(address)), 0);
}

static const struct kind_case {
	const char *name;
	const char *path;
	int error; /* 0: opened */
} kind_cases[] = {
	{"regular: a file", "file", 0},
	{"regular: a link is not followed", "link", -ELOOP},
	{"regular: a directory is none", "directory", -EINVAL},
	{"regular: a FIFO is none", "fifo", -EINVAL},
	/* open(2) for reading would give ENXIO. */
	{"regular: a socket is none, and is not opened", "socket", -EINVAL},
	{"regular: what is not there", "absent", -ENOENT},
	{"regular: what is outside", "../file", -EXDEV},
};

UNIT_ROWS(kind_cases)
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_fd fd = -1;
	char text[5] = "";

	make_kinds(&dir);
	fd = fs_open_regular(dir.fd, row->path);
	if (row->error) {
		assert_int_equal(fd, row->error);
		return;
	}
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text)), 4);
	assert_string_equal(text, "text");
}

UNIT_TEST("regular: what cannot be opened again is an errno")
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_fd path = -1;
	struct rlimit before;
	int again;

	unit_write(dir.fd, "file", "text", 0644);
	path = openat(dir.fd, "file", O_PATH | O_CLOEXEC);
	assert_int_equal(fs_reopen_regular(-1), -EBADF);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, before.rlim_max}), 0);
	again = fs_reopen_regular(path);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(again, -EMFILE);
}

/* ---- reading ---- */

#define LINES "one\ntwo\nthree\n"

/* One message per read */
UNIT_TEST("read: what comes in parts")
{
	static const char *const parts[] = {"one\n", "tw", "o\nthr", "ee\n"};
	WITH_ARENA;
	struct fs_text text;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	for (size_t i = 0; i < LENGTH(parts); i++)
		assert_int_equal(write(ends[1], parts[i], strlen(parts[i])),
				 (ssize_t)strlen(parts[i]));
	(void)close(ends[1]);
	assert_int_equal(fs_read(&arena, ends[0], 100, "thing", &text, &err), 0);
	assert_string_equal(text.bytes, LINES);
	(void)close(ends[0]);
}

UNIT_TEST("read: that there is more is said")
{
	for (size_t max = strlen(LINES) - 1; max <= strlen(LINES) + 1; max++) {
		WITH_DIR(dir);
		cleanup_fd fd = -1;
		struct fs_text text;

		unit_write(dir.fd, "file", LINES, 0644);
		fd = openat(dir.fd, "file", O_RDONLY | O_CLOEXEC);
		assert_int_equal(fs_read_up_to(&arena, fd, max, "thing", &text, &err), 0);
		assert_int_equal(text.len > max, max < strlen(LINES));
		assert_true(strncmp(text.bytes, LINES, max) == 0);
	}
}

/* The wanted length counts, not the file's. */
UNIT_TEST("read: the beginning of a huge file")
{
	WITH_ARENA;
	FILE *file = tmpfile();
	struct fs_text text;

	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), (off_t)1 << 40), 0);
	assert_int_equal(fs_read_up_to(&arena, fileno(file), 100, "thing", &text, &err), 0);
	assert_in_range(text.len, 101, 65536);
	(void)fclose(file);
}

UNIT_TEST("read: an error is said")
{
	WITH_ARENA;
	cleanup_fd dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct fs_text text;

	assert_int_equal(fs_read(&arena, dir, 100, "thing", &text, &err), -1);
	assert_string_equal(err.text, "thing: Is a directory");
	assert_int_equal(fs_read(&arena, -1, 100, "thing", &text, &err), -1);
	assert_string_equal(err.text, "thing: Bad file descriptor");
	assert_int_equal(fs_read_up_to(&arena, -1, 100, "thing", &text, &err), -1);
	assert_string_equal(err.text, "thing: Bad file descriptor");
	assert_int_equal(fs_read_up_to(&arena, dir, 100, "thing", &text, &err), -1);
	assert_string_equal(err.text, "thing: Is a directory");
}

/* ---- the standard streams ---- */

static bool is_null(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3) &&
	       (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR && fcntl(fd, F_GETFD) == FD_CLOEXEC;
}

/* For each of the eight sets of closed streams: 0 if open ones stay, /dev/null replaces closed
 * ones, and nothing else opens */
static int open_streams(UNUSED const void *context)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int kept = fcntl(root, F_DUPFD_CLOEXEC, 10);

	/* The next free descriptor */
	(void)close(3);
	for (int closed = 0; closed < 8; closed++) {
		for (int fd = 0; fd < 3; fd++)
			(void)(closed >> fd & 1 ? close(fd) : dup2(kept, fd));
		fs_open_standard_streams();
		for (int fd = 0; fd < 3; fd++) {
			if (closed >> fd & 1 ? !is_null(fd) : !fs_same_file(fd, kept))
				return 1 + closed;
		}
		if (fcntl(3, F_GETFD) >= 0)
			return 9;
	}
	return 0;
}

UNIT_TEST("streams: what is closed is /dev/null, what is open stays")
{
	assert_int_equal(unit_result_of(open_streams, NULL), 0);
}

/* ---- the same file ---- */

/* Root inodes of procfs and sysfs are both 1 (PROC_ROOT_INO; kernfs). */
UNIT_TEST("same: not one number on two file systems")
{
	cleanup_fd proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd sys = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat a;
	struct stat b;

	assert_int_equal(fstat(proc, &a), 0);
	if (fstat(sys, &b) < 0 || a.st_ino != b.st_ino)
		UNIT_SKIP("/sys and /proc have no inode of the same number");
	assert_false(fs_same_file(proc, sys));
}

/* 0: differs from a file of its file system, and from one with the same inode elsewhere */
static int tell_own_root(UNUSED const void *context)
{
	int own = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int below = open("/proc/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int other = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat a;
	struct stat b;

	if (fstat(own, &a) < 0 || fstat(other, &b) < 0 || a.st_ino != b.st_ino ||
	    chroot("/proc") < 0)
		return UNIT_NOT_HERE;
	return !fs_is_own_root(own) || fs_is_own_root(below) || fs_is_own_root(other);
}

UNIT_TEST_FOR_ROOT("same: the own root is told by file system and number")
{
	assert_int_equal(unit_result_of(tell_own_root, NULL), 0);
}

/* ---- what the kernel makes when it is read ---- */

static const struct made_case {
	const char *name;
	const char *path; /* of this machine's files */
	int status;
} made_cases[] = {
	{"stored: what a disk has", "etc/passwd", 0},
	{"stored: not procfs", "proc/version", -EINVAL},
	{"stored: not procfs, by a link", "proc/self/status", -EINVAL},
	{"stored: not sysfs", "sys/kernel/notes", -EINVAL},
	{"stored: not a device", "dev/null", -EINVAL},
	{"stored: not what is absent", "absent", -ENOENT},
};

UNIT_ROWS(made_cases)
{
	cleanup_fd root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_arena arena = {0};
	struct fs_text text = {.bytes = NULL};

	if (row->status != -ENOENT && faccessat(root, row->path, R_OK, 0) < 0)
		UNIT_SKIP("the file may not be read here");
	assert_int_equal(tree_read_stored(&arena, root, row->path, 1 << 20, &text), row->status);
	assert_int_equal(text.bytes != NULL, row->status == 0);
}

int main(void)
{
	return unit_main("files");
}
