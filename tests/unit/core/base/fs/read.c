/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded reads of files, links and directories, which never block */
#include "tests/unit/unit.h"

#include "core/base/fs.h"
#include "lib/files.h"

/* A pipe with len bytes, then end of file; at most 64 KiB, a pipe's capacity */
static int filled_pipe(size_t len)
{
	char *bytes = malloc(len + 1);
	int ends[2];

	assert_non_null(bytes);
	memset(bytes, 'x', len);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes, len), (ssize_t)len);
	(void)close(ends[1]);
	free(bytes);
	return ends[0];
}

static const struct bound_case {
	const char *name;
	size_t len;
	size_t max;
	bool fits;
} bound_cases[] = {
	{"read: nothing", 0, 10, true},
	{"read: nothing, where nothing is allowed", 0, 0, true},
	{"read: one byte, where nothing is allowed", 1, 0, false},
	{"read: one byte less than the limit", 9, 10, true},
	{"read: exactly the limit", 10, 10, true},
	{"read: one byte more than the limit", 11, 10, false},
	{"read: the first block, exactly", 4096, 65536, true},
	{"read: the first block and one byte", 4097, 65536, true},
	{"read: exactly the limit of a state", 65536, 65536, true},
	{"read: much more than the limit", 65536, 100, false},
};

static void check_read(typeof(fs_read) *read_all, int fd, const struct bound_case *row)
{
	WITH_ARENA;
	struct fs_text text = {0};

	assert_int_equal(read_all(&arena, fd, row->max, "thing", &text, &err), row->fits ? 0 : -1);
	if (!row->fits) {
		assert_string_equal(err.text,
				    arena_printf(&arena,
						 "thing: larger than %zu bytes, which is the limit",
						 row->max));
		return;
	}
	assert_int_equal(text.len, row->len);
	for (size_t i = 0; i < text.len; i++)
		assert_int_equal(text.bytes[i], 'x');
	assert_int_equal(text.bytes[text.len], '\0');
}

UNIT_ROWS(bound_cases)
{
	cleanup_fd from_pipe = filled_pipe(row->len);
	FILE *file = tmpfile();

	check_read(fs_read, from_pipe, row);
	assert_non_null(file);
	for (size_t i = 0; i < row->len; i++)
		assert_int_equal(fputc('x', file), 'x');
	assert_int_equal(fflush(file), 0);
	assert_int_equal(fseek(file, 0, SEEK_SET), 0);
	check_read(fs_read, fileno(file), row);
	rewind(file);
	check_read(fs_read_regular, fileno(file), row);
	(void)fclose(file);
}

UNIT_TEST("read: an endless file is refused")
{
	WITH_ARENA;
	cleanup_fd zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	struct fs_text text;

	assert_true(zero >= 0);
	assert_int_equal(fs_read(&arena, zero, 65536, "thing", &text, &err), -1);
	assert_has(err.text, "thing: larger than 65536 bytes");
}

UNIT_TEST("read: only a regular file is one")
{
	WITH_ARENA;
	cleanup_fd from_pipe = filled_pipe(5);
	cleanup_fd dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct fs_text text;

	assert_int_equal(fs_read_regular(&arena, from_pipe, 10, "thing", &text, &err), -1);
	assert_string_equal(err.text, "thing: not a regular file");
	assert_int_equal(fs_read_regular(&arena, dir, 10, "thing", &text, &err), -1);
	assert_string_equal(err.text, "thing: not a regular file");
	assert_int_equal(fs_read_regular(&arena, -1, 10, "thing", &text, &err), -1);
	assert_string_equal(err.text, "thing: Bad file descriptor");
}

static const struct line_case {
	const char *name;
	const char *content;
	size_t size;
	ssize_t len; /* negative: the error */
	const char *line;
} line_cases[] = {
	{"line: without its newline", "4: ACTIVE\n", 32, 9, "4: ACTIVE"},
	{"line: without a newline", "abc", 32, 3, "abc"},
	{"line: only the first", "one\ntwo\n", 32, 3, "one"},
	{"line: empty file", "", 32, 0, ""},
	{"line: empty line", "\nx\n", 32, 0, ""},
	{"line: as long as fits", "1234567\n", 8, 7, "1234567"},
	{"line: as long as fits, no newline", "1234567", 8, 7, "1234567"},
	{"line: one byte too long", "12345678\n", 8, -EMSGSIZE, NULL},
	{"line: one byte too long, no newline", "12345678", 8, -EMSGSIZE, NULL},
	{"line: much too long", "123456781234567812345678\n", 8, -EMSGSIZE, NULL},
	{"line: first fits, second does not", "1\n2345678901234567890\n", 8, 1, "1"},
};

