/* SPDX-License-Identifier: Apache-2.0 */
/* Enters the network of another process, or says why not. */
#include "tests/unit/unit.h"

#include "doctor/target/target.h"

#define OWN "/proc/self/ns/net"

static ino_t network_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_ino;
}

/* A /proc directory with a new network namespace; false if root may not create one */
static bool make_proc(int dir, ino_t *ret_network)
{
	cleanup_fd ours = open(OWN, O_RDONLY | O_CLOEXEC);
	char path[64];
	int made;

	assert_true(ours >= 0);
	if (unshare(CLONE_NEWNET) < 0)
		return false;
	made = open(OWN, O_RDONLY | O_CLOEXEC); /* kept open: holds the namespace */
	assert_int_equal(setns(ours, CLONE_NEWNET), 0);
	assert_true(made >= 0);
	*ret_network = network_of(made);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", made);
	assert_int_equal(mkdirat(dir, "ns", 0755), 0);
	assert_int_equal(symlinkat(path, dir, "ns/net"), 0);
	return true;
}

/* Enters, returns the network in between, and goes back */
static ino_t enter(int proc, bool other_netns)
{
	const struct target target = {.proc = proc, .root = -1, .other_netns = other_netns};
	cleanup_fd ours = open(OWN, O_RDONLY | O_CLOEXEC);
	cleanup_fd entered = -1;

	errno = EIO; /* stale */
	assert_int_equal(target_enter_network(&target), 0);
	entered = open(OWN, O_RDONLY | O_CLOEXEC);
	assert_int_equal(setns(ours, CLONE_NEWNET), 0);
	return network_of(entered);
}

UNIT_TEST_FOR_ROOT("target: the network of another process is entered")
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_fd ours = open(OWN, O_RDONLY | O_CLOEXEC);
	ino_t its;

	if (!make_proc(dir.fd, &its))
		UNIT_SKIP("no namespace of another network can be made here");
	assert_int_not_equal(its, network_of(ours));
	assert_int_equal(enter(dir.fd, true), its);
	assert_int_equal(enter(dir.fd, false), network_of(ours));
}

UNIT_TEST("target: what is no network namespace is said, and not gone on from")
{
	cleanup_unit_dir dir = unit_dir_make();
	const struct target target = {.proc = dir.fd, .root = -1, .other_netns = true};

	assert_int_equal(target_enter_network(&target), -ENOENT);
	unit_write(dir.fd, "ns/net", "", 0644);
	assert_int_equal(target_enter_network(&target), -EINVAL);
}

int main(void)
{
	return unit_main("target");
}
