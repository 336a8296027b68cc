/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the unit tests. A table's row is a test; its first member is its name, a promise, which
 * a failure prints. */
#pragma once

/* cmocka.h needs these four first */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

#define UNIT_TESTS_MAX 512
#define UNUSED __attribute__((unused))
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
/* A row's member with several parts */
#define LIST(...)                                                                                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

/* ---- suites ---- */

struct unit_test {
	char name[160];
	CMUnitTestFunction function;
	const void *row;
};

struct unit_suite {
	struct CMUnitTest test[UNIT_TESTS_MAX];
	struct unit_test of[UNIT_TESTS_MAX];
	size_t n;
};

/* Seconds for what must happen, in tries or for a whole test: only a hang takes as long, not a busy
 * machine or a sanitizer. */
#define UNIT_PATIENCE 300

/* Weak: a suite's files share them. The running test, and what ends it if it hangs; alarm(2) is
 * left to tests. */
__attribute__((weak)) const struct unit_test *unit_running;
__attribute__((weak)) timer_t unit_timer;
#define UNIT_SIGNAL (SIGRTMAX - 3)

static inline void unit_hangs(UNUSED int number)
{
	static const char parts[2][24] = {"not ok - ", ": it hangs\n"};

	if (write(STDOUT_FILENO, parts[0], strlen(parts[0])) > 0 &&
	    write(STDOUT_FILENO, unit_running->name, strlen(unit_running->name)) > 0 &&
	    write(STDOUT_FILENO, parts[1], strlen(parts[1])) > 0)
		_exit(1);
	_exit(2);
}

static inline void unit_watch(time_t seconds)
{
	const struct itimerspec time = {.it_value.tv_sec = seconds};

	assert_int_equal(timer_settime(unit_timer, 0, &time, NULL), 0);
}

/* A test, with its row as *state */
static inline void unit_run_one(void **state)
{
	unit_running = *state;
	*state = (void *)unit_running->row;
	unit_watch(UNIT_PATIENCE);
	unit_running->function(state);
	unit_watch(0);
}

static inline void unit_add_as(struct unit_suite *suite, const char *front, const char *name,
			       CMUnitTestFunction function, const void *row)
{
	struct unit_test *test = &suite->of[suite->n];

	if (suite->n == UNIT_TESTS_MAX)
		abort();
	snprintf(test->name, sizeof(test->name), "%s%s", front, name);
	test->function = function;
	test->row = row;
	suite->test[suite->n++] = (struct CMUnitTest){
		.name = test->name, .test_func = unit_run_one, .initial_state = test};
}

static inline void unit_add(struct unit_suite *suite, const char *name, CMUnitTestFunction function,
			    const void *row)
{
	unit_add_as(suite, "", name, function, row);
}

/* tests/run repeats the reason in its last line. */
#define UNIT_SKIP(why)                                                                             \
	do {                                                                                       \
		print_message("# skip: %s\n", (why));                                              \
		skip();                                                                            \
	} while (0)

static inline void unit_skip(UNUSED void **state)
{
	UNIT_SKIP(geteuid() == 0 ? "this machine lacks what it needs" : "it needs root");
}

/* For what a machine may lack: then it is skipped, which tests/run counts, and CI fails. */
static inline void unit_add_if(struct unit_suite *suite, bool possible, const char *name,
			       CMUnitTestFunction function, const void *row)
{
	unit_add(suite, name, possible ? function : unit_skip, row);
}

/* Makes a test of each row; function gets the row as *state. front precedes its name, if several
 * functions share a table. */
#define UNIT_TABLE_AS(suite, front, function, table)                                               \
	do {                                                                                       \
		for (size_t row_ = 0; row_ < LENGTH(table); row_++)                                \
			unit_add_as((suite), (front), (table)[row_].name, (function),              \
				    &(table)[row_]);                                               \
	} while (0)

/* ---- tests that are added where they stand ---- */