UNIT_ROWS(line_cases)
{
	cleanup_unit_dir dir = unit_dir_make();
	char *line = malloc(row->size);

	assert_non_null(line);
	unit_write(dir.fd, "attribute", row->content, 0644);
	assert_int_equal(fs_read_line(dir.fd, "attribute", line, row->size), row->len);
	if (row->line)
		assert_string_equal(line, row->line);
	free(line);
}

UNIT_TEST("line: what is no file is an errno, a FIFO does not block")
{
	cleanup_unit_dir dir = unit_dir_make();
	char line[8];

	assert_int_equal(fs_read_line(dir.fd, "absent", line, sizeof(line)), -ENOENT);
	assert_int_equal(fs_read_line(dir.fd, ".", line, sizeof(line)), -EISDIR);
	/* No writer: a blocking open would hang, and the alarm kill us. */
	assert_int_equal(mkfifoat(dir.fd, "fifo", 0600), 0);
	assert_int_equal(fs_read_line(dir.fd, "fifo", line, sizeof(line)), 0);
}

UNIT_TEST("link: read to its end or not at all")
{
	cleanup_unit_dir dir = unit_dir_make();
	char target[8];

	assert_int_equal(symlinkat("1234567", dir.fd, "fits"), 0);
	assert_int_equal(symlinkat("12345678", dir.fd, "long"), 0);
	assert_int_equal(fs_read_link(dir.fd, "fits", target, sizeof(target)), 7);
	assert_string_equal(target, "1234567");
	assert_int_equal(fs_read_link(dir.fd, "long", target, sizeof(target)), -ENAMETOOLONG);
	assert_int_equal(fs_read_link(dir.fd, "none", target, sizeof(target)), -ENOENT);
	unit_write(dir.fd, "file", "", 0644);
	assert_int_equal(fs_read_link(dir.fd, "file", target, sizeof(target)), -EINVAL);
}

UNIT_TEST("open: no file blocks, leaks to a child, or is open to others")
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_fd fifo = -1;
	cleanup_fd made = -1;

	assert_int_equal(mkfifoat(dir.fd, "fifo", 0600), 0);
	fifo = fs_open(dir.fd, "fifo", O_RDONLY, RESOLVE_BENEATH);
	assert_true(fifo >= 0);
	assert_true(fcntl(fifo, F_GETFD) & FD_CLOEXEC);
	made = fs_open(dir.fd, "made", O_WRONLY | O_CREAT | O_EXCL, RESOLVE_BENEATH);
	assert_true(made >= 0);
	assert_int_equal(unit_stat(dir.fd, "made").st_mode & 0777 & ~0600U, 0);
	assert_true(fcntl(made, F_GETFD) & FD_CLOEXEC);
}

/* A container's process can take a lease on its own files. */
UNIT_TEST("open: a lease does not block")
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_fd held = -1;
	cleanup_fd fd = -1;

	held = openat(dir.fd, "leased", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(held >= 0);
	assert_true(signal(SIGIO, SIG_IGN) != SIG_ERR);
	if (fcntl(held, F_SETLEASE, F_WRLCK) < 0)
		UNIT_SKIP("this file system has no leases");
	fd = fs_open_regular(dir.fd, "leased");
	assert_int_equal(fd, -EAGAIN);
}

static const struct resolve_case {
	const char *name;
	const char *path;
	uint64_t resolve;
	int error;
} resolve_cases[] = {
	{"open: '..' does not leave with RESOLVE_BENEATH", "../x", RESOLVE_BENEATH, -EXDEV},
	{"open: an absolute path begins at the root with RESOLVE_IN_ROOT", "/etc/passwd",
	 RESOLVE_IN_ROOT, -ENOENT},
	{"open: a magic link is none", "/proc/self/fd/0", 0, -ELOOP},
};

UNIT_ROWS(resolve_cases)
{
	cleanup_unit_dir dir = unit_dir_make();

	assert_int_equal(fs_open(dir.fd, row->path, O_RDONLY, row->resolve), row->error);
}

UNIT_TEST("same file: by inode")
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_fd root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd again = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	assert_true(fs_same_file(root, again));
	assert_false(fs_same_file(root, dir.fd));
	assert_false(fs_same_file(root, -1));
}

UNIT_TEST("write: what cannot be written is an errno")
{
	cleanup_fd full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_true(full >= 0);
	assert_int_equal(fs_write(full, "x", 1), -ENOSPC);
	assert_int_equal(fs_write(full, "", 0), 0);
}

int main(void)
{
	return unit_main("read");
}
