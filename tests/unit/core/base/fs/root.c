/* SPDX-License-Identifier: Apache-2.0 */
/* Is a directory the node's own root? If unknown, yes: writes there are refused. */
#include <seccomp.h>

#include "core/base/fs.h"
#include "core/base/rootless.h"
#include "tests/unit/unit.h"

UNIT_TEST("root: it is told by whatever path, and from others")
{
	cleanup_fd root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd other = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd way_back = open("/proc/..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd link = open("/proc/self/root", O_PATH | O_DIRECTORY | O_CLOEXEC);

	assert_true(fs_is_own_root(root));
	assert_true(fs_is_own_root(way_back));
	assert_true(fs_is_own_root(link));
	assert_false(fs_is_own_root(other));
}

UNIT_TEST("root: what is no directory is taken for it")
{
	assert_true(fs_is_own_root(-1));
}

/* Only stat of paths fails: each libc has its own calls. */
static void refuse_paths(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	uint32_t refuse = SCMP_ACT_ERRNO(EACCES);

	if (seccomp_rule_add(filter, refuse, SCMP_SYS(stat), 0) < 0 ||
	    seccomp_rule_add(filter, refuse, SCMP_SYS(newfstatat), 1,
			     SCMP_A0(SCMP_CMP_MASKED_EQ, UINT32_MAX, (uint32_t)AT_FDCWD)) < 0 ||
	    seccomp_rule_add(filter, refuse, SCMP_SYS(open), 0) < 0 ||
	    seccomp_rule_add(filter, refuse, SCMP_SYS(openat), 0) < 0 || seccomp_load(filter) < 0)
		_exit(2);
}

UNIT_TEST("root: where it cannot be seen, any is taken for it")
{
	cleanup_fd other = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	pid_t child = unit_fork();

	if (child == 0) {
		refuse_paths();
		_exit(!fs_is_own_root(other));
	}
	assert_int_equal(unit_exit_of(child), 0);
}

/* ---- whose rights ---- */

static int is_rootless(const void *unused)
{
	(void)unused;
	return setresuid(0, 0, 0) < 0 ? UNIT_NOT_HERE : rootless();
}

static const struct map_case {
	const char *name;
	const char *map;
	bool rootless;
} map_cases[] = {
	{"rootless: root of a user namespace, who is a user outside", "0 12345 1\n", true},
	{"rootless: not root of one that maps all ids to themselves", "0 0 4294967295\n", false},
};

UNIT_ROWS_FOR_ROOT(map_cases)
{
	assert_false(rootless());
	assert_int_equal(unit_exit_of(unit_start_mapped(is_rootless, NULL, row->map, NULL)),
			 row->rootless);
}

int main(void)
{
	return unit_main("root");
}