/* A program's tests: each file adds some, unit_main runs them. Weak: the files share it. */
__attribute__((weak)) struct unit_suite unit_suite;

#define UNIT_JOINED(front, number) front##number
#define UNIT_JOIN(front, number) UNIT_JOINED(front, number)

/* UNIT_TEST("nothing is read twice") { … } */
#define UNIT_TEST(name) UNIT_TEST_IF(true, name)
#define UNIT_TEST_FOR_ROOT(name) UNIT_TEST_IF(geteuid() == 0, name)
#define UNIT_TEST_IF(possible, name) UNIT_TEST_NUMBER(possible, name, __COUNTER__)
#define UNIT_TEST_NUMBER(possible, name, number)                                                   \
	static void UNIT_JOIN(unit_test_, number)(void **);                                        \
	__attribute__((constructor)) static void UNIT_JOIN(unit_add_, number)(void)                \
	{                                                                                          \
		unit_add_if(&unit_suite, possible, name, UNIT_JOIN(unit_test_, number), NULL);     \
	}                                                                                          \
	static void UNIT_JOIN(unit_test_, number)(UNUSED void **unit_state)

/* A test per row of the table; the body gets it as *row. front precedes its name */
#define UNIT_ROWS(table) UNIT_ROWS_AS("", table)
#define UNIT_ROWS_AS(front, table) UNIT_ROWS_IF(true, front, table)
#define UNIT_ROWS_FOR_ROOT(table) UNIT_ROWS_IF(geteuid() == 0, "", table)
#define UNIT_ROWS_IF(possible, front, table) UNIT_ROWS_NUMBER(possible, front, table, __COUNTER__)
#define UNIT_ROWS_NUMBER(possible, front, table, number)                                           \
	static void UNIT_JOIN(unit_rows_, number)(__typeof__(&(table)[0]) row);                    \
	static void UNIT_JOIN(unit_test_, number)(void **state)                                    \
	{                                                                                          \
		UNIT_JOIN(unit_rows_, number)(*state);                                             \
	}                                                                                          \
	__attribute__((constructor)) static void UNIT_JOIN(unit_add_, number)(void)                \
	{                                                                                          \
		UNIT_TABLE_AS(&unit_suite, front,                                                  \
			      (possible) ? UNIT_JOIN(unit_test_, number) : unit_skip, table);      \
	}                                                                                          \
	static void UNIT_JOIN(unit_rows_, number)(__typeof__(&(table)[0]) row)

/* ---- what changes the process that does it for good ---- */

/* A child's status if this machine does not allow the test */
#define UNIT_NOT_HERE 77

/* fork(2), which must succeed; the child ends with its parent. */
static inline pid_t unit_fork(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)signal(SIGSEGV, SIG_DFL); /* cmocka's would continue with the tests */
	}
	return pid;
}

/* The child's exit status; a signal fails. Skips the test if it is UNIT_NOT_HERE. */
static inline int unit_exit_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == UNIT_NOT_HERE)
		UNIT_SKIP("no such namespace can be made here");
	return WEXITSTATUS(status);
}

static inline pid_t unit_start(int (*body)(const void *), const void *context)
{
	pid_t pid = unit_fork();

	if (pid == 0) {
		int status = body(context); /* first: `make coverage` counts what _exit finds */

		_exit(status);
	}
	return pid;
}

/* body's result in a child, as by unit_exit_of */
static inline int unit_result_of(int (*body)(const void *), const void *context)
{
	return unit_exit_of(unit_start(body, context));
}

struct unit_mapped {
	int (*body)(const void *);
	const void *context;
	int end;
};

static inline int unit_live_mapped(const void *context)
{
	const struct unit_mapped *mapped = context;
	char byte = 'x';

	if (unshare(CLONE_NEWUSER) < 0 || write(mapped->end, &byte, 1) != 1 ||
	    read(mapped->end, &byte, 1) != 1)
		return UNIT_NOT_HERE;
	return mapped->body(mapped->context);
}

