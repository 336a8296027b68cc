/* SPDX-License-Identifier: Apache-2.0 */
/* Does a program's file still exist? */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nri/executable.h"
#include "tests/unit/unit.h"

static bool is_removed(const char *link)
{
	char path[PATH_MAX];

	return own_file_is_removed(link, path, sizeof(path));
}

/* Runs a copy of sleep(1), so that the kernel writes its link in /proc. */
static pid_t start_copy(struct arena *arena, const char *copy, const char **ret_link)
{
	char *shell = arena_printf(arena, "cp /bin/sleep '%s'", copy);
	int started[2];
	char byte;
	pid_t pid;

	assert_int_equal(system(shell), 0);
	assert_int_equal(pipe2(started, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		execl(copy, copy, "1000", (char *)NULL);
		_exit(127);
	}
	*ret_link = arena_printf(arena, "/proc/%d/exe", pid);
	(void)close(started[1]);
	assert_int_equal(read(started[0], &byte, 1), 0); /* exec has closed the other end */
	(void)close(started[0]);
	return pid;
}

UNIT_TEST("own file: replaced, removed")
{
	WITH_DIR(dir);
	const char *copy = arena_printf(&arena, "%s/90-oci-rdma", dir.path);
	const char *other = arena_printf(&arena, "%s/new", dir.path);
	const char *link;
	char path[PATH_MAX];
	pid_t pid;

	pid = start_copy(&arena, copy, &link);
	assert_false(is_removed(link));
	assert_int_equal(system(arena_printf(&arena, "cp /bin/sleep '%s'", other)), 0);
	assert_int_equal(rename(other, copy), 0);
	assert_false(is_removed(link));
	assert_int_equal(unlink(copy), 0);
	assert_true(own_file_is_removed(link, path, sizeof(path)));
	assert_string_equal(path, copy);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

/* If unknown, the plugin stays. */
UNIT_TEST("own file: what cannot be told is the same")
{
	static const char *const targets[] = {"/none", "none (deleted)", "/dev/null/none (deleted)",
					      " (deleted)"};
	WITH_DIR(dir);
	const char *link = arena_printf(&arena, "%s/exe", dir.path);

	assert_false(is_removed(link));
	for (size_t i = 0; i < LENGTH(targets); i++) {
		assert_int_equal(symlink(targets[i], link), 0);
		assert_false(is_removed(link));
		assert_int_equal(unlink(link), 0);
	}
}
