/* SPDX-License-Identifier: Apache-2.0 */
/* Where the doctor itself runs, told by what a container has and a node has not, sign by sign */
#include "tests/unit/unit.h"

#include "doctor/target/target.h"

#define FIRST_PID "pid:[4026531836]"
#define FIRST_CGROUP "cgroup:[4026531835]"
#define OTHER_PID "pid:[4026532001]"
#define OTHER_CGROUP "cgroup:[4026532002]"

static const struct location_case {
	const char *name;
	const char *file; /* that is there; NULL: none */
	const char *pid;  /* NULL: it cannot be read */
	const char *cgroup;
	const char *variable; /* of the environment, behind another one; NULL: it cannot be read */
	bool container;
	const char *evidence;
} location_cases[] = {
	{"location: a node", NULL, FIRST_PID, FIRST_CGROUP, "B=2", false, "is the first one"},
	{"location: podman's file", "run/.containerenv", FIRST_PID, FIRST_CGROUP, "B=2", true,
	 "/run/.containerenv is there"},
	{"location: a node made from an image of Docker's", ".dockerenv", FIRST_PID, FIRST_CGROUP,
	 "B=2", false, "is the first one"},
	{"location: Docker's file, and another pid namespace", ".dockerenv", OTHER_PID,
	 FIRST_CGROUP, "B=2", true, "/.dockerenv is there"},
	{"location: Docker's file, and another cgroup namespace", ".dockerenv", FIRST_PID,
	 OTHER_CGROUP, "B=2", true, "/.dockerenv is there"},
	{"location: another pid namespace alone", NULL, OTHER_PID, FIRST_CGROUP, "B=2", true,
	 "is pid:[4026532001], not the node's"},
	{"location: a pod with the node's pid namespace", NULL, FIRST_PID, OTHER_CGROUP,
	 "KUBERNETES_SERVICE_HOST=10.96.0.1", true, "KUBERNETES_SERVICE_HOST is set"},
	{"location: another cgroup namespace alone, as systemd gives one", NULL, FIRST_PID,
	 OTHER_CGROUP, "MY_KUBERNETES_SERVICE_HOST=10.96.0.1", false, "is the first one"},
	{"location: another cgroup namespace, and no environment to be read", NULL, FIRST_PID,
	 OTHER_CGROUP, NULL, false, "is the first one"},
	{"location: a shell of the node that names a cluster", NULL, FIRST_PID, FIRST_CGROUP,
	 "KUBERNETES_SERVICE_HOST=10.96.0.1", false, "is the first one"},
	{"location: namespaces that cannot be read", NULL, NULL, NULL, "B=2", false,
	 "cannot be read: taken for the node"},
};

static void make_self(int dir, const struct location_case *row)
{
	cleanup_fd variables = -1;

	unit_write(dir, "run/.keep", "", 0644);
	unit_write(dir, "proc/self/ns/.keep", "", 0644);
	if (row->pid)
		assert_int_equal(symlinkat(row->pid, dir, "proc/self/ns/pid"), 0);
	if (row->cgroup)
		assert_int_equal(symlinkat(row->cgroup, dir, "proc/self/ns/cgroup"), 0);
	if (row->file)
		unit_write(dir, row->file, "", 0644);
	if (!row->variable)
		return;
	/* As the kernel shows it: each variable with its end */
	variables = openat(dir, "proc/self/environ", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_true(dprintf(variables, "A=1%c%s%c", 0, row->variable, 0) > 0);
}

UNIT_ROWS(location_cases)
{
	WITH_DIR(dir);
	struct location location;

	make_self(dir.fd, row);
	assert_int_equal(location_find(&arena, dir.fd, &location), 0);
	assert_int_equal(location.container, row->container);
	assert_has(location.evidence, row->evidence);
}

int main(void)
{
	return unit_main("location");
}