static inline void unit_map(pid_t pid, const char *which, const char *text)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, which);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	(void)close(fd);
}

/* Like unit_start, in a user namespace with these maps (NULL: none); skips the test if there are no
 * such namespaces. */
static inline pid_t unit_start_mapped(int (*body)(const void *), const void *context,
				      const char *uid_map, const char *gid_map)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	pid = unit_start(unit_live_mapped, &(struct unit_mapped){body, context, ends[1]});
	(void)close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		UNIT_SKIP("no user namespace can be made here");
	if (uid_map)
		unit_map(pid, "uid_map", uid_map);
	if (gid_map)
		unit_map(pid, "gid_map", gid_map);
	assert_int_equal(write(ends[0], "x", 1), 1);
	(void)close(ends[0]);
	return pid;
}

/* ---- time ---- */

static inline double unit_processor_time(void (*work)(void *context, size_t n), void *context,
					 size_t n)
{
	clock_t begin = clock();

	work(context, n);
	return (double)(clock() - begin);
}

/* Does 8 times n cost less than this many times n? Linear is 8, quadratic 64. Both are measured
 * here, so slow machines and sanitizers cancel out; the least of several counts, because other
 * processes only lengthen measurements. */
static inline bool unit_costs_less(double times, void (*work)(void *context, size_t n),
				   void *context, size_t n)
{
	double once = 0;
	double eightfold = 0;

	for (int tries = 0; tries < 5; tries++) {
		double less = unit_processor_time(work, context, n);
		double more = unit_processor_time(work, context, 8 * n);

		once = tries == 0 || less < once ? less : once;
		eightfold = tries == 0 || more < eightfold ? more : eightfold;
		if (eightfold < times * once)
			return true;
	}
	print_error("# %.0f us, and %.0f us for 8 times as much\n", once, eightfold);
	return false;
}

#define UNIT_LINEAR 24 /* for unit_costs_less: between 8 and 64, equally far from both */

/* ---- what must be in a text ---- */

static inline void unit_has(const char *text, const char *part, const char *file, int line)
{
	if (strstr(text, part))
		return;
	print_error("# want in it: %.400s\n#        got: %.400s\n", part, text);
	_fail(file, line);
}

#define assert_has(text, part) unit_has((text), (part), __FILE__, __LINE__)

/* An error is one line, and not empty. */
static inline void unit_one_line(const struct err *err, const char *file, int line)
{
	for (const char *c = err->text; *c; c++) {
		if ((unsigned char)*c >= 0x20 && *c != 0x7f)
			continue;
		print_error("# a control character in: %.400s\n", err->text);
		_fail(file, line);
	}
	if (!err->text[0])
		_fail(file, line);
}

#define assert_one_line(err) unit_one_line((err), __FILE__, __LINE__)

/* The codes of all warnings, "a,b,b" */
static inline const char *unit_codes(struct arena *arena, const struct warnings *warnings)
{
	const char *codes = "";

	for (size_t i = 0; i < warnings->n; i++)
		codes = arena_printf(arena, "%s%s%s", codes, i ? "," : "", warnings->item[i].code);
	return codes;
}

/* A copy of exactly len bytes, without a NUL: the address sanitizer and valgrind find reads beyond
 * it. */
static inline char *unit_exact(const char *text, size_t len)
{
	char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, text, len);
	return copy;
}

static inline void unit_free(char **text)
{
	free(*text);
}

#define cleanup_free __attribute__((cleanup(unit_free))) char

/* ---- directories ---- */

/* Everything below dir, and its entries; links are not followed. */
static inline void unit_empty(int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		int below;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		below = openat(dir, entry->d_name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below >= 0) {
			unit_empty(below);
			(void)close(below);
		}
		(void)unlinkat(dir, entry->d_name, below >= 0 ? AT_REMOVEDIR : 0);
	}
	if (stream)
		(void)closedir(stream);
}

/* A run's files are below this; removed at the end, also those of failed tests. Weak: one for a
 * suite's files. */
__attribute__((weak)) char unit_base[200];

static inline void unit_make_base(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(unit_base, sizeof(unit_base), "%s/oci-rdma-unit.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(unit_base));
	assert_int_equal(chmod(unit_base, 0755), 0);
}

static inline void unit_remove_base(void)
{
	int fd = unit_base[0] ? open(unit_base, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	unit_empty(fd);
	(void)close(fd);
	(void)rmdir(unit_base);
}

/* Number of entries besides "." and ".." */
static inline int unit_entries(int dir, const char *path)
{
	DIR *stream = fdopendir(openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	int n = -2;

	assert_non_null(stream);
	while (readdir(stream))
		n++;
	(void)closedir(stream);
	return n;
}

static inline int unit_descriptors(void)
{
	return unit_entries(AT_FDCWD, "/proc/self/fd");
}

/* A test's own directory, mode 0755, removed with its variable */
struct unit_dir {
	char path[256];
	int fd;
};

static inline struct unit_dir unit_dir_make(void)
{
	struct unit_dir dir;

	if (!unit_base[0])
		unit_make_base();
	snprintf(dir.path, sizeof(dir.path), "%s/XXXXXX", unit_base);
	assert_non_null(mkdtemp(dir.path));
	dir.fd = open(dir.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir.fd >= 0);
	assert_int_equal(fchmod(dir.fd, 0755), 0);
	return dir;
}

static inline void unit_dir_remove(struct unit_dir *dir)
{
	unit_empty(dir->fd);
	(void)close(dir->fd);
	(void)rmdir(dir->path);
}

#define cleanup_unit_dir __attribute__((cleanup(unit_dir_remove))) struct unit_dir

/* Around most tests: an arena and an error, and a directory of that name */
#define WITH_ARENA                                                                                 \
	UNUSED cleanup_arena arena = {0};                                                          \
	UNUSED struct err err = {0}
#define WITH_DIR(dir)                                                                              \
	cleanup_unit_dir dir = unit_dir_make();                                                    \
	WITH_ARENA

/* Creates directories on the way, 0755; mode is the file's, whatever the umask. */
static inline void unit_write(int dir, const char *path, const char *text, mode_t mode)
{
	char part[256];
	int fd;

	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		if (mkdirat(dir, part, 0755) == 0)
			assert_int_equal(fchmodat(dir, part, 0755, 0), 0);
	}
	fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	(void)close(fd);
}

/* A file's text, in the arena; NULL: no file */
static inline char *unit_read(struct arena *arena, int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text;

	if (fd < 0)
		return NULL;
	assert_int_equal(fstat(fd, &st), 0);
	text = arena_alloc(arena, (size_t)st.st_size + 1);
	assert_non_null(text);
	assert_int_equal(read(fd, text, (size_t)st.st_size), st.st_size);
	(void)close(fd);
	return text;
}

/* lstat(2); all zero if there is nothing */
static inline struct stat unit_stat(int dir, const char *path)
{
	struct stat st = {0};

	(void)fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW);
	return st;
}

/* ---- the run ---- */

/* make suite ROW=…: keeps only tests with it in their names. */
static inline void unit_keep_rows(struct unit_suite *suite)
{
	const char *row = getenv("ROW");
	size_t kept = 0;

	for (size_t i = 0; row && i < suite->n; i++) {
		if (strstr(suite->test[i].name, row))
			suite->test[kept++] = suite->test[i];
	}
	suite->n = row ? kept : suite->n;
}

/* Returns the number of failed tests, for main. */
static inline int unit_run(struct unit_suite *suite, const char *name)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = UNIT_SIGNAL};
	int failed;

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	(void)signal(UNIT_SIGNAL, unit_hangs);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &unit_timer), 0);
	unit_keep_rows(suite);
	failed = _cmocka_run_group_tests(name, suite->test, suite->n, NULL, NULL);

	unit_remove_base();
	return failed;
}

static inline int unit_main(const char *name)
{
	return unit_run(&unit_suite, name);
}
